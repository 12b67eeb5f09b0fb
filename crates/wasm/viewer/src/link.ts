// The state of the page in its address.
import type { Painted } from "./areas";
import type { AnySettings, Box } from "./messages";

export type Point = [number, number, number];

export interface Link {
  /** A scene of the package; `null` for a file, which no link can hold. */
  scene: string | null;
  pipeline: string;
  settings: AnySettings;
  points: Point[];
  obstacles: Box[];
  painted: Painted[];
  radius: number;
  /** Number of agents that walk. */
  crowd: number;
  layers: string[];
}

export function writeLink(link: Link): string {
  return `#${encodeURIComponent(JSON.stringify(link))}`;
}

const isPoint = (value: unknown): value is Point => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);

const isBox = (value: unknown): value is Box => {
  const { at, size } = (value ?? {}) as Partial<Box>;
  return isPoint(at) && isPoint(size);
};

const isPainted = (value: unknown): value is Painted => {
  const { corners, cost } = (value ?? {}) as Partial<Painted>;
  const isCost = cost === null || (typeof cost === "number" && cost >= 0);
  return Array.isArray(corners) && corners.length === 2 && corners.every(isPoint) && isCost;
};

/** What an address says; `null` if it says nothing that can be read. */
export function readLink(hash: string): Link | null {
  if (hash.length < 2) return null;
  let found: Partial<Record<keyof Link, unknown>>;
  try {
    found = JSON.parse(decodeURIComponent(hash.slice(1)));
  } catch {
    return null;
  }
  if (typeof found !== "object" || found === null) return null;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const pipelines = ["voxels", "tiles", "storeys", "slices"];
  return {
    scene: typeof found.scene === "string" ? found.scene : null,
    pipeline: pipelines.find((name) => name === found.pipeline) ?? "voxels",
    settings: typeof found.settings === "object" && found.settings !== null ? (found.settings as AnySettings) : {},
    points: list(found.points).filter(isPoint).slice(0, 2),
    obstacles: list(found.obstacles).filter(isBox),
    painted: list(found.painted).filter(isPainted),
    radius: typeof found.radius === "number" ? found.radius : 0,
    crowd: typeof found.crowd === "number" ? found.crowd : 0,
    layers: list(found.layers).filter((name) => typeof name === "string"),
  };
}
