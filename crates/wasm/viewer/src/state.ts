// What the page shows: the source, its mesh, what was placed on it. The rooms of the page share it.
import type { NavMesh } from "waymesh";
import { Colours, type ColourBy } from "./colours";
import { Knobs } from "./knobs";
import { LAYERS } from "./layers";
import type { Load, Made, Source } from "./messages";
import { find } from "./page";
import type { DrawnLink, Point, Thing } from "./project";
import type { Areas } from "./things";
import { View } from "./view";

export const canvas = find<HTMLCanvasElement>("#canvas");
export const view = new View(canvas);

/** What was clicked, to look at or to change. */
export type Selected = { kind: "thing" | "link" | "polygon" | "agent"; index: number };

interface State {
  source: Source | null;
  load: Load;
  mesh: NavMesh | null;
  /** The bytes and figures of `mesh`; `null` for a mesh that was opened. */
  made: Made | null;
  /** What was kept to compare with. */
  kept: { made: Made | null; mesh: NavMesh } | null;
  /** Ends of the path, or of the line that is measured. */
  points: Point[];
  things: Thing[];
  links: DrawnLink[];
  /** Numbers of the drawn links in the mesh; `null` for one whose ends have no ground. */
  linkIds: (number | null)[];
  shut: Point[];
  seeds: Point[];
  selected: Selected | null;
  /** The material of the level where a polygon was picked. */
  material: string | null;
  /** Areas that the source has of its own. */
  areas: Areas;
  /** The amount, in metres, that the last of the colours of a scale stands for. */
  farthest: number;
}

export const state: State = {
  source: null, load: {}, mesh: null, made: null, kept: null, points: [], things: [], links: [], linkIds: [], shut: [], seeds: [],
  selected: null, material: null, areas: {}, farthest: 0,
};

export const colours = new Colours();

/** Names of the layers that are on. */
export const shown = new Set<string>(LAYERS.filter(([, , on]) => on).map(([name]) => name));

/** What happens when something of this kind changes, in the order in which it was asked for. */
const followers = { knob: [] as (() => void)[], paint: [] as (() => void)[], mesh: [] as (() => void)[], baked: [] as (() => void)[], source: [] as (() => void)[], edit: [] as (() => void)[], select: [] as (() => void)[] };

/**
 * Calls `run` whenever a knob was turned, colours were painted, another mesh is shown, a bake is
 * done with all layers, another source is open, a person changed something that is kept, or
 * selected something.
 */
export function when(kind: keyof typeof followers, run: () => void): void {
  followers[kind].push(run);
}

export function tell(kind: keyof typeof followers): void {
  for (const run of followers[kind]) run();
}

export function select(selected: Selected | null): void {
  state.selected = selected;
  tell("select");
}

export const pipeline = find<HTMLSelectElement>("#pipeline");
export const knobs = new Knobs(find("#agent-knobs"), find("#knobs"), find("#knobs-note"), () => tell("knob"));

export const isPlan = () => state.source?.kind === "plan";
export const tool = () => find<HTMLInputElement>("input[name=tool]:checked").value;
export const radius = () => Number(find<HTMLInputElement>("#radius").value);
export const colourBy = () => find<HTMLSelectElement>("#colour").value as ColourBy;
