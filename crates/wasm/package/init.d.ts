import type { InitInput, InitOutput, SyncInitInput } from "./waymesh.js";
import type { PartName } from "./parts.js";

export interface InitOptions {
  /** The module or its address; by default the file beside this one. */
  module_or_path?: InitInput | Promise<InitInput>;
  /**
   * Parts to load with it: their names, "all", or compiled ones that another thread got of
   * `partModules`.
   */
  parts?: "all" | PartName[] | Partial<Record<PartName, WebAssembly.Module>>;
}

/** Loads the module. In Node there is nothing to wait for. */
export default function init(options?: InitOptions | InitInput): Promise<InitOutput>;

/** Loads a module that is there already. */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;
