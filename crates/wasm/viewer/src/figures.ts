// The table of figures.
import type { NavMesh } from "waymesh";
import type { Made } from "./messages";
import { make } from "./page";

/** A mesh, and what is known of its bake. */
interface Shown {
  mesh: NavMesh | null;
  made: Made | null;
}

function rows({ mesh, made }: Shown): [string, string][] {
  const found: [string, string][] = [];
  const { report } = made ?? { report: null };
  if (report) found.push(["triangles of the scene", String(report.triangles)]);
  if (mesh) {
    found.push(["polygons", String(mesh.polygonCount)], ["portals", String(mesh.portalCount)], ["islands", String(mesh.islandCount)]);
    found.push(["links", String(mesh.links.length)], ["ground", `${mesh.area.toFixed(1)} m²`]);
    found.push(["file", `${(mesh.toBytes("wmesh").length / 1000).toFixed(1)} kB`]);
  }
  if (report) {
    for (const { name, seconds } of report.stages) found.push([name, `${(1000 * seconds).toFixed(0)} ms`]);
    report.warnings.forEach((warning, index) => found.push([index === 0 ? "note" : `note ${index + 1}`, warning]));
  }
  if (made) {
    found.push(["all of it", `${(1000 * made.seconds).toFixed(0)} ms`]);
    if (made.rebuilt !== null) found.push(["tiles built again", String(made.rebuilt)]);
  }
  return found;
}

/** Shows the figures, beside those that were kept. */
export function figures(table: HTMLElement, now: Shown, kept: Shown | null): void {
  const before = new Map(kept && kept.made !== now.made ? rows(kept) : []);
  const head = before.size > 0 ? [make("tr", {}, ...["", "kept", "now"].map((text) => make("th", { textContent: text })))] : [];
  const cell = (text: string) => make("td", { textContent: text });
  const lines = rows(now).map(([name, value]) => make("tr", {}, cell(name), ...(before.size > 0 ? [cell(before.get(name) ?? "")] : []), cell(value)));
  table.replaceChildren(...head, ...lines);
}
