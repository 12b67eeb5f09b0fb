// What the page shows: the source, its mesh, what was placed on it. The rooms of the page share it.
import type { NavMesh } from "waymesh";
import type { Painted } from "./areas";
import { Knobs } from "./knobs";
import { LAYERS } from "./layers";
import { writeLink, type Point } from "./link";
import type { Box, Made, Source } from "./messages";
import { find } from "./page";
import { View } from "./view";

export const canvas = find<HTMLCanvasElement>("#canvas");
export const view = new View(canvas);

interface State {
  source: Source | null;
  mesh: NavMesh | null;
  /** The bytes and figures of `mesh`; `null` for a mesh that was opened. */
  made: Made | null;
  /** What was kept to compare with. */
  kept: { made: Made | null; mesh: NavMesh } | null;
  /** Ends of the path, or of the line that is measured. */
  points: Point[];
  obstacles: Box[];
  painted: Painted[];
  /** Numbers of areas that the source has of its own. */
  areas: Set<number>;
}

export const state: State = { source: null, mesh: null, made: null, kept: null, points: [], obstacles: [], painted: [], areas: new Set() };

/** Names of the layers that are on. */
export const shown = new Set<string>(LAYERS.filter(([, , on]) => on).map(([name]) => name));

/** What happens when something of this kind changes, in the order in which it was asked for. */
const followers = { knob: [] as (() => void)[], mesh: [] as (() => void)[], baked: [] as (() => void)[], source: [] as (() => void)[] };

/**
 * Calls `run` whenever a knob was turned, another mesh is shown, a bake is done with all layers, or
 * another source is open.
 */
export function when(kind: keyof typeof followers, run: () => void): void {
  followers[kind].push(run);
}

export function tell(kind: keyof typeof followers): void {
  for (const run of followers[kind]) run();
}

export const pipeline = find<HTMLSelectElement>("#pipeline");
export const knobs = new Knobs(find("#knobs"), find("#knobs-note"), () => tell("knob"));

export const isPlan = () => state.source?.kind === "plan";
export const tool = () => find<HTMLInputElement>("input[name=tool]:checked").value;
export const radius = () => Number(find<HTMLInputElement>("#radius").value);

/** Keeps the state of the page in its address. */
export function remember(): void {
  const { source, points, obstacles, painted } = state;
  const link = {
    scene: source?.kind === "builtin" ? source.name : null, pipeline: pipeline.value, settings: knobs.settings,
    points, obstacles, painted, radius: radius(), crowd: Number(find<HTMLInputElement>("#crowd").value), layers: [...shown],
  };
  history.replaceState(null, "", writeLink(link));
}
