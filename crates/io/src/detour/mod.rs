//! Navigation mesh files of Detour, Recast's companion: RecastDemo's and habitat-sim's.
//!
//! # Files
//! - Sets of tiles (`MSET`): version 1 of RecastDemo (`all_tiles_navmesh.bin`, `solo_navmesh.bin`)
//!   and version 2 of habitat-sim (`.navmesh`), which contains the settings of the bake. References
//!   of 32 and 64 bits (`DT_POLYREF64`) are distinguished.
//! - A single tile (`DNAV`, version 7), as returned by `dtCreateNavMeshData`.
//!
//! All are little-endian. Files of big-endian machines and tile caches are refused by name.
//!
//! # Conversion
//! | Detour | here |
//! |---|---|
//! | vertices | points of the grid they were baked on, exactly, where there is such a grid; else of
//! one that is 0.06 mm fine, and coarser beyond 500 m |
//! | polygons | polygons, whatever way they wind. Those that are not convex on the grid are parted
//! into triangles, those without area or flags are left out |
//! | neighbours in a tile | portals |
//! | borders between tiles | portals wherever Detour joins two edges; edges are parted so that both
//! have the same ends, whose height is the mean. Where an edge has a neighbour on another storey as
//! well, a link to it |
//! | detail meshes | the height surface |
//! | areas | 0 (63 where there is no 0) is plain ground; each other has the next higher [`AreaId`]
//! and the name `area 5` |
//! | flags of polygons | [`DetourMesh::flags`], for a [`waymesh_graph::FlagTable`] |
//! | connections off the mesh | links of the kind [`LinkKind::User`]; their radius, as in Detour,
//! is how far their ends may be from the mesh. `userId` is [`Link::data`], without flags it is
//! closed. The grid then has cells of a centimetre at most |
//! | agent | height, radius and highest step; steepest slope from habitat-sim's settings |
//!
//! Costs of areas, regions, and areas of connections are not in the files or have no counterpart.

mod cut;
mod faces;
mod ground;
mod join;
mod lattice;
mod pieces;
mod report;
mod tile;
mod tree;
mod write;

use std::path::Path;

use glam::Vec3;
use waymesh_core::{Agent, Area, AreaId, AreaTable, GridFrame};
use waymesh_graph::{Link, LinkKind, NavMesh, NavMeshError, Reach};

use crate::IoError;
use crate::files::read_file;
use crate::scene::Source;
use faces::Faces;
use lattice::Lattice;
pub use report::DetourReport;
pub use tile::is_detour;
use tile::{Connection, TileSet};
pub use write::{DetourLimit, DetourOptions, to_detour};

/// Height of a level if the file does not contain it: a power of two, so that heights are exact.
const LEVEL: f32 = 0.125;
/// Recast's default area of ground (`RC_WALKABLE_AREA`).
const RECAST_GROUND: u8 = 63;

/// A mesh that was read from a Detour file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DetourMesh {
    /// The mesh.
    pub mesh: NavMesh,
    /// Detour's flags of each polygon, for a [`waymesh_graph::FlagTable`]. RecastDemo's: 1 walk, 2
    /// swim, 4 door, 8 jump, 16 disabled.
    pub flags: Vec<u16>,
    /// Counts of the contents of the file and of their conversion.
    pub report: DetourReport,
}

/// Reads a Detour file.
///
/// # Errors
/// - [`IoError::Read`] if the file cannot be read.
/// - See [`parse_detour`].
pub fn open_detour(file: impl AsRef<Path>) -> Result<DetourMesh, IoError> {
    let file = file.as_ref();
    parse_detour(file, &read_file(file)?)
}

/// Reads a Detour file from memory; `file` is its name in errors.
///
/// Takes time `n log n`, and memory in proportion to the bytes: numbers of elements are checked
/// against the length of the file before any allocation.
///
/// # Errors
/// Names the tile and the problem: another version or byte order, incomplete tables, indices out of
/// range, numbers that are not finite. [`IoError::InvalidMesh`] for an agent out of its range.
pub fn parse_detour(file: &Path, bytes: &[u8]) -> Result<DetourMesh, IoError> {
    let source = Source { file, bytes };
    let set = tile::read(source)?;
    let invalid = |source: NavMeshError| IoError::InvalidMesh { file: file.to_owned(), source };
    let lattice = Lattice::of(&set);
    let mut faces = Faces::of(&set, &lattice);
    let used = faces.faces.iter().fold(0_u64, |used, face| used | 1 << polygon_of(&set, face).area);
    let is_used = |area: u8| used >> area & 1 == 1;
    let ground = if !is_used(0) && is_used(RECAST_GROUND) { RECAST_GROUND } else { 0 };
    let area_of = |area: u8| if area == ground { AreaId::GROUND } else { AreaId(area + 1) };
    let frame = frame(&set, &lattice, &faces);
    let (mesh, mut links) = join::join(source, &set, &lattice, frame, &mut faces, area_of)?;
    let surface = ground::surface(&set, &lattice, &faces, &mesh);
    let (surface, flattened) = surface.map_or((None, 0), |(surface, flattened)| (Some(surface), flattened));
    let mesh = NavMesh::new(mesh, surface, agent(&set)).map_err(invalid)?;
    let mut areas = AreaTable::default();
    for area in 0..=RECAST_GROUND {
        if area != ground && is_used(area) {
            // Such a name is neither empty nor in use.
            drop(areas.insert(area_of(area), Area::new(format!("area {area}"))));
        }
    }
    let flags = faces.faces.iter().map(|face| polygon_of(&set, face).flags).collect();
    let mut report = DetourReport {
        tiles: set.tiles.len(),
        overlaid: links.len(),
        flattened,
        connections: set.tiles.iter().map(|tile| tile.connections.len()).sum(),
        wide_references: set.wide,
        has_slope: slope_degrees(&set).is_some(),
        ..faces.report
    };
    for tile in &set.tiles {
        links.extend(tile.connections.iter().filter_map(|one| link(&mesh, tile.agent[2], one)));
    }
    report.unplaced = report.connections - (links.len() - report.overlaid);
    let mesh = mesh.with_area_table(areas);
    let mesh = if links.is_empty() { mesh } else { mesh.with_links(links).map_err(invalid)? };
    Ok(DetourMesh { mesh, flags, report })
}

fn polygon_of<'a>(set: &'a TileSet, face: &faces::Face) -> &'a tile::TilePolygon {
    &set.tiles[face.tile as usize].polygons[face.polygon as usize]
}

fn agent(set: &TileSet) -> Agent {
    let mut agent = Agent::default();
    if let Some([height, radius, max_step]) = set.tiles.first().map(|tile| tile.agent) {
        agent = agent.with_radius(radius).with_max_step(max_step);
        // Detour does not read these fields, so a program may have omitted the height.
        if height.to_bits() != 0 {
            agent = agent.with_height(height);
        }
    }
    match slope_degrees(set) {
        Some(degrees) => agent.with_max_slope(degrees.to_radians()),
        None => agent,
    }
}

/// The steepest slope of the agent, if the file names one that an agent can have.
fn slope_degrees(set: &TileSet) -> Option<f32> {
    set.settings.map(|settings| settings.max_slope_degrees).filter(|slope| (0.0..90.0).contains(slope))
}

fn frame(set: &TileSet, lattice: &Lattice, faces: &Faces) -> GridFrame {
    let [x, z] = lattice.origin;
    let stated = set.settings.map(|settings| settings.cell_height);
    let corners = || faces.faces.iter().flat_map(faces::Face::corners).map(|&vertex| faces.point(vertex));
    let cells = |far: Option<i32>| u32::try_from(far.unwrap_or(0)).unwrap_or(0);
    GridFrame {
        origin: Vec3::new(x, 0.0, z),
        cell_size: lattice.cell,
        level_height: stated.filter(|height| (1e-3..1e3).contains(height)).unwrap_or(LEVEL),
        width: cells(corners().map(|point| point.x).max()),
        depth: cells(corners().map(|point| point.z).max()),
    }
}

/// Returns the link of a connection; `None` if an end is too far from the mesh.
fn link(mesh: &NavMesh, step: f32, connection: &Connection) -> Option<Link> {
    let reach = Reach::new(connection.radius, step, step);
    let [from, to] = connection.ends.map(|end| Some(mesh.link_end(&mesh.nearest(Vec3::from(end), &reach)?)));
    let mut link = Link::new(from?, to?, LinkKind::User);
    (link.both_ways, link.is_open, link.data) = (connection.both_ways, connection.is_open, connection.user);
    Some(link)
}
