// The table of figures.
import type { NavMesh } from "waymesh";
import type { Made } from "./messages";

function rows(mesh: NavMesh | null, made: Made | null): [string, string][] {
  const found: [string, string][] = [];
  const { report } = made ?? { report: null };
  if (report) found.push(["triangles of the scene", String(report.triangles)]);
  if (mesh) {
    found.push(["polygons", String(mesh.polygonCount)], ["portals", String(mesh.portalCount)], ["islands", String(mesh.islandCount)]);
    found.push(["links", String(mesh.links.length)], ["ground", `${mesh.area.toFixed(1)} m²`]);
    found.push(["file", `${(mesh.toBytes("wmesh").length / 1024).toFixed(1)} kB`]);
  }
  if (report) {
    for (const { name, seconds } of report.stages) found.push([name, `${(1000 * seconds).toFixed(0)} ms`]);
    for (const warning of report.warnings) found.push(["note", warning]);
  }
  if (made) {
    found.push(["all of it", `${(1000 * made.seconds).toFixed(0)} ms`]);
    if (made.rebuilt !== null) found.push(["tiles built again", String(made.rebuilt)]);
  }
  return found;
}

/** Shows the figures, beside those that were kept. */
export function figures(table: HTMLElement, mesh: NavMesh | null, made: Made | null, kept: Made | null | undefined): void {
  const now = rows(mesh, made);
  table.replaceChildren();
  let before = new Map<string, string>();
  if (kept && kept !== made) {
    before = new Map(Object.entries(keptRows(kept)));
    const head = document.createElement("tr");
    for (const text of ["", "kept", "now"]) head.append(Object.assign(document.createElement("th"), { textContent: text }));
    table.append(head);
  }
  for (const [name, value] of now) {
    const row = document.createElement("tr");
    row.append(Object.assign(document.createElement("td"), { textContent: name }));
    if (before.size > 0) row.append(Object.assign(document.createElement("td"), { textContent: before.get(name) ?? "" }));
    row.append(Object.assign(document.createElement("td"), { textContent: value }));
    table.append(row);
  }
}

function keptRows(kept: Made): Record<string, string> {
  const { report } = kept;
  const found: Record<string, string> = { "all of it": `${(1000 * kept.seconds).toFixed(0)} ms` };
  if (!report) return found;
  Object.assign(found, { polygons: String(report.polygons), portals: String(report.portals), links: String(report.links) });
  Object.assign(found, { islands: String(report.islands.length), ground: `${report.mesh_area.toFixed(1)} m²` });
  for (const { name, seconds } of report.stages) found[name] = `${(1000 * seconds).toFixed(0)} ms`;
  return found;
}
