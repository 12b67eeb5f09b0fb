/** A part of the package, in a file of its own: what it is for. */
export type PartName =
  /** Reads scenes (GLB, glTF, OBJ, STL, PLY), writes SVG and GLB. */
  | "files"
  /** The pipeline `storeys`. */
  | "storeys"
  /** The pipeline `slices`. */
  | "slices"
  /** `Plan`. */
  | "plans"
  /** Paths for a radius, and crowds with `clearance`. */
  | "discs"
  /** `World`. */
  | "worlds"
  /** `Crowd`. */
  | "crowd"
  /** `Scene.evaluate`. */
  | "evaluate"
  /** `Scene.why`. */
  | "why"
  /** `Scene.builtin`. */
  | "scenes";

/** Names of all parts. */
export const partNames: PartName[];

/**
 * Loads parts; all of them if none is named. In Node and in workers parts are loaded when they are
 * first needed; in a page, what needs one that is not there throws an error of the kind "part".
 */
export function loadParts(...names: PartName[]): Promise<void>;

/** The parts that are compiled, to give them to the `init` of a worker: see `InitOptions`. */
export function partModules(): Partial<Record<PartName, WebAssembly.Module>>;
