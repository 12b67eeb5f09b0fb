// Which layers are on, and the height above which everything is cut off.
import { stages } from "./bakes";
import { LAYERS, STAGE_LAYERS } from "./layers";
import { find } from "./page";
import { search } from "./path";
import { remember, shown, view } from "./state";

export function makeSwitches(): void {
  const place = find("#layers");
  for (const [name, text] of LAYERS) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: shown.has(name), value: name });
    box.addEventListener("change", () => {
      if (box.checked) shown.add(name);
      else shown.delete(name);
      view.layer(name).visible = box.checked;
      view.draw();
      remember();
      if (STAGE_LAYERS.includes(name)) void stages();
      if (name === "searched") search();
    });
    view.layer(name).visible = box.checked;
    label.append(box, text);
    place.append(label);
  }
}

/** Cuts off what is above the height of the slider. */
export function peel(): void {
  const share = Number(find<HTMLInputElement>("#peel").value);
  const { min, max } = view.bounds;
  const height = min.y + share * (max.y - min.y);
  view.peel(share >= 1 || view.bounds.isEmpty() ? 1e9 : height);
  find("#peel-value").textContent = share >= 1 ? "all" : `${height.toFixed(2)}`;
}
