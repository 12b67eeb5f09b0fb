//! Errors of meshes.

use thiserror::Error;
use waymesh_core::{BadField, PlanPoint, PolyId, ViolationList};

use super::format::MeshFormat;
use super::link::LinkId;
use super::tiles::key::TileKey;

/// Why some data cannot become a [`crate::NavMesh`].
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NavMeshError {
    /// The polygons break their invariants.
    #[error("the polygons are broken: {0}")]
    Polygons(ViolationList),
    /// The height surface does not fit the polygons.
    #[error("the height surface is broken: {0}")]
    Surface(ViolationList),
    /// The clearance triangulation breaks its invariants.
    #[error("the clearance triangulation is broken: {0}")]
    Clearance(ViolationList),
    /// The clearance triangulation is that of another mesh.
    #[error("the clearance triangulation has no triangle where polygon {polygon} is")]
    OtherGround {
        /// The first such polygon.
        polygon: PolyId,
    },
    /// A field of the agent or of the frame is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A table whose length does not fit the other tables.
    #[error("table {table} has {actual} entries where {expected} are needed")]
    TableLength {
        /// Name of the table.
        table: &'static str,
        /// Entries it has.
        actual: usize,
        /// Entries it should have.
        expected: usize,
    },
    /// A table of first entries does not ascend from 0 to the length of the table it points into.
    #[error("entry {element} of {table} is {value}, out of order or beyond {limit}")]
    TableOrder {
        /// Name of the table.
        table: &'static str,
        /// The entry.
        element: usize,
        /// Its value.
        value: u32,
        /// Largest value allowed.
        limit: u64,
    },
    /// A number beyond its limit.
    #[error("entry {element} of {table} is {value}, the limit is {limit}")]
    OutOfRange {
        /// Name of the table.
        table: &'static str,
        /// The entry.
        element: usize,
        /// Its value.
        value: i64,
        /// Largest size allowed.
        limit: i64,
    },
    /// An error of the height surface without a height surface.
    #[error("surface_max_error is {value} where there is no height surface")]
    NoSurface {
        /// The stated error.
        value: f32,
    },
    /// A link that costs less than nothing, or no finite amount.
    #[error("extra cost of link {link} is {value} m, but must be finite and 0 m or more")]
    LinkCost {
        /// The link.
        link: usize,
        /// Its cost.
        value: f32,
    },
    /// An end of a link that does not lie on the polygon it names.
    #[error("link {link} has an end at ({}, {}), which is not on polygon {polygon}", point.x, point.z)]
    LinkOffPolygon {
        /// The link.
        link: usize,
        /// The polygon it names.
        polygon: PolyId,
        /// The end, in cells of the grid.
        point: PlanPoint,
    },
    /// A tile that changes, of whose surroundings not all are among the changes.
    #[error("tile {tile} changes, but tile {beside} beside it is not among the changes")]
    TileBeside {
        /// The tile.
        tile: TileKey,
        /// The adjacent one.
        beside: TileKey,
    },
    /// Two links of one id.
    #[error("two links have the id {id}")]
    SameLinkId {
        /// Their id.
        id: LinkId,
    },
    /// A link of a kind that is not known.
    #[error("link {link} has kind {value}, which is not known")]
    LinkKind {
        /// The link.
        link: usize,
        /// Its kind.
        value: u32,
    },
    /// Bytes of another format than the requested one.
    #[error("this is no {expected}")]
    OtherFormat {
        /// The requested format.
        expected: MeshFormat,
    },
    /// Bytes of no format that is known.
    #[error("this is no navigation mesh (.wmesh or .wmrun)")]
    UnknownFormat,
    /// A file of another version of the format.
    #[error(
        "this is a {format} of version {found}, but version {} is read: {}",
        format.version(),
        format.remedy(*found)
    )]
    FileVersion {
        /// The format of the file.
        format: MeshFormat,
        /// The version of the file.
        found: u32,
    },
    /// A file that ends too early.
    #[error("the file ends after {available} of {needed} bytes")]
    FileTruncated {
        /// Bytes it should have.
        needed: u64,
        /// Bytes it has.
        available: u64,
    },
    /// A file whose lengths do not agree.
    #[error("the sections take {needed} bytes, the file states {stated} and has {available}")]
    FileLength {
        /// Bytes that the sections take.
        needed: u64,
        /// Bytes that the file states.
        stated: u64,
        /// Bytes it has.
        available: u64,
    },
    /// A section of a file that is not the one expected, or has too many or too few elements.
    #[error("section {section} of the file is missing or cannot have {elements} elements")]
    FileSection {
        /// The section.
        section: &'static str,
        /// Elements it states.
        elements: u64,
    },
    /// The table of areas makes none.
    #[error("the table of areas is broken")]
    AreaTable,
    /// A file that was damaged.
    #[error("the file is damaged: its checksum is {computed:08x}, but it states {stated:08x}")]
    FileChecksum {
        /// The checksum it states.
        stated: u32,
        /// The checksum of its bytes.
        computed: u32,
    },
    /// A table of a packed mesh that does not follow from the others.
    #[error("entry {element} of {table} is not what the other tables give")]
    PackedDerived {
        /// Name of the table.
        table: &'static str,
        /// The entry, or its polygon.
        element: usize,
    },
    /// A polygon of a packed mesh that is not convex.
    #[error("polygon {polygon} is not convex")]
    NotConvex {
        /// The polygon.
        polygon: PolyId,
    },
    /// An edge of a packed mesh whose neighbour does not know it.
    #[error("edge {edge} leads to polygon {neighbour}, but not back")]
    OneSided {
        /// The edge.
        edge: usize,
        /// The polygon beyond.
        neighbour: u32,
    },
    /// A number that is not finite, or would not be in metres.
    #[error("entry {element} of {table} is {value}, not a finite number of metres")]
    NotFinite {
        /// Name of the table.
        table: &'static str,
        /// The entry.
        element: usize,
        /// Its value.
        value: f32,
    },
}
