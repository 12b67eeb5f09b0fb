// What a click of the tool that is chosen does, beside its options.
import { find } from "./page";
import { tool } from "./state";

const HINTS: Record<string, string> = {
  path: "",
  measure: "Click two places.",
  why: "Click a place to know why it is not walkable.",
  select: "Click what you want to know or to change: a thing, a link, a polygon, an agent.",
  obstacle: "Click the ground. Drag what stands there; its fields are under Edit.",
  area: "Drag over the ground, or click corners.",
  link: "Click where a link begins, and where it leads.",
  seed: "Click the ground: what cannot be reached from such places is left out.",
  send: "Click an agent, then where it is to go.",
  erase: "Click what is to be removed.",
};

/** Says what is to be clicked next, or what the tool does. */
export function hint(text = ""): void {
  find("#tool-hint").textContent = text || (HINTS[tool()] ?? "");
}
