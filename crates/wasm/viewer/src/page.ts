// The elements of the page, and what it says when something goes wrong.
import { Ended } from "./baker";

export function find<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * Says what went wrong, as a sentence, until it is called with `null`. A job that was ended says
 * nothing.
 */
export function complain(error: unknown): void {
  const place = find("#error");
  if (error === null || error instanceof Ended) {
    if (error === null) place.hidden = true;
    return;
  }
  const text = error instanceof Error ? error.message : String(error);
  // A name of a file or a setting stays as it is.
  const first = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() : text.charAt(0);
  place.textContent = `${first}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
  place.hidden = false;
}

/** Shows that a job of the worker runs, or that none does. */
export function busy(is: boolean): void {
  find("#progress").hidden = find("#cancel").hidden = !is;
  find<HTMLButtonElement>("#rebake").hidden = is;
  if (!is) find("#stage").textContent = "";
  document.body.classList.toggle("busy", is);
}
