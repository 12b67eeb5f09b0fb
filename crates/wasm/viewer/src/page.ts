// The elements of the page, and what it says when something goes wrong.
import { Ended } from "./baker";

export function find<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** An element with properties and content. */
export function make<K extends keyof HTMLElementTagNameMap>(name: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

export function button(text: string, run: () => void, label?: string): HTMLButtonElement {
  const made = make("button", { type: "button", textContent: text });
  if (label !== undefined) made.setAttribute("aria-label", label);
  made.addEventListener("click", run);
  return made;
}

/**
 * A field for a number, with its name. `change` gets what is typed, and nothing for what is no
 * number.
 */
export function numberField(name: string, value: number, change: (value: number) => void, limits: { min?: number; max?: number } = {}): HTMLLabelElement {
  const field = make("input", { type: "number", step: "any", value: String(Math.round(value * 1000) / 1000), autocomplete: "off" });
  if (limits.min !== undefined) field.min = String(limits.min);
  if (limits.max !== undefined) field.max = String(limits.max);
  field.addEventListener("change", () => {
    const given = field.valueAsNumber;
    if (Number.isFinite(given) && given >= (limits.min ?? -Infinity) && given <= (limits.max ?? Infinity)) change(given);
    else complain(`${name} is ${field.value || "empty"}, but must be a number${limits.min === undefined ? "" : ` from ${limits.min}`}${limits.max === undefined ? "" : ` to ${limits.max}`}`);
  });
  return make("label", { className: "field" }, name, field);
}

function sentence(text: string): string {
  // A name of a file or a setting stays as it is.
  const first = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() : text.charAt(0);
  return `${first}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** What an error means for who clicked. */
export function said(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [, end] = /no mesh near the (start|goal)/.exec(text) ?? [];
  return end ? `The ${end} is not on the mesh: click a coloured place, or ask with the tool Why not?` : text;
}

/**
 * Says what went wrong, as a sentence, until it is called with `null` or closed. A job that was
 * ended says nothing.
 */
export function complain(error: unknown): void {
  const place = find("#error");
  if (error === null || error instanceof Ended) {
    if (error === null) place.hidden = true;
    return;
  }
  find("#error-text").textContent = sentence(said(error));
  place.hidden = false;
}

/** Advice with buttons; each closes it. */
export function advise(text: string, actions: [string, () => void][]): void {
  const note = make("div", { className: "note" }, make("span", { textContent: sentence(text) }));
  for (const [name, run] of actions) {
    note.append(button(name, () => {
      note.remove();
      run();
    }));
  }
  note.append(button("×", () => note.remove(), "Close"));
  find("#notes").append(note);
}

export function forgetAdvice(): void {
  find("#notes").replaceChildren();
}

/** Shows that a job of the worker runs, or that none does. */
export function busy(is: boolean): void {
  find("#progress").hidden = find("#cancel").hidden = !is;
  find<HTMLButtonElement>("#rebake").hidden = is;
  if (!is) find("#stage").textContent = "";
  document.body.classList.toggle("busy", is);
}

/** Shows a panel; on a small screen it stays folded if it is not opened. */
export function showTab(name: string, isOpened = true): void {
  for (const tab of document.querySelectorAll<HTMLElement>("#tabs [role=tab]")) {
    tab.setAttribute("aria-selected", String(tab.dataset["tab"] === name));
    tab.tabIndex = tab.dataset["tab"] === name ? 0 : -1;
  }
  for (const panel of document.querySelectorAll<HTMLElement>("[data-panel]")) panel.hidden = panel.dataset["panel"] !== name;
  if (isOpened) document.body.classList.remove("folded");
}

/**
 * Tabs, by click and arrow keys. On a small screen a click on the tab that is open folds the
 * panel.
 */
export function listenToTabs(): void {
  const tabs = [...document.querySelectorAll<HTMLElement>("#tabs [role=tab]")];
  for (const [index, tab] of tabs.entries()) {
    const name = tab.dataset["tab"]!;
    tab.addEventListener("click", () => {
      const isOpen = tab.getAttribute("aria-selected") === "true" && !document.body.classList.contains("folded");
      showTab(name);
      if (isOpen) document.body.classList.add("folded");
    });
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const next = tabs[(index + step + tabs.length) % tabs.length]!;
      showTab(next.dataset["tab"]!);
      next.focus();
    });
  }
  find("#error-close").addEventListener("click", () => complain(null));
}
