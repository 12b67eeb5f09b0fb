// Explains why a place is not walkable, or why no path joins two places, and offers the settings
// that change it.
import type { Remedy } from "waymesh";
import { job, settings, settled } from "./bakes";
import type { Explanation } from "./messages";
import { readAgain } from "./open";
import { button, complain, find, make } from "./page";
import type { Point } from "./project";
import { isPlan, knobs, state, when } from "./state";

/** Only bakes of voxels of a scene are explained. */
export const canExplain = () => state.source !== null && !isPlan() && settings().pipeline === undefined;

const list = () => find("#why");

/** A line of the answer, with a button for its setting if there is a knob for it. */
function line(text: string, remedy: Remedy | null): HTMLElement {
  const place = make("li", {}, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  if (!remedy) return place;
  const { setting } = remedy;
  const value = setting === "jumps" ? true : remedy.to;
  if (knobs.can(setting) && ["number", "boolean", "string"].includes(typeof value)) {
    const name = setting.replaceAll("_", " ");
    place.append(" ", button(setting === "jumps" ? "Look for jumps" : `Set ${name} to ${value}`, () => knobs.turn(setting, value as number | boolean | string)));
  } else if (setting === "winding") {
    place.append(" ", button("Count both sides", () => void readAgain({ ...state.load, winding: "two_sided" })));
  }
  return place;
}

function lines(found: Explanation): HTMLElement[] {
  if ("reasons" in found) {
    if (found.is_walkable) return [line("this place is walkable", null)];
    const reasons = found.reasons.map(({ remedy }, index) => line(found.causes[index]!, remedy));
    const checked = found.is_checked ? "checked: with all of this a bake has ground here" : "no setting brings ground here";
    return [...reasons, line(checked, null)];
  }
  // The causes of the ends come first.
  let cause = found.from.reasons.length + found.to.reasons.length;
  const ways = found.ways.map(({ remedy, length, cause: has }) => {
    const where = has ? `, where ${found.causes[cause++]}` : "";
    return line(`a path of ${length.toFixed(1)} m${where}`, remedy);
  });
  if (found.length !== null) return [line(`a path of ${found.length.toFixed(1)} m joins the places`, null)];
  if (ways.length > 0) return ways;
  const { gap } = found;
  const apart = gap ? `; the pieces of ground are ${gap.distance.toFixed(2)} m apart in plan, ${gap.without_ground.toFixed(2)} m of it without ground, ${gap.rise.toFixed(2)} m in height` : "";
  return [line(`no single setting joins the places${apart}`, null)];
}

/** Number of the newest question: answers to those before it come too late. */
let newest = 0;

/** Takes the answer away, as the places are others. */
export function forgetAnswer(): void {
  newest += 1;
  list().replaceChildren();
}

/** Explains a place, or why no path leads from it to another. */
export async function explain(at: Point, to: Point | null): Promise<void> {
  if (!canExplain()) {
    complain("only bakes of voxels of a scene are explained, not those of floor plans, other pipelines or files");
    return;
  }
  const own = ++newest;
  list().replaceChildren(line("the place is looked into", null));
  await settled();
  const given = settings();
  const found = own === newest ? await job((baker) => baker.why(at, to, given)) : null;
  if (own !== newest) return;
  if (!found) {
    forgetAnswer();
    return;
  }
  complain(null);
  list().replaceChildren(...lines(found));
  if (state.things.some(({ kind }) => kind === "obstacle")) list().append(line("obstacles are left out of account", null));
}

export function listenToWhy(): void {
  find("#why-path").addEventListener("click", () => {
    const [from, to] = state.points;
    if (from && to) void explain(from, to);
  });
  when("mesh", forgetAnswer);
  when("source", forgetAnswer);
}
