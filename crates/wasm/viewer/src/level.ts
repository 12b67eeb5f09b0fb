// How the file of the level is read: its axis, its unit, its sides, and what its materials cost.
import { button, complain, find, make } from "./page";
import { materialsOf } from "./convert";
import { readAgain } from "./open";
import type { Load } from "./messages";
import { readLoad } from "./project";
import { state, view, when } from "./state";

const field = (name: string) => find<HTMLInputElement | HTMLSelectElement>(`#load-${name}`);

/** A rule for one material, and what is typed besides. */
const ruleOf = (material: string, cost: number | null) => (cost === null ? `${material}=blocked` : `${material}=${material.replaceAll(/[:=]/g, " ")}:${cost}`);
const materialOf = (rule: string) => rule.slice(0, rule.lastIndexOf("="));

function load(): Load {
  const areaRules = find<HTMLTextAreaElement>("#load-rules").value.split("\n").map((rule) => rule.trim()).filter((rule) => rule !== "");
  return readLoad({ up: field("up").value, scale: Number(field("scale").value), winding: field("winding").value, areaRules });
}

function apply(): void {
  const scale = Number(field("scale").value);
  if (!(scale > 0 && Number.isFinite(scale))) complain(`metres per unit is ${field("scale").value || "empty"}, but must be a number above 0`);
  else void readAgain(load());
}

/** Gives a material its price; `undefined` takes it away. */
function setPrice(material: string, cost: number | null | undefined): void {
  const rules = find<HTMLTextAreaElement>("#load-rules");
  const others = rules.value.split("\n").filter((rule) => rule.trim() !== "" && materialOf(rule) !== material);
  rules.value = [...others, ...(cost === undefined ? [] : [ruleOf(material, cost)])].join("\n");
  apply();
}

function row(material: string, colour: string): HTMLElement {
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = colour;
  const rule = (state.load.areaRules ?? []).find((rule) => materialOf(rule) === material);
  const price = rule?.endsWith("=blocked") ? null : rule ? Number(rule.split(":").at(-1)) : undefined;
  const cost = make("input", { type: "number", min: "0", step: "any", placeholder: "1", value: typeof price === "number" ? String(price) : "", disabled: price === null });
  cost.setAttribute("aria-label", `Cost of a metre of ${material}`);
  cost.addEventListener("change", () => setPrice(material, cost.value === "" ? undefined : Math.max(cost.valueAsNumber, 0)));
  const blocked = make("input", { type: "checkbox", checked: price === null });
  blocked.addEventListener("change", () => setPrice(material, blocked.checked ? null : undefined));
  const place = make("li", {}, swatch, make("span", { className: "grow", textContent: material }), cost, make("label", {}, blocked, " blocked"));
  place.dataset["material"] = material;
  return place;
}

/** Shows how the level is read, and its materials. */
function showLevel(): void {
  const { source, load } = state;
  const isFile = source?.kind === "scene";
  find<HTMLFieldSetElement>("#load").disabled = !isFile;
  field("up").value = load.up ?? "y";
  field("scale").value = String(load.scale ?? 1);
  field("winding").value = load.winding ?? "as_read";
  find<HTMLTextAreaElement>("#load-rules").value = (load.areaRules ?? []).join("\n");
  const materials = isFile ? [...materialsOf(view.layer("scene"))] : [];
  find("#materials").replaceChildren(...materials.map(([name, colour]) => row(name, `#${colour.getHexString()}`)));
  find("#no-materials").hidden = materials.length > 0;
}

/** Shows the price of a material. */
export function showMaterial(material: string): void {
  const place = [...document.querySelectorAll<HTMLElement>("#materials li")].find((row) => row.dataset["material"] === material);
  place?.scrollIntoView({ block: "center" });
  place?.querySelector("input")?.focus();
}

/** The pieces of ground that are connected, the largest first; a click shows one. */
function showIslands(): void {
  const islands = state.made?.report?.islands ?? [];
  const all = islands.reduce((sum, { area }) => sum + area, 0);
  const rows = islands.slice(0, 50).map(({ area, place }, index) => {
    const share = ((100 * area) / Math.max(all, 1e-9)).toFixed(0);
    return make("li", {}, button(`${index + 1}: ${area.toFixed(1)} m², ${share} %`, () => view.lookAt(view.controls.target.clone().fromArray(place)), `Show piece ${index + 1}`));
  });
  find("#islands").replaceChildren(...rows);
  find("#islands-about").textContent = islands.length === 1 ? "All ground is connected." : islands.length === 0 ? "" : `${islands.length} pieces of ground are not connected. A click shows one${rows.length < islands.length ? ` of the ${rows.length} largest` : ""}.`;
}

export function listenToLevel(): void {
  for (const name of ["up", "scale", "winding"]) field(name).addEventListener("change", apply);
  find("#load-rules").addEventListener("change", apply);
  when("source", showLevel);
  when("baked", showIslands);
  when("source", () => find("#islands").replaceChildren());
}
