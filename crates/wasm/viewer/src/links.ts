// Links that are drawn by two clicks, and links of the bake that are shut.
import type { NavMesh } from "waymesh";
import * as THREE from "three";
import { hint } from "./hints";
import { bowOf, drawLinks } from "./layers";
import { complain, find } from "./page";
import { distance, type DrawnLink, type Point } from "./project";
import { select, state, tell, view } from "./state";

/** How near the places of a shut link and a link of a new bake must be, in metres. */
const SAME_PLACE = 0.5;

/** The first end, when the second one is still to be clicked. */
let first: Point | null = null;

const middleOf = (end: Float32Array): Point => [0, 1, 2].map((axis) => (end[axis]! + end[axis + 3]!) / 2) as Point;

/** The mesh that has the links of the page, and which of its own links the bake closed. */
let linked: { mesh: NavMesh; closed: Set<number> } | null = null;

/**
 * Puts the drawn links into the mesh that is shown, and shuts those that are shut. They have other
 * numbers then; one that is selected stays so.
 */
export function addLinks(): void {
  const { mesh, selected } = state;
  if (!mesh) return;
  const drawn = selected?.kind === "link" ? drawnLink(selected.index) : null;
  const isNew = linked?.mesh !== mesh;
  if (isNew) linked = { mesh, closed: new Set(mesh.links.filter(({ isOpen }) => !isOpen).map(({ id }) => id)) };
  for (const { id, start } of mesh.links) {
    const isShut = state.shut.some((place) => distance(place, middleOf(start)) < SAME_PLACE);
    mesh.setLinkOpen(id, !isShut && !linked!.closed.has(id));
  }
  let lost = 0;
  state.linkIds = state.links.map(({ from, to, ...options }) => {
    try {
      return mesh.addLink(from, to, options);
    } catch {
      lost += 1;
      return null;
    }
  });
  if (lost > 0) complain(`${lost} of ${state.links.length} links have no ground at their ends`);
  if (selected?.kind !== "link") return;
  const id = drawn ? state.linkIds[state.links.indexOf(drawn)] : isNew ? null : selected.index;
  state.selected = id === null || id === undefined ? null : { kind: "link", index: id };
}

/** Takes the drawn links out of the mesh and puts them in again, as they are now. */
export function changeLinks(): void {
  const { mesh } = state;
  if (!mesh) return;
  for (const id of state.linkIds) if (id !== null) mesh.removeLink(id);
  addLinks();
  drawLinks(view, mesh);
  tell("mesh");
  tell("edit");
}

function preview(): void {
  view.put("linking", ...(first ? [view.lines([...first, first[0], first[1] + 1, first[2]], 0xc2571a, 4)] : []));
}

/** Begins or ends a link. */
export function clickLink(at: Point): void {
  if (!state.mesh) {
    complain("links need ground at their ends: there is no mesh yet");
    return;
  }
  if (!first) {
    first = at;
    preview();
    hint("Click where the link leads. Escape ends it.");
    return;
  }
  const kind = find<HTMLSelectElement>("#link-kind").value;
  const link: DrawnLink = { from: first, to: at, kind, bothWays: !find<HTMLInputElement>("#link-one-way").checked, isOpen: true, extraCost: 0 };
  dropLink();
  try {
    const { from, to, ...options } = link;
    state.mesh.removeLink(state.mesh.addLink(from, to, options));
  } catch (error) {
    complain(error);
    return;
  }
  state.links.push(link);
  changeLinks();
  select({ kind: "link", index: state.linkIds.at(-1)! });
}

/** Forgets the end that was clicked. */
export function dropLink(): void {
  first = null;
  hint();
  preview();
}

/** The drawn link with a number in the mesh, if it is one. */
export function drawnLink(id: number): DrawnLink | null {
  const index = state.linkIds.indexOf(id);
  return index < 0 ? null : state.links[index]!;
}

export function removeLink(id: number): void {
  const index = state.linkIds.indexOf(id);
  if (index < 0) {
    complain("this link was found by the bake: select it to close it");
    return;
  }
  state.mesh?.removeLink(id);
  state.links.splice(index, 1);
  state.linkIds.splice(index, 1);
  changeLinks();
}

/** Opens or shuts a link, over all bakes that come. */
export function openLink(id: number, isOpen: boolean): void {
  const { mesh } = state;
  const link = mesh?.links.find((link) => link.id === id);
  if (!mesh || !link) return;
  const drawn = drawnLink(id);
  if (drawn) drawn.isOpen = isOpen;
  else {
    linked?.closed.delete(id);
    const at = middleOf(link.start);
    state.shut = state.shut.filter((place) => distance(place, at) >= SAME_PLACE);
    if (!isOpen) state.shut.push(at);
  }
  mesh.setLinkOpen(id, isOpen);
  drawLinks(view, mesh);
  tell("mesh");
  tell("edit");
}

/** The link nearest to a place of the page, within some pixels. */
export function linkAt({ clientX, clientY }: { clientX: number; clientY: number }, pixels: number): number | null {
  let best: { id: number; away: number } | null = null;
  for (const link of state.mesh?.links ?? []) {
    const bow = bowOf(link).map((point) => new THREE.Vector2(...view.project(point.toArray())));
    const at = new THREE.Vector2(clientX, clientY);
    for (let part = 0; part + 1 < bow.length; part += 1) {
      const [a, along] = [bow[part]!, bow[part + 1]!.clone().sub(bow[part]!)];
      const share = Math.min(Math.max(at.clone().sub(a).dot(along) / Math.max(along.lengthSq(), 1e-9), 0), 1);
      const away = at.distanceTo(a.clone().addScaledVector(along, share));
      if (away <= pixels && (best === null || away < best.away)) best = { id: link.id, away };
    }
  }
  return best?.id ?? null;
}
