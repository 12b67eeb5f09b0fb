//! Greedy merging.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::stage::{Decompose, StageError};
use waymesh_core::{BadField, Observer, PolyMesh, Triangulation, checkpoint, checkpoint_every};

use crate::ConvexError;
use crate::faces::Faces;

/// Configuration of [`merge_greedy`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GreedyConfig {
    /// Largest number of corners of a merged polygon, at least 3; 0 for no limit. Default 0.
    pub max_vertices: u32,
    /// Order in which edges are removed. Default [`MergeOrder::FewestWays`].
    pub order: MergeOrder,
}

/// Order in which [`merge_greedy`] removes edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeOrder {
    /// First the polygon that can be merged across the fewest edges (then the smallest), and of its
    /// edges the one with the fewest notches at its ends, then the longest. On random regions this
    /// leaves 6 to 17 % fewer polygons than the longest edge first.
    #[default]
    FewestWays,
    /// First the longest edge, as in Mononen's Recast.
    LongestEdge,
    /// In the order of the triangles (Hertel and Mehlhorn): about three times as fast as
    /// [`MergeOrder::FewestWays`], but leaves more polygons.
    Stored,
}

waymesh_core::setters! {
    impl GreedyConfig {
        with_max_vertices(max_vertices: u32);
        with_order(order: MergeOrder);
    }
}

impl GreedyConfig {
    /// Checks all fields.
    ///
    /// # Errors
    /// [`ConvexError::BadField`] names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), ConvexError> {
        check_max_vertices(self.max_vertices)
    }
}

pub(crate) fn check_max_vertices(max_vertices: u32) -> Result<(), ConvexError> {
    let is_fine = !matches!(max_vertices, 1 | 2);
    Ok(BadField::unless(is_fine, "max_vertices", max_vertices, "0 (no limit) or at least 3")?)
}

/// Merges triangles to convex polygons by removing edges one by one, until no more can be removed.
///
/// # Guarantees
/// - Polygons are convex, lie in one region and area, and meet edge to edge; together they cover
///   exactly the triangles.
/// - No edge remains between two polygons of one region and area that together are convex and
///   within `max_vertices`. (Vertices that are dropped at the end, see below, count as corners
///   here.)
/// - Without a limit, the result has at most four times as many polygons as the best decomposition,
///   because every remaining edge is needed at one of its ends: each notch needs at most two, and a
///   cut serves at most two notches (Hertel and Mehlhorn 1983). In practice it has a few per cent
///   more.
/// - A vertex on a straight border between two polygons that no third polygon uses is dropped.
///   Other vertices keep their order. Corners on walls stay.
/// - Polygons are numbered by region, then by their lowest triangle, and start at the first corner
///   of that triangle that is still a corner.
///
/// # Cost
/// About `n log n` for `n` triangles; linear for [`MergeOrder::Stored`], up to the almost constant
/// cost of finding the polygon of a triangle.
///
/// # Errors
/// For bad configuration, unknown vertices, triangles without area, and neighbours that are not
/// mutual.
///
/// # References
/// - Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 5 (longest edge:
///   Recast's `rcBuildPolyMesh`).
/// - Hertel and Mehlhorn 1983, Fast triangulation of simple polygons,
///   <https://doi.org/10.1007/3-540-12689-9_105>.
/// - Karp and Sipser 1981, Maximum matching in sparse random graphs (the element with the fewest
///   choices first), <https://doi.org/10.1109/SFCS.1981.21>.
pub fn merge_greedy(triangulation: &Triangulation, config: &GreedyConfig) -> Result<PolyMesh, ConvexError> {
    config.validate()?;
    let mut faces = Faces::new(triangulation)?;
    let faces = match config.order {
        MergeOrder::FewestWays => merged(faces, config.max_vertices),
        MergeOrder::LongestEdge => {
            let mut edges: Vec<u32> = faces.inner_edges().collect();
            edges.sort_by_cached_key(|&edge| Reverse(faces.length_squared(edge)));
            faces.remove_in_order(edges, config.max_vertices);
            faces
        }
        MergeOrder::Stored => merged_as_stored(faces, config.max_vertices),
    };
    Ok(faces.into_mesh())
}

/// Removes edges in the order of the triangles.
pub(crate) fn merged_as_stored(mut faces: Faces<'_>, max_vertices: u32) -> Faces<'_> {
    let edges = faces.inner_edges().collect();
    faces.remove_in_order(edges, max_vertices);
    faces
}

/// Merges the face with the fewest removable edges, until no face can be merged.
pub(crate) fn merged(faces: Faces<'_>, max_vertices: u32) -> Faces<'_> {
    Merger::new(faces, max_vertices).run()
}

/// [`merge_greedy`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreedyMerge {
    /// The configuration.
    pub config: GreedyConfig,
}

impl Decompose for GreedyMerge {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        _observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        merge_greedy(triangulation, &self.config).map_err(StageError::at("decompose"))
    }
}

/// The state of the greedy merging.
#[derive(Debug)]
struct Merger<'a> {
    faces: Faces<'a>,
    max_vertices: u32,
    /// For each half-edge, `true` if its edge can currently be removed.
    removable: Vec<bool>,
    /// For each half-edge, `true` if it starts at a notch.
    notches: Vec<bool>,
    /// Number of removable edges of each face.
    removable_count: Vec<u32>,
    /// Faces by number of removable edges, size and index. An entry is valid only while it matches
    /// the tables.
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// A half-edge of each face.
    edge_of: Vec<u32>,
    /// Edges to test, reused as a buffer.
    buffer: Vec<u32>,
}

impl<'a> Merger<'a> {
    fn new(faces: Faces<'a>, max_vertices: u32) -> Self {
        let (half_edges, notches) = (faces.half_edge_count(), faces.notches());
        let mut merger = Self {
            faces,
            max_vertices,
            removable: vec![false; half_edges],
            notches,
            removable_count: vec![0; half_edges / 3],
            queue: BinaryHeap::new(),
            edge_of: (0..).step_by(3).take(half_edges / 3).collect(),
            buffer: Vec::new(),
        };
        let mut edges: Vec<u32> = merger.faces.inner_edges().collect();
        for &edge in &edges {
            checkpoint_every(1 << 12, edge as usize);
            merger.test(edge);
        }
        edges.clear();
        merger.buffer = edges;
        merger.queue = (0..)
            .zip(&merger.removable_count)
            .filter(|&(_, &count)| count > 0)
            .map(|(face, &count)| Reverse((count, 3, face)))
            .collect();
        merger
    }

    fn run(mut self) -> Faces<'a> {
        while let Some(Reverse((count, size, face))) = self.queue.pop() {
            checkpoint();
            let start = self.edge_of[face as usize];
            if self.removable_count[face as usize] != count
                || self.faces.size(face) != size
                || self.faces.face(start) != face
            {
                continue;
            }
            let best =
                self.faces.around(start).filter(|&edge| self.removable[edge as usize]).min_by_key(|&edge| {
                    let notches = [edge, self.faces.twin(edge)].map(|end| self.notches[end as usize]);
                    let notches = u8::from(notches[0]) + u8::from(notches[1]);
                    (notches, Reverse(self.faces.length_squared(edge)), edge)
                });
            if let Some(edge) = best {
                self.merge(edge);
            }
        }
        self.faces
    }

    fn merge(&mut self, edge: u32) {
        let Some(removal) = self.faces.removal(edge, self.max_vertices) else {
            // Several edges in one straight border are removed together, and only the edge at the
            // changed end has been tested.
            self.test(edge);
            for half_edge in [edge, self.faces.twin(edge)] {
                let face = self.faces.face(half_edge);
                self.enqueue(face);
            }
            return;
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(self.faces.around(removal.first).take_while(|&at| at != removal.last));
        buffer.push(removal.last);
        let mut gone = 0;
        for &edge in &buffer {
            gone += u32::from(std::mem::replace(&mut self.removable[edge as usize], false));
            self.removable[self.faces.twin(edge) as usize] = false;
        }
        let count: u32 = removal.faces.iter().map(|&face| self.removable_count[face as usize] - gone).sum();
        let face = self.faces.remove(&removal);
        self.removable_count[face as usize] = count;
        self.edge_of[face as usize] = removal.joints[0][0];
        // Angles have changed at the joints only, but a limit on corners concerns the whole face.
        buffer.clear();
        if self.max_vertices == 0 {
            buffer.extend(removal.joints.into_iter().flatten());
        } else {
            buffer.extend(self.faces.around(removal.joints[0][0]));
        }
        for &edge in &buffer {
            if self.faces.is_inner(edge) && self.test(edge) {
                let beyond = self.faces.face(self.faces.twin(edge));
                self.enqueue(beyond);
            }
        }
        self.buffer = buffer;
        self.enqueue(face);
    }

    /// Tests if an inner edge can be removed. Returns `true` if the answer has changed.
    fn test(&mut self, edge: u32) -> bool {
        let removable = self.faces.removal(edge, self.max_vertices).is_some();
        let twin = self.faces.twin(edge);
        if self.removable[edge as usize] == removable {
            return false;
        }
        for half_edge in [edge, twin] {
            self.removable[half_edge as usize] = removable;
            let count = &mut self.removable_count[self.faces.face(half_edge) as usize];
            *count = if removable { *count + 1 } else { *count - 1 };
        }
        true
    }

    fn enqueue(&mut self, face: u32) {
        let count = self.removable_count[face as usize];
        if count > 0 {
            self.queue.push(Reverse((count, self.faces.size(face), face)));
        }
    }
}
