// Settings files of the program, read into the page.
import { describeSettings } from "waymesh";
import { parse } from "smol-toml";
import type { Point, Thing } from "./project";

interface Found {
  settings: Record<string, unknown>;
  pipeline: string | null;
  things: Thing[];
  seeds: Point[];
}

/** Names of the program's file that are other words than the settings of the package. */
const OTHER: Record<string, string> = {
  tile: "tile_cells", seed: "keep", max_height_error: "max_height_error_levels", jump_length: "jumps.max_length", jump_rise: "jumps.max_rise",
  jump_arc: "jumps.arc_height", drop_height: "jumps.max_drop", drop_length: "jumps.max_drop_length", jump_spacing: "jumps.spacing", jump_detour: "jumps.min_detour",
};
/** What means nothing in a page. */
const LEFT_OUT = ["max_memory", "threads"];

/** A mark of the file as a thing on the ground. */
function thing(given: Record<string, unknown>): Thing[] {
  const [, name = "", cost] = /^(.*?)(?::([\d.]+))?$/.exec(String(given["area"] ?? "")) ?? [];
  const base = { kind: "area" as const, turn: 0, corners: [], name: name === "blocked" ? "" : name, cost: name === "blocked" ? null : Number(cost ?? 1) };
  const { box, cylinder, prism } = given as { box?: [Point, Point]; cylinder?: [Point, number, number]; prism?: [[number, number][], [number, number]] };
  // An area begins a metre below its ground.
  if (box) {
    const [a, b] = box;
    const middle = (axis: number) => (a[axis]! + b[axis]!) / 2;
    return [{ ...base, shape: "box", at: [middle(0), a[1] + 1, middle(2)], size: [b[0] - a[0], b[1] - a[1] - 1, b[2] - a[2]] }];
  }
  if (cylinder) {
    const [[x, y, z], radius, height] = cylinder;
    return [{ ...base, shape: "cylinder", at: [x, y + 1, z], size: [2 * radius, height - 1, 2 * radius] }];
  }
  if (!prism) return [];
  const [corners, [low, high]] = prism;
  const middle = (axis: 0 | 1) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length;
  const [x, z] = [middle(0), middle(1)];
  return [{ ...base, shape: "polygon", at: [x, low + 1, z], size: [1, high - low - 1, 1], corners: corners.map((corner) => [corner[0] - x, corner[1] - z]) }];
}

/**
 * Reads a settings file; `null` for a floor plan, or what is no TOML. Names that are no settings
 * are an error.
 */
export function readSettings(text: string): Found | null {
  let given: Record<string, unknown>;
  try {
    given = parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  const isTables = (value: unknown) => Array.isArray(value) && typeof value[0] === "object";
  if (isTables(given["storey"]) || isTables(given["area"])) return null;
  const known = new Set((["voxels", "tiles", "storeys", "slices", "plans"] as const).flatMap((pipeline) => {
    return describeSettings(pipeline).map(({ name, group }) => (group === "jumps" ? `jumps.${name}` : name));
  }));
  const found: Found = { settings: {}, pipeline: null, things: [], seeds: [] };
  for (const [key, value] of Object.entries(given)) {
    const plain = key.replaceAll("-", "_");
    const name = OTHER[plain] ?? plain;
    if (name === "mark") found.things = (value as Record<string, unknown>[]).flatMap(thing);
    else if (name === "pipeline") found.pipeline = String(value);
    else if (name === "keep" && Array.isArray(value)) found.seeds = value.map((seed) => String(seed).split(",").map(Number) as Point);
    else if (LEFT_OUT.includes(name)) continue;
    else if (!known.has(name)) throw new Error(`there is no setting ${key}`);
    else {
      if (name === "tile_cells") found.pipeline = "tiles";
      found.settings[name] = typeof value === "string" ? value.replaceAll("-", "_") : value;
    }
  }
  return found;
}
