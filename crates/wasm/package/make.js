// Makes the objects that queries return: one call from the module for each, not one for each field.

const OUTCOMES = ["complete", "partial", "unreachable", "undecided", "off-mesh"];

/** A `Path`; its arrays are copied out of the module's memory. */
export function path(outcome, points, polygons, links, length, cost, wasCut, searched) {
  const made = { outcome: OUTCOMES[outcome], points: points.slice(), polygons: polygons.slice(), links: links ?? [], length, cost, wasCut };
  if (searched !== undefined) made.searched = searched;
  return made;
}

/** Copies points into an array of the caller, as many as fit. */
export function fill(out, points) {
  out.set(points.length <= out.length ? points : points.subarray(0, out.length - (out.length % 3)));
}
