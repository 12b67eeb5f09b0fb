// What a person made on the page, as data: for links, project files, undo and the next visit.
import type { AnySettings, Load } from "./messages";

export type Point = [number, number, number];

export const distance = (a: Point, b: Point): number => Math.hypot(...a.map((value, axis) => value - b[axis]!));

/** Something that was put down on the ground: it stands in the way, or gives the ground an area. */
export interface Thing {
  kind: "obstacle" | "area";
  shape: "box" | "cylinder" | "polygon";
  /** Middle of its base, on the ground. */
  at: Point;
  /** Width, height and depth; a cylinder has its width as diameter. */
  size: Point;
  /** How far it is turned about the vertical, in degrees. */
  turn: number;
  /** Of a polygon: its corners in plan, from `at`. */
  corners: [number, number][];
  /** Name of the area. */
  name: string;
  /** What a metre costs there, compared with plain ground; `null` where nobody walks. */
  cost: number | null;
}

/** A link that was drawn. */
export interface DrawnLink {
  from: Point;
  to: Point;
  kind: string;
  bothWays: boolean;
  isOpen: boolean;
  extraCost: number;
}

export interface Project {
  version: 1;
  /** A scene of the package by its name, or a file; `bytes` are its content in base64. */
  source: { kind: "builtin" | "scene" | "plan"; name: string; bytes?: string } | null;
  load: Load;
  pipeline: string;
  settings: AnySettings;
  things: Thing[];
  links: DrawnLink[];
  /** Places of links that the bake found and that are closed: doors that are shut. */
  shut: Point[];
  /** Places that ground must be reachable from. */
  seeds: Point[];
  /** Ends of the path, or of the line that is measured. */
  points: Point[];
  radius: number;
  isShortest: boolean;
  /** Number of agents that walk. */
  crowd: number;
  layers: string[];
  colour: string;
  /** Position and target of the camera. */
  camera: [Point, Point] | null;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isPoint = (value: unknown): value is Point => Array.isArray(value) && value.length === 3 && value.every(isNumber);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});

function readThing(given: unknown): Thing[] {
  const { kind, shape, at, size, turn, corners, name, cost } = record(given);
  if (!isPoint(at) || !isPoint(size) || (kind !== "obstacle" && kind !== "area")) return [];
  if (shape !== "box" && shape !== "cylinder" && shape !== "polygon") return [];
  const isCorner = (corner: unknown): corner is [number, number] => Array.isArray(corner) && corner.length === 2 && corner.every(isNumber);
  const isCost = cost === null || (isNumber(cost) && cost >= 0);
  return [{
    kind, shape, at, size, turn: isNumber(turn) ? turn : 0, corners: list(corners).filter(isCorner),
    name: typeof name === "string" ? name : "", cost: isCost ? cost : 1,
  }];
}

function readDrawnLink(given: unknown): DrawnLink[] {
  const { from, to, kind, bothWays, isOpen, extraCost } = record(given);
  if (!isPoint(from) || !isPoint(to)) return [];
  return [{
    from, to, kind: typeof kind === "string" ? kind : "user", bothWays: bothWays !== false, isOpen: isOpen !== false,
    extraCost: isNumber(extraCost) && extraCost >= 0 ? extraCost : 0,
  }];
}

export function readLoad(given: unknown): Load {
  const { up, scale, winding, areaRules } = record(given);
  const load: Load = {};
  if (up === "z") load.up = up;
  if (isNumber(scale) && scale > 0 && scale !== 1) load.scale = scale;
  if (winding === "flipped" || winding === "two_sided") load.winding = winding;
  const rules = list(areaRules).filter((rule): rule is string => typeof rule === "string");
  if (rules.length > 0) load.areaRules = rules;
  return load;
}

/** Reads a project; `null` if it is none. What cannot be read of it is left out. */
export function readProject(given: unknown): Project | null {
  const found = record(given);
  if (found["version"] !== 1) return null;
  const { kind, name, bytes } = record(found["source"]);
  const isSource = (kind === "builtin" || kind === "scene" || kind === "plan") && typeof name === "string";
  const [at, target] = list(found["camera"]);
  const pipelines = ["voxels", "storeys", "slices"];
  return {
    version: 1,
    source: isSource ? { kind, name, ...(typeof bytes === "string" ? { bytes } : {}) } : null,
    load: readLoad(found["load"]),
    pipeline: pipelines.find((one) => one === found["pipeline"]) ?? "voxels",
    settings: record(found["settings"]) as AnySettings,
    things: list(found["things"]).flatMap(readThing),
    links: list(found["links"]).flatMap(readDrawnLink),
    shut: list(found["shut"]).filter(isPoint),
    seeds: list(found["seeds"]).filter(isPoint),
    points: list(found["points"]).filter(isPoint).slice(0, 2),
    radius: isNumber(found["radius"]) ? found["radius"] : 0,
    isShortest: found["isShortest"] === true,
    crowd: isNumber(found["crowd"]) ? found["crowd"] : 0,
    layers: list(found["layers"]).filter((layer): layer is string => typeof layer === "string"),
    colour: typeof found["colour"] === "string" ? found["colour"] : "polygon",
    camera: isPoint(at) && isPoint(target) ? [at, target] : null,
  };
}

export function writeLink(project: Project): string {
  return `#${encodeURIComponent(JSON.stringify(project))}`;
}

/** The project in an address; `null` if there is none. */
export function readLink(hash: string): Project | null {
  try {
    return readProject(JSON.parse(decodeURIComponent(hash.slice(1))));
  } catch {
    return null;
  }
}

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
