//! The order of vertices and links in the compact form of a mesh of tiles.

use std::cmp::Ordering;

use waymesh_core::PolyId;

use crate::mesh::link::{Link, LinkId};

/// Numbering of the vertices of a mesh of tiles in its compact form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexOrder {
    /// Vertices that tiles own, then all others.
    #[default]
    OwnFirst,
    /// By first use in polygons.
    FirstUse,
}

/// Sort key of a link in the compact form of a mesh of tiles
/// ([`NavMesh::to_compact`](crate::NavMesh::to_compact)), and in searches: by class, by the polygon
/// it leads from, by number, by the polygon it leads to, and by its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkOrder {
    /// Compared before polygons are.
    pub class: u64,
    /// Compared among links from the same polygon.
    pub number: u32,
}

/// A link of a mesh of tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileLink {
    /// Its name.
    pub id: LinkId,
    /// Its sort key.
    pub order: LinkOrder,
    /// The link.
    pub link: Link,
}

/// Compares two links, of polygons at these places.
pub(super) fn compare<P: Ord>(
    one: (&Link, LinkOrder),
    other: (&Link, LinkOrder),
    place: impl Fn(PolyId) -> P,
) -> Ordering {
    let key = |link: &Link| {
        let points = [link.from.ends, link.to.ends].map(|ends| ends.map(|end| [end.point.x, end.point.z]));
        (points, link.kind, link.both_ways, link.data)
    };
    let ((a, first), (b, second)) = (one, other);
    let polygons = |one: PolyId, other: PolyId| place(one).cmp(&place(other));
    first
        .class
        .cmp(&second.class)
        .then_with(|| polygons(a.from.polygon, b.from.polygon))
        .then(first.number.cmp(&second.number))
        .then_with(|| polygons(a.to.polygon, b.to.polygon))
        .then_with(|| key(a).cmp(&key(b)))
}
