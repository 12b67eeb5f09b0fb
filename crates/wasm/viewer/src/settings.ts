// Settings files of the program, read into the page.
import { describeSettings } from "waymesh";
import { parse } from "smol-toml";
import type { Point, Thing } from "./project";
import { areaOf } from "./things";

interface Found {
  settings: Record<string, unknown>;
  pipeline: "voxels" | "storeys" | "slices";
  things: Thing[];
  seeds: Point[];
  /** What the file says and the page does without. */
  left: string[];
}

/** Names of the program's file that are other words than the settings of the package. */
const OTHER: Record<string, string> = {
  tile: "tile_cells", seed: "keep", max_height_error: "max_height_error_levels", jump_length: "jumps.max_length", jump_rise: "jumps.max_rise",
  jump_arc: "jumps.arc_height", drop_height: "jumps.max_drop", drop_length: "jumps.max_drop_length", jump_spacing: "jumps.spacing", jump_detour: "jumps.min_detour",
};
/** What means nothing in a page. */
const LEFT_OUT = ["max_memory", "threads"];

/** A mark of the file as an area on the ground; `null` for one of another shape. */
function readMark({ area, ...shape }: Record<string, unknown>): Thing | null {
  const [, name = "", cost] = /^(.*?)(?::([\d.]+))?$/.exec(String(area ?? "")) ?? [];
  return name === "blocked" ? areaOf(shape, "", null) : areaOf(shape, name, Number(cost ?? 1));
}

/**
 * Reads a settings file for a plan or a scene; `null` for a floor plan, or what is no TOML. Names
 * that are no settings are an error.
 */
export function readSettings(text: string, isPlan: boolean): Found | null {
  let given: Record<string, unknown>;
  try {
    given = parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  const isTables = (value: unknown) => Array.isArray(value) && typeof value[0] === "object";
  if (isTables(given["storey"]) || isTables(given["area"])) return null;
  const known = new Set((["voxels", "storeys", "slices", "plans"] as const).flatMap((pipeline) => {
    return describeSettings(pipeline).map(({ name, group }) => (group === "jumps" ? `jumps.${name}` : name));
  }));
  const found: Found = { settings: {}, pipeline: "voxels", things: [], seeds: [], left: [] };
  for (const [key, value] of Object.entries(given)) {
    const plain = key.replaceAll("-", "_");
    const name = OTHER[plain] ?? plain;
    if (name === "mark") {
      const marks = (value as Record<string, unknown>[]).map(readMark);
      found.things = marks.filter((mark) => mark !== null);
      if (marks.includes(null)) found.left.push("marks of closed meshes");
    } else if (name === "pipeline") {
      if (value !== "voxels" && value !== "storeys" && value !== "slices") throw new Error(`pipeline is ${String(value)}, but must be voxels, storeys or slices`);
      found.pipeline = value;
    }
    else if (name === "keep" && Array.isArray(value)) found.seeds = value.map((seed) => String(seed).split(",").map(Number) as Point);
    else if (LEFT_OUT.includes(name)) continue;
    else if (!known.has(name)) throw new Error(`there is no setting ${key}`);
    else found.settings[name] = typeof value === "string" ? value.replaceAll("-", "_") : value;
  }
  // The program's agent in a scene is a person, that of the page RecastDemo's.
  if (!isPlan && found.pipeline !== "slices") found.settings["agent"] ??= "person";
  if (found.settings["agent"] === "recast") delete found.settings["agent"];
  return found;
}
