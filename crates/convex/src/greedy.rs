//! Greedy merging.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::stage::{Decompose, StageError};
use waymesh_core::{Observer, PolyMesh, Triangulation};

use crate::ConvexError;
use crate::faces::Faces;

/// How [`merge_greedy`] works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GreedyConfig {
    /// Most corners of a merged polygon, at least 3; 0 for no limit. Default 0.
    pub max_vertices: u32,
    /// Which edge goes first. Default [`MergeOrder::FewestWays`].
    pub order: MergeOrder,
}

/// Which edge [`merge_greedy`] removes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeOrder {
    /// Merge the polygon that has the fewest ways left to merge (then the smallest), across the
    /// edge with the fewest notches at its ends, the longest first. On random polygons this
    /// leaves 6 to 17 % fewer polygons than the longest edge first.
    #[default]
    FewestWays,
    /// Remove the longest edge, as Mononen's Recast does.
    LongestEdge,
}

impl GreedyConfig {
    /// Sets [`GreedyConfig::max_vertices`].
    #[must_use]
    pub fn with_max_vertices(mut self, max_vertices: u32) -> Self {
        self.max_vertices = max_vertices;
        self
    }

    /// Sets [`GreedyConfig::order`].
    #[must_use]
    pub fn with_order(mut self, order: MergeOrder) -> Self {
        self.order = order;
        self
    }

    /// Checks all fields.
    ///
    /// # Errors
    /// [`ConvexError::BadMaxVertices`] for 1 and 2.
    pub fn validate(&self) -> Result<(), ConvexError> {
        check_max_vertices(self.max_vertices)
    }
}

pub(crate) fn check_max_vertices(max_vertices: u32) -> Result<(), ConvexError> {
    if matches!(max_vertices, 1 | 2) {
        return Err(ConvexError::BadMaxVertices { max_vertices });
    }
    Ok(())
}

/// Merges triangles to convex polygons by removing edges, one after the other, for as long as one
/// can go.
///
/// # Guarantees
/// - Polygons are convex, lie in one region and area, and meet edge to edge; together they cover
///   exactly the triangles.
/// - No edge is left between two polygons of one region and area that together are convex and
///   within `max_vertices`. (Corners that are dropped in the end, see below, count here.)
/// - Without a limit there are at most four times as many cells in a polygon as in the best
///   decomposition, because every edge left is needed at one of its ends (Hertel and Mehlhorn
///   1983). In practice it is a few per cent.
/// - A vertex that lies straight in the border between two polygons, and that no third one uses, is
///   dropped; other vertices keep their order. Corners on walls stay.
/// - Polygons are numbered by region, then by their lowest triangle, and start at their corner that
///   came first there.
///
/// # Cost
/// About `n log n` for `n` triangles.
///
/// # Errors
/// For bad configuration, unknown vertices, triangles without area, and neighbours that are not
/// mutual.
///
/// # References
/// - Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 5 (longest edge:
///   Recast's `rcBuildPolyMesh`).
/// - Karp and Sipser 1981, Maximum matching in sparse random graphs (what has the fewest ways left goes first),
///   <https://doi.org/10.1109/SFCS.1981.21>.
pub fn merge_greedy(triangulation: &Triangulation, config: &GreedyConfig) -> Result<PolyMesh, ConvexError> {
    config.validate()?;
    let mut faces = Faces::new(triangulation)?;
    match config.order {
        MergeOrder::FewestWays => Ok(merged(faces, config.max_vertices).into_polygons()),
        MergeOrder::LongestEdge => {
            let mut edges: Vec<u32> = faces.inner_edges().collect();
            edges.sort_by_cached_key(|&edge| Reverse(faces.length_squared(edge)));
            faces.remove_in_order(&mut edges, config.max_vertices);
            Ok(faces.into_polygons())
        }
    }
}

/// Merges the face with the fewest ways to do so, for as long as one can be merged.
pub(crate) fn merged(faces: Faces<'_>, max_vertices: u32) -> Faces<'_> {
    Merger::new(faces, max_vertices).run()
}

/// [`merge_greedy`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreedyMerge {
    /// How it works.
    pub config: GreedyConfig,
}

impl Decompose for GreedyMerge {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        _observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        merge_greedy(triangulation, &self.config).map_err(|error| StageError::new("decompose", error))
    }
}

/// Merges the face with the fewest ways to do so.
#[derive(Debug)]
struct Merger<'a> {
    faces: Faces<'a>,
    max_vertices: u32,
    /// Whether the edge of a half-edge can be removed now.
    removable: Vec<bool>,
    /// Whether a half-edge starts at a notch.
    notches: Vec<bool>,
    /// Removable edges of each face.
    ways: Vec<u32>,
    /// Faces by ways and size, then number. An entry counts only while it is true.
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// A half-edge of each face.
    edge_of: Vec<u32>,
    /// Edges to look at, kept for its memory.
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
            ways: vec![0; half_edges / 3],
            queue: BinaryHeap::new(),
            edge_of: (0..).step_by(3).take(half_edges / 3).collect(),
            buffer: Vec::new(),
        };
        let mut edges: Vec<u32> = merger.faces.inner_edges().collect();
        for &edge in &edges {
            merger.test(edge);
        }
        edges.clear();
        merger.buffer = edges;
        merger.queue = (0..)
            .zip(&merger.ways)
            .filter(|&(_, &ways)| ways > 0)
            .map(|(face, &ways)| Reverse((ways, 3, face)))
            .collect();
        merger
    }

    fn run(mut self) -> Faces<'a> {
        while let Some(Reverse((ways, size, face))) = self.queue.pop() {
            let start = self.edge_of[face as usize];
            if self.ways[face as usize] != ways
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
            // Several edges in one straight border go together, and only the one at its changed end has been
            // tested.
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
        let ways: u32 = removal.faces.iter().map(|&face| self.ways[face as usize] - gone).sum();
        let face = self.faces.remove(&removal);
        self.ways[face as usize] = ways;
        self.edge_of[face as usize] = removal.joints[0][0];
        // The angles have changed at the joints alone, but a limit on corners concerns the whole face.
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

    /// Finds out whether an inner edge can be removed; returns whether that is news.
    fn test(&mut self, edge: u32) -> bool {
        let removable = self.faces.removal(edge, self.max_vertices).is_some();
        let twin = self.faces.twin(edge);
        if self.removable[edge as usize] == removable {
            return false;
        }
        for half_edge in [edge, twin] {
            self.removable[half_edge as usize] = removable;
            let ways = &mut self.ways[self.faces.face(half_edge) as usize];
            *ways = if removable { *ways + 1 } else { *ways - 1 };
        }
        true
    }

    fn enqueue(&mut self, face: u32) {
        let ways = self.ways[face as usize];
        if ways > 0 {
            self.queue.push(Reverse((ways, self.faces.size(face), face)));
        }
    }
}
