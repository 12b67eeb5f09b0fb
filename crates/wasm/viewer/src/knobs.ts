// A knob for every setting, made of the package's own description.
import { describeSettings } from "waymesh";
import type { SettingInfo } from "waymesh";
import type { AnySettings } from "./messages";

/** Those that a newcomer turns first. */
const FIRST = ["agent_radius", "agent_height", "max_step", "max_slope", "cell_size", "level_height"];
/** Those that mean nothing in a page, or that no knob can show. */
const HIDDEN = ["threads", "max_memory_bytes", "folder", "spill_folder"];

type PipelineName = Parameters<typeof describeSettings>[0];
type Value = number | boolean | string;

function words(name: string): string {
  return name.replaceAll("_", " ");
}

export class Knobs {
  #values = new Map<string, Value>();
  #infos: SettingInfo[] = [];
  #pipeline: PipelineName = "voxels";

  constructor(
    private readonly root: HTMLElement,
    private readonly note: HTMLElement,
    private readonly turned: () => void,
  ) {}

  /** Shows the knobs of a pipeline. Values that it has keep. */
  show(pipeline: PipelineName): void {
    this.#pipeline = pipeline;
    this.#infos = describeSettings(pipeline);
    this.root.replaceChildren();
    const shown = this.#infos.filter(({ name, type, group }) => {
      return group !== "jumps" && !HIDDEN.includes(name) && type.kind !== "structure" && type.kind !== "text";
    });
    const more = document.createElement("details");
    more.append(Object.assign(document.createElement("summary"), { textContent: "More settings" }));
    for (const info of shown) {
      const place = FIRST.includes(info.name) || (info.group !== "bake" && info.type.kind !== "structure") ? this.root : more;
      place.append(...this.#knob(info));
    }
    more.append(...this.#jumps());
    this.root.append(more);
    for (const name of FIRST.toReversed()) {
      const knob = this.root.querySelector(`[data-knob="${name}"]`);
      const about = knob?.nextElementSibling;
      if (knob && about) this.root.prepend(knob, about);
    }
    const left = [...this.#values.keys()].filter((name) => !this.#has(name));
    this.note.textContent = left.length > 0 ? `Not with this pipeline: ${left.map(words).join(", ")}.` : "";
  }

  #has(name: string): boolean {
    return name === "jumps" || this.#infos.some((info) => info.name === name && info.group !== "jumps" && info.refused === null);
  }

  /** What was turned, for the pipeline that is shown. */
  get settings(): AnySettings {
    const given: Record<string, unknown> = {};
    for (const [name, value] of this.#values) {
      if (this.#has(name)) given[name] = name === "jumps" ? {} : value;
    }
    if (this.#pipeline !== "plans" && this.#pipeline !== "voxels") given["pipeline"] = this.#pipeline;
    return given as AnySettings;
  }

  /** Turns knobs as a link says. Names and values that are no settings are left out. */
  restore(given: Record<string, unknown>): void {
    this.#values.clear();
    for (const [name, value] of Object.entries(given)) {
      if (name === "jumps") this.#values.set(name, true);
      else if (["number", "boolean", "string"].includes(typeof value)) this.#values.set(name, value as Value);
    }
    this.show(this.#pipeline);
  }

  /** `true` if the pipeline that is shown has a setting of this name with a knob. */
  can(name: string): boolean {
    return name === "jumps" ? this.#has(name) : this.#infos.some((info) => info.name === name && info.refused === null && info.type.kind !== "structure");
  }

  /** Turns one knob. */
  turn(name: string, value: Value): void {
    this.#values.set(name, value);
    this.show(this.#pipeline);
    this.turned();
  }

  reset(): void {
    this.#values.clear();
    this.show(this.#pipeline);
    this.turned();
  }

  #set(name: string, value: Value, knob: HTMLElement, standard: unknown): void {
    if (value === standard || Number.isNaN(value)) this.#values.delete(name);
    else this.#values.set(name, value);
    knob.classList.toggle("changed", this.#values.has(name));
    this.turned();
  }

  #jumps(): HTMLElement[] {
    const knob = document.createElement("label");
    knob.className = "knob";
    const title = Object.assign(document.createElement("span"), { textContent: "jumps" });
    const input = Object.assign(document.createElement("input"), { type: "checkbox" });
    input.checked = this.#values.has("jumps");
    input.disabled = this.#infos.some(({ name, refused }) => name === "jumps" && refused !== null);
    input.addEventListener("change", () => this.#set("jumps", input.checked, knob, false));
    knob.append(title, input);
    const about = document.createElement("p");
    about.className = "about";
    about.textContent = this.#infos.find(({ name }) => name === "jumps")?.about ?? "";
    return [knob, about];
  }

  #knob({ name, type, about, default: standard, refused }: SettingInfo): HTMLElement[] {
    const knob = document.createElement("label");
    knob.className = "knob";
    knob.dataset["knob"] = name;
    knob.classList.toggle("changed", this.#values.has(name));
    knob.classList.toggle("refused", refused !== null);
    const title = document.createElement("span");
    title.textContent = words(name);
    knob.append(title);
    const value = this.#values.get(name) ?? (standard as Value | null);
    const disabled = refused !== null;
    if (type.kind === "flag") {
      const input = Object.assign(document.createElement("input"), { type: "checkbox", disabled });
      input.checked = value === true;
      input.addEventListener("change", () => this.#set(name, input.checked, knob, standard));
      knob.append(input);
    } else if (type.kind === "choice") {
      const select = Object.assign(document.createElement("select"), { disabled });
      for (const choice of type.choices) select.append(new Option(words(choice), choice, false, choice === value));
      select.addEventListener("change", () => this.#set(name, select.value, knob, standard));
      knob.append(select);
    } else if (type.kind === "number" || type.kind === "count") {
      const unit = type.kind === "number" ? type.unit : "";
      const step = type.kind === "number" ? type.step : 1;
      title.append(" ", Object.assign(document.createElement("small"), { textContent: unit === "m2" ? "m²" : unit }));
      const range = Object.assign(document.createElement("input"), { type: "range", disabled });
      Object.assign(range, { min: String(type.low), max: String(type.high), step: String(step) });
      const box = Object.assign(document.createElement("input"), { type: "number", disabled, step: "any" });
      if (value === null) {
        box.placeholder = "auto";
        range.value = String(type.low);
      } else range.value = box.value = String(value);
      range.setAttribute("aria-label", words(name));
      box.setAttribute("aria-label", `${words(name)}, as a number`);
      range.addEventListener("input", () => {
        box.value = range.value;
        this.#set(name, Number(range.value), knob, standard);
      });
      box.addEventListener("change", () => {
        const given = box.value === "" ? NaN : Number(box.value);
        if (!Number.isNaN(given)) range.value = box.value;
        this.#set(name, given, knob, standard);
      });
      knob.append(range, box);
    }
    const help = document.createElement("p");
    help.className = "about";
    help.textContent = refused === null ? about : `Not here: ${refused}.`;
    return [knob, help];
  }
}
