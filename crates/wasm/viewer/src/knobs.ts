// A knob for every setting, made of the package's own description.
import { describeSettings } from "waymesh";
import type { SettingInfo, SettingType } from "waymesh";
import type { AnySettings } from "./messages";
import { make } from "./page";

/** Those of the agent, in their panel. */
const AGENT = ["agent_radius", "agent_height", "max_step", "max_slope", "max_ledge", "height_classes"];
/** Those of the bake that a newcomer turns first. */
const FIRST = ["cell_size", "level_height"];
/** Those that mean nothing in a page, or that no knob can show. */
const HIDDEN = ["threads", "max_memory_bytes", "tile_cells"];
/** Usual agents; others are typed. */
const AGENTS = ["recast", "person", "crouched", "wheelchair", "robot:0.25", "vehicle:2"];

/** Structures that a knob shows some of. */
const SHOWN_AS: Record<string, { type: SettingType; more?: string }> = {
  keep: { type: { kind: "choice", choices: ["all", "largest"] }, more: " Places are put down with the tool Seed." },
  jumps: { type: { kind: "flag" } },
};

type PipelineName = Parameters<typeof describeSettings>[0];
type Value = number | boolean | string;

function words(name: string): string {
  return name.replace("jumps.", "").replaceAll("_", " ");
}

export class Knobs {
  /** What was turned; settings of jumps are `jumps.NAME`. */
  #values = new Map<string, Value>();
  #infos: SettingInfo[] = [];
  #pipeline: PipelineName = "voxels";

  constructor(
    private readonly agent: HTMLElement,
    private readonly root: HTMLElement,
    private readonly note: HTMLElement,
    private readonly turned: () => void,
  ) {}

  /** Shows the knobs of a pipeline. Values that it has keep. */
  show(pipeline: PipelineName): void {
    this.#pipeline = pipeline;
    this.#infos = describeSettings(pipeline).map(({ name, group, about, ...info }) => {
      const { type = info.type, more = "" } = SHOWN_AS[name] ?? {};
      return { ...info, group, type, about: about + more, name: group === "jumps" ? `jumps.${name}` : name };
    });
    const isOpen = this.root.querySelector("details")?.open ?? false;
    this.agent.replaceChildren(...this.#preset());
    this.root.replaceChildren();
    const more = make("details", { open: isOpen }, make("summary", { textContent: "More settings" }));
    const shown = this.#infos.filter(({ name, type }) => !HIDDEN.includes(name) && type.kind !== "structure" && type.kind !== "text");
    const order = [...AGENT, ...FIRST];
    // The knobs of jumps follow the one that turns them on.
    const rank = ({ name }: SettingInfo) => (order.includes(name) ? order.indexOf(name) : order.length + (name === "jumps" ? 1 : 0));
    const [jumps, others] = [true, false].map((is) => shown.filter(({ group }) => (group === "jumps") === is)) as [SettingInfo[], SettingInfo[]];
    for (const info of others.toSorted((a, b) => rank(a) - rank(b))) {
      const isFirst = FIRST.includes(info.name) || info.group !== "bake";
      const place = AGENT.includes(info.name) ? this.agent : isFirst ? this.root : more;
      place.append(...this.#knob(info));
    }
    if (this.#values.has("jumps")) more.append(...jumps.flatMap((info) => this.#knob(info)));
    this.root.append(more);
    const left = [...this.#values.keys()].filter((name) => !this.#has(name));
    this.note.textContent = left.length > 0 ? `Not with this pipeline: ${left.map(words).join(", ")}.` : "";
  }

  #info(name: string): SettingInfo | undefined {
    return this.#infos.find((info) => info.name === name);
  }

  #has(name: string): boolean {
    const info = this.#info(name);
    return info !== undefined && info.refused === null && (info.group !== "jumps" || this.#has("jumps"));
  }

  /** What was turned, for the pipeline that is shown. */
  get settings(): AnySettings {
    const given: Record<string, unknown> = {};
    const jumps: Record<string, unknown> = {};
    for (const [name, value] of this.#values) {
      if (!this.#has(name)) continue;
      if (name.startsWith("jumps.")) jumps[name.slice("jumps.".length)] = value;
      else given[name] = name === "jumps" ? jumps : value;
    }
    if (this.#pipeline !== "plans" && this.#pipeline !== "voxels") given["pipeline"] = this.#pipeline;
    return given as AnySettings;
  }

  /** Turns knobs as a link or a file says. Returns the names of those that have no knob. */
  restore(given: Record<string, unknown>, pipeline = this.#pipeline): string[] {
    this.#values.clear();
    const left: string[] = [];
    for (const [name, value] of Object.entries(given)) {
      if (name === "jumps" && value !== false) {
        this.#values.set(name, true);
        if (typeof value === "object") for (const [own, part] of Object.entries(value ?? {})) this.#values.set(`jumps.${own}`, part as Value);
      } else if (name !== "pipeline" && ["number", "boolean", "string"].includes(typeof value)) this.#values.set(name, value as Value);
      else if (!["pipeline", "jumps"].includes(name)) left.push(words(name));
    }
    this.show(pipeline);
    return left;
  }

  /** `true` if the pipeline that is shown has a setting of this name with a knob. */
  can(name: string): boolean {
    return this.#infos.some((info) => info.name === name && info.refused === null && info.type.kind !== "structure");
  }

  /** Turns one knob. */
  turn(name: string, value: Value | null): void {
    if (value === null) this.#values.delete(name);
    else this.#values.set(name, value);
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

  /** A usual agent sets the other knobs that are not turned. */
  #preset(): HTMLElement[] {
    const info = this.#info("agent");
    if (!info) return [];
    const now = String(this.#values.get("agent") ?? "");
    const field = make("input", { type: "text", value: now, placeholder: "recast", autocomplete: "off", spellcheck: false });
    field.setAttribute("list", "agents");
    field.addEventListener("change", () => this.turn("agent", field.value.trim() || null));
    const agents = make("datalist", { id: "agents" }, ...AGENTS.map((name) => make("option", { value: name })));
    const knob = make("label", { className: "knob wide" }, make("span", { textContent: "agent" }), field, agents);
    knob.dataset["knob"] = "agent";
    knob.classList.toggle("changed", now !== "");
    return [knob, make("p", { className: "about", textContent: info.about })];
  }

  #knob({ name, type, about, default: standard, refused }: SettingInfo): HTMLElement[] {
    const title = make("span", { textContent: words(name) });
    const knob = make("label", { className: "knob" }, title);
    knob.dataset["knob"] = name;
    knob.classList.toggle("changed", this.#values.has(name));
    knob.classList.toggle("refused", refused !== null);
    const disabled = refused !== null;
    // An agent that was chosen sets what is not turned.
    const isAuto = standard === null || (this.#values.has("agent") && !this.#values.has(name) && (AGENT.includes(name) || FIRST.includes(name)));
    const value = this.#values.get(name) ?? (isAuto ? null : standard);
    if (type.kind === "flag") {
      const input = make("input", { type: "checkbox", disabled, checked: value === true });
      input.addEventListener("change", () => (name === "jumps" ? this.turn(name, input.checked || null) : this.#set(name, input.checked, knob, standard)));
      knob.append(input);
    } else if (type.kind === "choice") {
      const select = make("select", { disabled }, ...type.choices.map((choice) => new Option(words(choice), choice, false, choice === value)));
      select.addEventListener("change", () => this.#set(name, select.value, knob, standard));
      knob.append(select);
    } else if (type.kind === "number" || type.kind === "count") {
      const unit = type.kind === "number" ? type.unit : "";
      const step = type.kind === "number" ? type.step : 1;
      title.append(" ", make("small", { textContent: unit === "m2" ? "m²" : unit }));
      const range = make("input", { type: "range", disabled, min: String(type.low), max: String(type.high), step: String(step) });
      const box = make("input", { type: "number", disabled, step: "any" });
      if (value === null) {
        box.placeholder = "auto";
        range.value = String(type.low);
      } else range.value = box.value = String(value);
      range.setAttribute("aria-label", words(name));
      box.setAttribute("aria-label", `${words(name)}, as a number`);
      range.addEventListener("input", () => {
        box.value = range.value;
        this.#set(name, Number(range.value), knob, isAuto ? null : standard);
      });
      box.addEventListener("change", () => {
        const given = box.value === "" ? NaN : Number(box.value);
        if (!Number.isNaN(given)) range.value = box.value;
        this.#set(name, given, knob, isAuto ? null : standard);
      });
      knob.append(range, box);
    }
    return [knob, make("p", { className: "about", textContent: refused === null ? about : `Not here: ${refused}.` })];
  }
}
