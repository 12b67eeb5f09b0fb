//! The mesh: what it holds, files.

use std::cell::RefCell;
use std::sync::Arc;

use glam::Vec3;
use js_sys::{Array, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh_core::PolyId;
use waymesh_graph::{FlagTable, Link, LinkChoice, LinkId, MeshFormat, Path, QueryScratch};

use crate::convert::{Fields, bytes, flags, flat, object, point, positions, whole};
use crate::error::{Kind, OrThrow, Thrown};

/// Memory that queries reuse.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) scratch: QueryScratch,
    pub(crate) path: Path,
}

/// A navigation mesh: convex polygons on the ground, which never change, and the links between
/// them.
#[wasm_bindgen]
#[derive(Debug)]
pub struct NavMesh {
    pub(crate) mesh: Arc<waymesh_graph::NavMesh>,
    pub(crate) memory: RefCell<Memory>,
    /// `true` if a metre of some area costs other than 1.
    pub(crate) has_costs: bool,
    /// Flags of polygons, if the caller has set some.
    pub(crate) flags: Option<FlagTable>,
    /// Made for the first query with a radius.
    #[cfg(feature = "bake")]
    pub(crate) clearance: std::cell::OnceCell<waymesh::ClearanceNavMesh>,
    /// JSON; none for a mesh that was read.
    #[cfg(feature = "bake")]
    pub(crate) report: Option<String>,
}

impl From<Arc<waymesh_graph::NavMesh>> for NavMesh {
    fn from(mesh: Arc<waymesh_graph::NavMesh>) -> Self {
        let has_costs = mesh.area_table().iter().any(|(_, area)| area.cost.to_bits() != 1.0_f32.to_bits());
        Self {
            mesh,
            has_costs,
            flags: None,
            memory: RefCell::default(),
            #[cfg(feature = "bake")]
            clearance: std::cell::OnceCell::new(),
            #[cfg(feature = "bake")]
            report: None,
        }
    }
}

impl NavMesh {
    /// The mesh, for a change of its links.
    fn links_mut(&mut self) -> &mut waymesh_graph::NavMesh {
        #[cfg(feature = "bake")]
        self.clearance.take();
        Arc::make_mut(&mut self.mesh)
    }
}

/// A number as JavaScript gives it back; one that was never given out names nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(crate) fn number(given: f64) -> u64 {
    if given >= 0.0 && given.fract().abs() < f64::MIN_POSITIVE { given as u64 } else { u64::MAX }
}

#[wasm_bindgen]
impl NavMesh {
    /// Opens the bytes of a file, `.wmesh` or `.wmrun`: its first bytes tell which. They are an
    /// `ArrayBuffer` or any view of one, and copied
    /// into the module's memory once; a packed mesh stays where they lie.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(
        #[wasm_bindgen(js_name = bytes, unchecked_param_type = "ArrayBufferLike | ArrayBufferView")]
        given: JsValue,
    ) -> Thrown<NavMesh> {
        Ok(Arc::new(waymesh_graph::NavMesh::from_bytes(bytes(&given)?).or_throw()?).into())
    }

    /// The bytes of a file: `"wmesh"` to keep it (the default), `"wmrun"` to ship it.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "\"wmesh\" | \"wmrun\"")] format: Option<String>,
    ) -> Thrown<Vec<u8>> {
        let format = match format.as_deref() {
            None | Some("wmesh") => MeshFormat::Exchange,
            Some("wmrun") => MeshFormat::Packed,
            Some(other) => {
                return Err(
                    Kind::Input.error(format_args!("format is {other:?}, but must be wmesh or wmrun"))
                );
            }
        };
        Ok(self.mesh.to_bytes(format))
    }

    /// Number of polygons.
    #[wasm_bindgen(getter, js_name = polygonCount)]
    pub fn polygon_count(&self) -> usize {
        self.mesh.polygon_count()
    }

    /// Number of edges between two polygons.
    #[wasm_bindgen(getter, js_name = portalCount)]
    pub fn portal_count(&self) -> usize {
        self.mesh.portal_count()
    }

    /// Number of connected pieces.
    #[wasm_bindgen(getter, js_name = islandCount)]
    pub fn island_count(&self) -> usize {
        self.mesh.islands().len()
    }

    /// Plan area of all polygons in square metres.
    #[wasm_bindgen(getter)]
    pub fn area(&self) -> f64 {
        self.mesh.area()
    }

    /// Checksum of the polygons, in hexadecimal. A mesh of a `World` has another one than its file,
    /// in which the polygons are renumbered.
    #[wasm_bindgen(getter)]
    pub fn generation(&self) -> String {
        format!("{:016x}", self.mesh.generation().0)
    }

    /// Side of a cell of its grid, in metres.
    #[wasm_bindgen(getter, js_name = cellSize)]
    pub fn cell_size(&self) -> f32 {
        self.mesh.frame().cell_size
    }

    /// Height of a level of its grid, in metres.
    #[wasm_bindgen(getter, js_name = levelHeight)]
    pub fn level_height(&self) -> f32 {
        self.mesh.frame().level_height
    }

    /// The agent it was baked for.
    #[wasm_bindgen(getter, unchecked_return_type = "Agent")]
    pub fn agent(&self) -> JsValue {
        let agent = self.mesh.agent();
        object(&[
            ("height", agent.height.into()),
            ("radius", agent.radius.into()),
            ("maxStep", agent.max_step.into()),
            ("maxSlope", agent.max_slope.to_degrees().into()),
        ])
    }

    /// The least and the greatest corner: six numbers, NaN for a mesh without polygons.
    #[wasm_bindgen(getter)]
    pub fn bounds(&self) -> Vec<f32> {
        let bounds = self.mesh.world_bounds();
        flat(&bounds.map_or([Vec3::NAN; 2], |bounds| [bounds.min, bounds.max]))
    }

    /// Positions of all vertices, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn vertices(&self) -> Vec<f32> {
        flat(self.mesh.vertices())
    }

    /// The polygons, by their ids: corners as numbers of vertices, and where each polygon begins among
    /// them. In the mesh of a world there may be ids without a polygon.
    #[wasm_bindgen(getter, unchecked_return_type = "Polygons")]
    pub fn polygons(&self) -> JsValue {
        let (mut corners, mut starts) = (Vec::new(), vec![0]);
        for polygon in self.mesh.polygons_by_id() {
            let own = polygon.iter().flat_map(waymesh_graph::PolygonView::corners);
            corners.extend(own.map(|corner| corner.0));
            starts.push(waymesh_core::to_u32(corners.len()));
        }
        let of = |number: fn(waymesh_graph::PolygonView<'_>) -> u32| {
            let numbers = self.mesh.polygons_by_id().map(|polygon| polygon.map_or(u32::MAX, number));
            let numbers: Vec<u32> = numbers.collect();
            Uint32Array::from(numbers.as_slice()).into()
        };
        let areas =
            self.mesh.polygons_by_id().map(|polygon| polygon.map_or(0, |polygon| polygon.area_id().0));
        let areas: Vec<u8> = areas.collect();
        object(&[
            ("corners", Uint32Array::from(corners.as_slice()).into()),
            ("starts", Uint32Array::from(starts.as_slice()).into()),
            ("islands", of(|polygon| polygon.island().0)),
            ("regions", of(|polygon| polygon.region().0)),
            ("areas", Uint8Array::from(areas.as_slice()).into()),
        ])
    }

    /// Edges beyond which there is no polygon: pairs of vertices.
    #[wasm_bindgen(getter)]
    pub fn walls(&self) -> Vec<u32> {
        self.mesh.polygons().flat_map(|polygon| polygon.walls()).flatten().map(|vertex| vertex.0).collect()
    }

    /// The links: ledges, jumps, drops, doors, stairs.
    #[wasm_bindgen(getter, unchecked_return_type = "Link[]")]
    pub fn links(&self) -> JsValue {
        let frame = self.mesh.frame();
        let end = |end: &waymesh_graph::LinkEnd| -> JsValue {
            positions(&end.ends.map(|vertex| frame.position(vertex)))
        };
        let link = |(link, id): (&Link, &LinkId)| {
            object(&[
                // The numbers of links count up from 0: no double is too small for them.
                ("id", (id.0 as f64).into()),
                ("kind", link.kind.name().into()),
                ("start", end(&link.from)),
                ("end", end(&link.to)),
                ("bothWays", link.both_ways.into()),
                ("isOpen", link.is_open.into()),
                ("extraCost", link.extra_cost.into()),
            ])
        };
        self.mesh.links().iter().zip(self.mesh.link_ids()).map(link).collect::<Array>().into()
    }

    /// Adds a link between the places that are nearest to two positions, and returns its number.
    /// Other meshes do not get it, nor does the world that this one is of (`World.addLink`); paths
    /// and crowds on this one take it from now on.
    #[wasm_bindgen(js_name = addLink)]
    pub fn add_link(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "LinkOptions")] options: JsValue,
    ) -> Thrown<f64> {
        let link = link_of(&self.mesh, [start, end], &options)?;
        let id = self.links_mut().add_link(link).map_err(|error| Kind::Input.error(error))?;
        Ok(id.0 as f64)
    }

    /// Removes a link. Returns `true` if it was there.
    #[wasm_bindgen(js_name = removeLink)]
    pub fn remove_link(&mut self, link: f64) -> bool {
        self.links_mut().remove_link(LinkId(number(link))).is_some()
    }

    /// Opens or closes a link: queries take no closed link. Returns `true` if the mesh has it.
    #[wasm_bindgen(js_name = setLinkOpen)]
    pub fn set_link_open(&mut self, link: f64, #[wasm_bindgen(js_name = isOpen)] is_open: bool) -> bool {
        self.links_mut().set_link_open(LinkId(number(link)), is_open)
    }

    /// Gives each polygon flags, by its id, for the options `includeFlags` and `excludeFlags`: doors
    /// that open and close, teams, floors that a lift serves. Polygons beyond the array have none.
    #[wasm_bindgen(setter)]
    pub fn set_flags(&mut self, #[wasm_bindgen(js_name = flags)] given: &[u16]) {
        self.flags = Some(given.to_vec().into());
    }

    /// Changes the flags of a polygon; a `Corridor` looks again at its next call. Returns `true` if
    /// the polygon has flags.
    #[wasm_bindgen(js_name = setPolygonFlags)]
    pub fn set_polygon_flags(
        &self,
        polygon: f64,
        #[wasm_bindgen(js_name = flags)] given: f64,
    ) -> Thrown<bool> {
        let polygon = PolyId(whole("polygon", polygon, 0..=u32::MAX)?);
        let given = flags("flags", given)?;
        Ok(self.flags.as_ref().is_some_and(|table| table.set(polygon, given)))
    }

    /// Names, costs and colours of areas, by number.
    #[wasm_bindgen(getter, unchecked_return_type = "Record<number, Area>")]
    pub fn areas(&self) -> JsValue {
        let areas: Vec<(String, JsValue)> = self
            .mesh
            .area_table()
            .iter()
            .map(|(id, area)| {
                let colour = area.colour.map_or(JsValue::NULL, |colour| Uint8Array::from(&colour[..]).into());
                let fields =
                    [("name", area.name.as_str().into()), ("cost", area.cost.into()), ("colour", colour)];
                (id.0.to_string(), object(&fields))
            })
            .collect();
        let fields: Vec<(&str, JsValue)> =
            areas.iter().map(|(id, area)| (id.as_str(), area.clone())).collect();
        object(&fields)
    }
}

/// A link between the places of a mesh that are nearest to two positions.
pub(crate) fn link_of(mesh: &waymesh_graph::NavMesh, ends: [&[f32]; 2], options: &JsValue) -> Thrown<Link> {
    let mut fields = Fields::new("options", options)?;
    let kind = match fields.text("kind")?.as_deref().unwrap_or("user").parse() {
        Ok(LinkChoice::Kind(kind)) => kind,
        Ok(LinkChoice::One(_)) => {
            return Err(Kind::Input.error("options: kind must be the name of a kind"));
        }
        Err(error) => return Err(Kind::Input.error(error)),
    };
    let (start, end) = (point("start", ends[0])?, point("end", ends[1])?);
    let mut link = mesh.link_between(start, end, kind).or_throw()?;
    link.both_ways = fields.flag("bothWays", true)?;
    link.is_open = fields.flag("isOpen", true)?;
    link.extra_cost = fields.number("extraCost")?.unwrap_or(0.0);
    fields.finish()?;
    Ok(link)
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A position: x, y (up) and z, in metres. */
export type Point = readonly [number, number, number] | Float32Array;
/** Positions, three numbers each. */
export type Points = Float32Array;
/**
 * How far from the mesh a position may be: metres, or metres to the side, up and down. By default
 * twice the radius of the agent, a cell at least, to the side, and its height up and down.
 */
export type ReachOption = number | readonly [number, number, number];

/** The agent that a mesh was baked for. Lengths in metres. */
export interface Agent { height: number; radius: number; maxStep: number; /** Degrees. */ maxSlope: number }

/**
 * The polygons of a mesh, by their ids. In the mesh of a world there may be ids without a polygon:
 * they have no corners, area 0, and the island and region 4294967295.
 */
export interface Polygons {
  /** Numbers of vertices, polygon after polygon. */
  corners: Uint32Array;
  /** Where each polygon begins in `corners`, and their end. */
  starts: Uint32Array;
  islands: Uint32Array;
  regions: Uint32Array;
  areas: Uint8Array;
}

/** What ground is made of. */
export interface Area { name: string; cost: number; colour: Uint8Array | null }

/** Options of a link that is added. */
export interface LinkOptions {
  /** `"user"` by default, or `"level"`, `"step"`, `"jump"`, `"drop"`, `"door"`, `"lift"`. */
  kind?: string;
  /** Default `true`. */
  bothWays?: boolean;
  /** Default `true`. */
  isOpen?: boolean;
  /** Metres on top of its length. Default 0. */
  extraCost?: number;
}

/** A connection between places that share no edge. */
export interface Link {
  /** Its number in paths and costs. */
  id: number;
  kind: string;
  /** Both ends of the segment where it begins. */
  start: Float32Array;
  /** Both ends of the segment where it ends. */
  end: Float32Array;
  bothWays: boolean;
  isOpen: boolean;
  extraCost: number;
}

/** What every error carries that this package throws. */
export interface WaymeshError extends Error {
  name: "WaymeshError";
  kind: "settings" | "input" | "file" | "bake" | "cancelled" | "nothing-walkable" | "no-mesh-near" | "query" | "not-loaded";
}

/** Options of every query: how far from the mesh a position may be, and which ground is open. */
export interface GroundOptions {
  reach?: ReachOption;
  /** Height of the agent: ground with less head room is left out (`height_classes`). Default any. */
  agentHeight?: number;
  /**
   * Only polygons with one of these flags of `NavMesh.flags`, one bit each. Default 65535, any, if
   * `excludeFlags` is given.
   */
  includeFlags?: number;
  /** No polygons with one of these flags. Default 0. */
  excludeFlags?: number;
  /** What a metre of an area costs, by name or number; `Infinity` closes it. */
  areaCosts?: Record<string, number>;
  /**
   * What taking links costs this agent in metres, by number or kind (`{ jump: 3, 12: Infinity }`);
   * `Infinity` for links that it cannot take.
   */
  linkCosts?: Record<string, number>;
}

/** Options of a search for paths. */
export interface PathOptions extends GroundOptions {
  /** The path that is shortest in plan instead of a short one found fast. Default `false`. */
  shortest?: boolean;
  /**
   * With `shortest`, rises and falls of the ground count: the path is the shortest in space of those
   * that are straight in plan from corner to corner. Default `false`.
   */
  rises?: boolean;
  /** Accept a path that ends before the goal where none leads there. Default `true`. */
  allowPartial?: boolean;
  /** A point at each edge that it crosses, too. Default `false`. */
  crossPoints?: boolean;
  /**
   * As many more points as keep the path within so many metres of the ground; `length` is then that
   * of the ground. By default there are points only where the path turns.
   */
  groundError?: number;
  /** Tell which polygons the search looked into. Default `false`. */
  searched?: boolean;
  /**
   * The path of a disc of this radius in metres: the shortest in plan, unless `fast` is `true`. Needs
   * the package with bakes.
   */
  radius?: number;
  /** A short path of the disc, in less time than the shortest. Needs `radius`. Default `false`. */
  fast?: boolean;
}

/** A link that a path takes, from a point of the path. */
export interface LinkUse { link: number; backwards: boolean; point: number }

/** A path over a mesh. */
export interface Path {
  outcome: "complete" | "partial" | "unreachable" | "undecided";
  /** Where it begins, turns and ends. */
  points: Float32Array;
  polygons: Uint32Array;
  links: LinkUse[];
  /**
   * In metres, in space, from point to point: ground that rises and falls between two points adds
   * nothing without `groundError`.
   */
  length: number;
  /** With costs, of the mesh or of the options, their sum along the ground; else the length. */
  cost: number;
  /** `true` if the search for the shortest ended at its limit: a shorter path may be there. */
  wasCut: boolean;
  /** With the option `searched`: the polygons that the search looked into, ascending. */
  searched?: Uint32Array;
}

/** Many paths. */
export interface Paths {
  points: Float32Array;
  /** Where each path begins in `points`, in points, and their end. */
  starts: Uint32Array;
  /** NaN where an end is off the mesh. */
  lengths: Float32Array;
  /** 0 complete, 1 partial, 2 unreachable, 3 undecided, 4 an end is off the mesh. */
  outcomes: Uint8Array;
}

/** Where a ray ends. */
export interface Ray {
  /** The part of the way that is free, 0 to 1. */
  fraction: number;
  end: Float32Array;
  /** The polygons it passes. */
  polygons: Uint32Array;
  /** The normal of the wall that it meets; `null` if it meets none. */
  normal: Float32Array | null;
}

/** The wall nearest to a place. */
export interface Wall { distance: number; point: Float32Array; normal: Float32Array }
"#;
