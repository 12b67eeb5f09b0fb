//! glTF 2.0, as JSON or GLB.
//!
//! The container and the types of the JSON part come from the gltf crate. Its accessor iterators
//! are not used: they panic on counts of 0, short strides and sparse tables that end early, so
//! views into the buffers are checked and read here.
//!
//! Skins and morph targets are ignored: a level is read in its rest pose.

mod accessor;
mod buffer;

use std::collections::BTreeMap;

use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3, Vec3};
use gltf::Glb;
use gltf::json::mesh::{Mode, Primitive};
use gltf::json::scene::Node;
use gltf::json::validation::Checked;
use gltf::json::{Extras, Material, Mesh, Root, Value};
use waymesh_core::{DisjointSets, place_edges, to_u32};

use super::{SoupBuilder, Source, SurfaceNames, Winding, faces_down, push_strip, quoted, without_bom};
use crate::{IoError, Place};

/// Bytes of the header of a GLB file.
const GLB_HEADER: usize = 12;

/// Required extensions that change how a scene looks, not where its triangles are. Names that begin
/// so are let through.
const HARMLESS: [&str; 12] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "KHR_animation_",
    "KHR_audio",
    "EXT_texture_",
    "EXT_lights_",
    "EXT_materials_",
    "MSFT_texture_",
    "ADOBE_materials_",
];

/// Extensions that change geometry even where they are not required, because files with them have
/// no other geometry.
const WITHOUT_FALLBACK: [&str; 1] = ["EXT_mesh_gpu_instancing"];

/// Vertices that the accessors of a scene may hold together, for every byte of its files and in any
/// case: one takes 3 bytes at least, and some exporters give each primitive an accessor of all.
const VERTICES_PER_BYTE: u64 = 4;
const FREE_VERTICES: u64 = 1 << 20;

pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let (json, blob) = split(&source)?;
    let root = Root::from_slice(&json)
        .or_else(|error| geometry_of(&json).ok_or(error))
        .map_err(|error| source.syntax("JSON", error))?;
    let refused = root
        .extensions_required
        .iter()
        .find(|name| !HARMLESS.iter().any(|harmless| name.starts_with(harmless)))
        .or_else(|| root.extensions_used.iter().find(|name| WITHOUT_FALLBACK.contains(&name.as_str())));
    if let Some(extension) = refused {
        return Err(source.unsupported(format!("glTF extension {extension}")));
    }
    if !root.asset.version.starts_with("2.") {
        return Err(source.unsupported(format!("glTF version {:?}", root.asset.version)));
    }
    let buffers = buffer::Buffers::new(source, &root, blob);
    let bytes = buffers.file_bytes();
    let vertices_left = bytes.saturating_mul(VERTICES_PER_BYTE).saturating_add(FREE_VERTICES);
    let positions = BTreeMap::new();
    Reader { source, root: &root, buffers, positions, vertices_left, remap: Vec::new(), stamp: 0 }
        .read(bytes, builder)
}

type Parts<'a> = (std::borrow::Cow<'a, [u8]>, Option<std::borrow::Cow<'a, [u8]>>);

/// The parts of a document that geometry needs. The types of the crate require properties that
/// the specification does not: nodes of a scene, the image of a texture.
fn geometry_of(json: &[u8]) -> Option<Root> {
    const TABLES: [&str; 11] = [
        "accessors",
        "asset",
        "bufferViews",
        "buffers",
        "extensionsRequired",
        "extensionsUsed",
        "materials",
        "meshes",
        "nodes",
        "scene",
        "scenes",
    ];
    let keep = |value: &mut Value, names: &[&str]| {
        if let Some(object) = value.as_object_mut() {
            object.retain(|name, _| names.contains(&name.as_str()));
        }
    };
    let mut root: Value = gltf::json::deserialize::from_slice(json).ok()?;
    keep(&mut root, &TABLES);
    for scene in root.get_mut("scenes").and_then(Value::as_array_mut).into_iter().flatten() {
        scene.as_object_mut()?.entry("nodes").or_insert_with(|| Value::Array(Vec::new()));
    }
    for material in root.get_mut("materials").and_then(Value::as_array_mut).into_iter().flatten() {
        keep(material, &["name", "doubleSided", "extras"]);
    }
    gltf::json::deserialize::from_value(root).ok()
}

/// JSON and binary part of the file.
fn split<'a>(source: &Source<'a>) -> Result<Parts<'a>, IoError> {
    if !source.bytes.starts_with(b"glTF") {
        if !without_bom(source.bytes).trim_ascii_start().starts_with(b"{") {
            let expected = "\"glTF\" (a GLB file) or \"{\" (JSON)";
            let beginning = &source.bytes[..source.bytes.len().min(8)];
            return Err(source.malformed(Place::Byte(0), expected, quoted(beginning)));
        }
        return Ok((without_bom(source.bytes).into(), None));
    }
    let available = source.bytes.len() as u64;
    let Some(&[a, b, c, d]) = source.bytes.get(8..GLB_HEADER) else {
        return Err(source.truncated(Place::Byte(0), GLB_HEADER as u64, available));
    };
    let stated = u32::from_le_bytes([a, b, c, d]);
    if u64::from(stated) > available {
        return Err(source.truncated(Place::File, u64::from(stated), available));
    }
    // The crate subtracts the header's length without looking.
    if (stated as usize) < GLB_HEADER {
        return Err(source.malformed(Place::Byte(8), "the length of the file", stated.to_string()));
    }
    let glb = Glb::from_slice(source.bytes).map_err(|error| source.syntax("GLB container", error))?;
    Ok((glb.json, glb.bin))
}

struct Reader<'a> {
    source: Source<'a>,
    root: &'a Root,
    buffers: buffer::Buffers<'a>,
    /// Decoded position accessors, which primitives and instances often share.
    positions: BTreeMap<usize, Vec<[f32; 3]>>,
    /// Number of vertices that may still be decoded.
    vertices_left: u64,
    /// Number in the soup of each vertex of the current accessor, valid where the stamp is the
    /// current one.
    remap: Vec<(u32, u32)>,
    stamp: u32,
}

impl<'a> Reader<'a> {
    fn read(mut self, file_bytes: u64, builder: &mut SoupBuilder) -> Result<(), IoError> {
        let meshes = self.placed_meshes(file_bytes)?;
        let unused = self.root.meshes.len();
        if meshes.is_empty() && unused > 0 {
            let scene = self.root.scene.map_or(0, |scene| scene.value());
            let found = format!("{unused} meshes that no node of scene {scene} uses");
            return Err(self.source.malformed(Place::File, "nodes with meshes", found));
        }
        for (node, mesh, transform, place) in meshes {
            let mut two_sided = Vec::new();
            for primitive in &mesh.primitives {
                let material = primitive.material.as_ref();
                let material = material.and_then(|index| self.root.materials.get(index.value()));
                builder.rename(|names| set_names(names, node, mesh, material));
                let first = builder.triangles.len();
                self.read_primitive(primitive, place, &transform, builder)?;
                if material.is_some_and(|material| material.double_sided) {
                    two_sided.extend(first..builder.triangles.len());
                }
            }
            turn_sheets_up(&two_sided, builder);
        }
        Ok(())
    }

    /// The meshes of all nodes of the scene, after a check that they have no more corners together
    /// than the files allow: instances multiply what a file holds. A primitive counts as one corner
    /// more.
    fn placed_meshes(&self, file_bytes: u64) -> Result<Vec<(&'a Node, &'a Mesh, DAffine3, Place)>, IoError> {
        let corners = |primitive: &Primitive| {
            let positions = primitive.attributes.get(&Checked::Valid(gltf::Semantic::Positions));
            let accessor = primitive.indices.as_ref().or(positions);
            let accessor = accessor.and_then(|index| self.root.accessors.get(index.value()));
            // More than its bytes are found to be missing when they are read.
            accessor.map_or(0, |found| match found.buffer_view {
                Some(_) => found.count.0.min(file_bytes),
                None => found.count.0,
            })
        };
        let of_mesh = |mesh: &Mesh| {
            mesh.primitives.iter().fold(0, |sum: u64, one| sum.saturating_add(corners(one)).saturating_add(1))
        };
        let mut corners_of: Vec<Option<u64>> = vec![None; self.root.meshes.len()];
        let (mut placed, mut count) = (Vec::new(), 0_u64);
        let mut seen = vec![false; self.root.nodes.len()];
        let mut open = self.root_nodes()?;
        // Taken from the end: the first root comes first.
        open.reverse();
        while let Some((index, parent, place)) = open.pop() {
            let node: &Node = self.source.get(&self.root.nodes, index, "node", place)?;
            let place = Place::Element { kind: "node", index };
            if std::mem::replace(&mut seen[index], true) {
                return Err(self.source.malformed(place, "a tree of nodes", "a node that is reached twice"));
            }
            let transform = parent * local_transform(node);
            if let Some(index) = &node.mesh {
                let mesh: &Mesh = self.source.get(&self.root.meshes, index.value(), "mesh", place)?;
                count = count.saturating_add(*corners_of[index.value()].get_or_insert_with(|| of_mesh(mesh)));
                placed.push((node, mesh, transform, place));
            }
            let children = node.children.iter().flatten();
            open.extend(children.rev().map(|child| (child.value(), transform, place)));
        }
        self.source.check_instances(count, file_bytes)?;
        Ok(placed)
    }

    /// Roots of the default scene; of the first one where none is named; all parentless nodes where
    /// there is no scene.
    fn root_nodes(&self) -> Result<Vec<(usize, DAffine3, Place)>, IoError> {
        let scene = match &self.root.scene {
            Some(scene) => Some(self.source.get(&self.root.scenes, scene.value(), "scene", Place::File)?),
            None => self.root.scenes.first(),
        };
        let place = Place::Element { kind: "scene", index: self.root.scene.map_or(0, |scene| scene.value()) };
        let nodes: Vec<usize> = match scene {
            Some(scene) => scene.nodes.iter().map(|node| node.value()).collect(),
            None => {
                let mut is_child = vec![false; self.root.nodes.len()];
                for child in self.root.nodes.iter().flat_map(|node| node.children.iter().flatten()) {
                    if let Some(flag) = is_child.get_mut(child.value()) {
                        *flag = true;
                    }
                }
                (0..is_child.len()).filter(|&node| !is_child[node]).collect()
            }
        };
        Ok(nodes.into_iter().map(|node| (node, DAffine3::IDENTITY, place)).collect())
    }

    fn read_primitive(
        &mut self,
        primitive: &Primitive,
        place: Place,
        transform: &DAffine3,
        builder: &mut SoupBuilder,
    ) -> Result<(), IoError> {
        let mode = match primitive.mode {
            Checked::Valid(mode) => mode,
            Checked::Invalid => {
                return Err(self.source.malformed(place, "a primitive mode from 0 to 6", "another"));
            }
        };
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        let semantic = Checked::Valid(gltf::Semantic::Positions);
        // By the specification, a primitive without positions draws nothing.
        let Some(accessor) = primitive.attributes.get(&semantic) else { return Ok(()) };
        let accessor = accessor.value();
        if !self.positions.contains_key(&accessor) {
            let count = self.source.get(&self.root.accessors, accessor, "accessor", place)?.count.0;
            self.vertices_left = self.vertices_left.checked_sub(count).ok_or_else(|| {
                self.source.too_many("more vertices than its bytes can hold", count, self.vertices_left)
            })?;
            self.positions.insert(accessor, self.buffers.positions(accessor, place)?);
        }
        let indices = primitive.indices.as_ref().map(|indices| self.buffers.indices(indices.value(), place));
        let indices = indices.transpose()?;
        let positions = &self.positions[&accessor];
        let corners = indices.as_ref().map_or(positions.len(), Vec::len);
        if mode == Mode::Triangles && !corners.is_multiple_of(3) {
            return Err(self.source.malformed(place, "a multiple of three corners", corners.to_string()));
        }
        if self.remap.len() < positions.len() {
            self.remap.resize(positions.len(), (0, 0));
        }
        self.stamp += 1;
        let mut mapped = Vec::with_capacity(corners);
        for corner in 0..corners {
            let vertex = indices.as_ref().map_or(corner, |indices| indices[corner] as usize);
            let Some(position) = positions.get(vertex) else {
                return Err(self.source.out_of_range(place, "vertex", vertex, positions.len()));
            };
            if self.remap[vertex].0 != self.stamp {
                self.remap[vertex] = (self.stamp, builder.next_vertex(&self.source)?);
                builder.push_vertex(transform.transform_point3(DVec3::from_array(position.map(f64::from))));
            }
            mapped.push(self.remap[vertex].1);
        }
        let first = builder.triangles.len();
        match mode {
            Mode::TriangleStrip => push_strip(&mapped, &mut builder.triangles),
            Mode::TriangleFan => {
                if let [centre, rim @ ..] = mapped.as_slice() {
                    let fan = rim.windows(2).map(|pair| [pair[0], pair[1], *centre]);
                    builder.triangles.extend(fan);
                }
            }
            _ => builder.triangles.extend(mapped.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
        }
        // A mirror turns the winding over, and the specification asks to turn it back: floors stay floors.
        if transform.matrix3.determinant() < 0.0 {
            builder.triangles[first..].iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(())
    }
}

/// Turns those of the triangles that face down over, if both sides of them can be seen: not in a
/// closed surface, of which one side is the inside. Programs that make models write `doubleSided`
/// for solids as well.
fn turn_sheets_up(triangles: &[usize], builder: &mut SoupBuilder) {
    // Flipping turns up into down.
    let is_flipped = builder.options.winding == Winding::Flipped;
    let corners: Vec<[Vec3; 3]> =
        triangles.iter().map(|&triangle| builder.corners(builder.triangles[triangle])).collect();
    let is_turned = |[a, b, c]: [Vec3; 3]| faces_down(if is_flipped { [a, c, b] } else { [a, b, c] });
    if !corners.iter().any(|&corners| is_turned(corners)) {
        return;
    }
    let edges = place_edges(&corners);
    let meetings = || edges.chunk_by(|one, other| one.places == other.places);
    let mut surfaces = DisjointSets::new(corners.len());
    for edges in meetings() {
        for pair in edges.windows(2) {
            surfaces.unite(pair[0].triangle, pair[1].triangle);
        }
    }
    let mut is_open = vec![false; corners.len()];
    for edges in meetings() {
        let forward = edges.iter().filter(|edge| edge.is_forward).count();
        if 2 * forward != edges.len() && edges[0].places[0] != edges[0].places[1] {
            is_open[surfaces.find(edges[0].triangle) as usize] = true;
        }
    }
    for (at, &triangle) in triangles.iter().enumerate() {
        if is_turned(corners[at]) && is_open[surfaces.find(to_u32(at)) as usize] {
            builder.triangles[triangle].swap(1, 2);
        }
    }
}

/// Sets what a primitive is called.
fn set_names(names: &mut SurfaceNames, node: &Node, mesh: &Mesh, material: Option<&Material>) {
    names.object = node.name.clone().unwrap_or_default();
    names.group = mesh.name.clone().unwrap_or_default();
    names.material = material.and_then(|material| material.name.clone()).unwrap_or_default();
    let area = material.and_then(|material| area_of(&material.extras)).or_else(|| area_of(&node.extras));
    names.area = area.unwrap_or_default();
}

/// The text at the key `waymesh_area`.
fn area_of(extras: &Extras) -> Option<String> {
    let value: Value = extras.as_ref()?.get().parse().ok()?;
    Some(value.get("waymesh_area")?.as_str()?.to_owned())
}

/// A node's own transform: its matrix, or translation after rotation after scale.
fn local_transform(node: &Node) -> DAffine3 {
    if let Some(matrix) = node.matrix {
        let matrix = DMat4::from_cols_array(&matrix.map(f64::from));
        return DAffine3 { matrix3: DMat3::from_mat4(matrix), translation: matrix.w_axis.truncate() };
    }
    let vector = |value: Option<[f32; 3]>, or: DVec3| {
        value.map_or(or, |value| DVec3::from_array(value.map(f64::from)))
    };
    // Written in single precision, so not quite of length one.
    let rotation = node.rotation.map_or(DQuat::IDENTITY, |rotation| {
        let rotation = DQuat::from_array(rotation.0.map(f64::from));
        if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY }
    });
    DAffine3 {
        matrix3: DMat3::from_quat(rotation) * DMat3::from_diagonal(vector(node.scale, DVec3::ONE)),
        translation: vector(node.translation, DVec3::ZERO),
    }
}
