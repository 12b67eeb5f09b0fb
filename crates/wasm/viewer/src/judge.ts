// Judges the mesh against its scene: what of the ground it misses, where it is too much, where
// paths are long.
import type { Judgement } from "waymesh";
import * as THREE from "three";
import { job, settled } from "./bakes";
import { squares } from "./layers";
import { complain, find, make } from "./page";
import { isPlan, state, view, when } from "./state";
import { LIFT } from "./view";

const LAYERS = ["missed", "excess", "detours"];
const COLOURS = { missed: 0xd7263d, detours: 0xe8590c };
/** Why nobody can stand there, by the package's numbers, and how that is drawn. */
const REASONS = [
  { name: "solid", text: "inside of something solid", colour: new THREE.Color(0x1c3faa) },
  { name: "ceiling", text: "under a low ceiling", colour: new THREE.Color(0x1c7ed6) },
  { name: "wall", text: "too near a wall", colour: new THREE.Color(0x15aabf) },
  { name: "drop", text: "over a drop", colour: new THREE.Color(0x7048e8) },
] as const;
/** Detours that are drawn: more would hide each other. */
const MOST_DETOURS = 20;

/** The mesh that is judged, and what was found. */
let judged: { mesh: unknown; found: Judgement } | null = null;

const percent = (share: number | null, digits = 2) => (share === null ? "-" : `${(100 * share).toFixed(digits)} %`);

function forget(): void {
  judged = null;
  for (const layer of LAYERS) view.put(layer);
  find("#judgement").replaceChildren();
}

function draw({ missed, missedSide, excess, excessSide, excessReasons, detours }: Judgement): void {
  const plain = new THREE.Color(COLOURS.missed);
  view.put("missed", squares(missed, missedSide, (_, out) => out.copy(plain)));
  view.put("excess", squares(excess, excessSide, (index, out) => out.copy(REASONS[excessReasons[index]!]!.colour)));
  const ends: number[] = [];
  for (const { points } of detours.slice(0, MOST_DETOURS)) {
    for (let index = 0; index + 3 < points.length; index += 3) ends.push(...points.subarray(index, index + 6));
  }
  view.put("detours", view.lines(ends, COLOURS.detours, 3, 2 * LIFT));
}

/** A line of the list, with the colour of its layer. */
function line(colour: THREE.ColorRepresentation | null, text: string): HTMLElement {
  const swatch = make("span", { className: "swatch" });
  if (colour === null) swatch.style.visibility = "hidden";
  else swatch.style.background = `#${new THREE.Color(colour).getHexString()}`;
  return make("li", {}, swatch, make("span", { textContent: text }));
}

function say({ figures, remarks, detours }: Judgement): void {
  const { coverage, excess, connectivity: { agree, pairs }, paths } = figures;
  const worst = detours[0]?.excess ?? 0;
  const lines = [
    line(COLOURS.missed, `${percent(coverage === null ? null : 1 - coverage)} of the ground where the agent can stand is missed.`),
    line(REASONS[1].colour, `${percent(excess.total)} of the mesh is where it cannot stand.`),
    ...REASONS.filter(({ name }) => (excess[name] ?? 0) > 0).map(({ name, text, colour }) => line(colour, `${percent(excess[name])} ${text}.`)),
    line(COLOURS.detours, paths.found === 0 ? "There are no paths to judge." : `Paths are ${percent(paths.excess_length.mean, 3)} longer than the shortest on this mesh on average, ${percent(Math.max(worst, paths.excess_length.max ?? 0))} at most; the ${Math.min(detours.length, MOST_DETOURS)} worst are drawn.`),
    line(null, `${agree} of ${pairs} pairs of places agree about whether a way leads from one to the other.`),
    ...remarks.map((remark) => line(null, remark)),
  ];
  if (state.things.length > 0) lines.push(line(null, "The scene is judged without obstacles and areas: ground that they take counts as missed."));
  find("#judgement").replaceChildren(...lines);
}

async function judge(): Promise<void> {
  if (isPlan() || !state.source) {
    complain("only meshes of scenes of triangles can be judged, not those of floor plans or files");
    return;
  }
  await settled();
  const { mesh } = state;
  if (!mesh) return;
  const found = await job((baker) => baker.judge(mesh.toBytes("wmrun")));
  if (!found || state.mesh !== mesh) return;
  judged = { mesh, found };
  complain(null);
  draw(found);
  say(found);
}

export function listenToJudge(): void {
  const always = find<HTMLInputElement>("#judge-always");
  const wanted = () => always.checked && !isPlan() && state.source !== null;
  find("#judge").addEventListener("click", () => void judge());
  always.addEventListener("change", () => {
    if (wanted() && judged?.mesh !== state.mesh) void judge();
  });
  when("mesh", forget);
  when("source", forget);
  when("baked", () => {
    if (wanted()) void judge();
  });
}

/** What tests look at. */
export const judgeHooks = {
  get found() {
    return judged?.found ?? null;
  },
};
