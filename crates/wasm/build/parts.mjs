// The parts that the module is cut into, and what is in each.
//
// Gates are named in Rust: `part_NAME_..` (see `src/parts.rs`). Methods of a class whose objects
// only a part makes are gates, too. Functions that are called through the table belong to the part
// whose crates and modules their names speak of. What several parts need is the core's, but for
// what one of them lends the others, who call it only when that part is there.

/** Tables of the core hold these: what settings there are. */
const NOT_OWN = "^(?!.*\\bfields::).*";

/** Names as they are in the module, without the hashes of crates. */
const part = (name, { exports, own, lends }) => ({ name, gates: new RegExp(`\\bpart_${name}_`), exports, own: new RegExp(`${NOT_OWN}(?:${own.source})`), lends });

export const PARTS = [
  part("files", { own: /\b(gltf|gltf_json|ply_rs_bw|peg_runtime|base64)::|\bwaymesh_io::(scene|svg|glb|obj|stl)\b/ }),
  part("storeys", { own: /\bwaymesh_storeys::|\bfront::storeys\b/ }),
  part("slices", { own: /\bwaymesh_slices::|\bfront::slices\b/ }),
  part("plans", {
    exports: /^(__wbg_)?plan_(?!read$|example$)/,
    own: /\b(waymesh_floorplan|i_overlay|i_float|i_tree|i_key_sort|i_shape|geo|geo_types|geojson|wkt|usvg|simplecss|tiny_skia_path|kurbo|strict_num|imagesize|data_url|roxmltree|svgtypes|toml|toml_parser|serde_spanned)::|\bfront::plan\b|\bworld::plan\b/,
  }),
  // A crowd calls it only after it has made what it calls it with.
  part("discs", { own: /\bwaymesh_graph::clearance\b/, lends: /\bwaymesh_graph::clearance\b|\bwaymesh_triangulate::clearance\b|\bwaymesh::clearance\b/ }),
  part("worlds", { exports: /^(__wbg_)?world_(?!new$)/, own: /\bwaymesh::world::(?!plan\b)/ }),
  part("crowd", { exports: /^(__wbg_)?crowd_(?!new$|inWorld$)/, own: /\bwaymesh_crowd::|\bwaymesh::crowd::/ }),
  part("evaluate", { own: /\bwaymesh_metrics::|\bwaymesh::evaluate::/ }),
  part("why", { own: /\bwaymesh::why::/ }),
  part("scenes", { own: /\bwaymesh_scenes::/ }),
];

/** What a module without parts has instead of their addresses. */
const header = "// The files of the parts, by their names: written by the build. In a worker that is\n// made of text there are none.\n";

/** The file that tells the package where its parts are. */
export function addresses(names) {
  const lines = names.map((name) => `  ${name}: () => new URL("./waymesh_${name}.wasm", import.meta.url),\n`);
  return `${header}export const FILES = {\n${lines.join("")}};\n`;
}
