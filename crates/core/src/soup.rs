//! The input: a triangle soup.

use glam::Vec3;
use thiserror::Error;

use crate::stage::StageError;

/// Axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner.
    pub min: Vec3,
    /// Upper corner.
    pub max: Vec3,
}

impl Bounds {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around `points`.
    #[must_use]
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |bounds, point| Self {
            min: bounds.min.min(point),
            max: bounds.max.max(point),
        })
    }

    /// Whether the box is finite and holds a point at least.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.min.is_finite() && self.max.is_finite() && self.min.cmple(self.max).all()
    }
}

/// Any bag of triangles: no order, no orientation, no closedness is assumed. Metres, y up, right-handed.
///
/// Winding decides what is up: a triangle whose normal `(b - a) x (c - a)` points up is a floor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSoup {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// A soup that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SoupError {
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// More vertices or triangles than 32-bit indices can name.
    #[error("{count} {element}, the limit is {limit}")]
    TooMany {
        /// `"vertices"` or `"triangles"`.
        element: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
}

/// How many triangles of a soup no stage can use, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedTriangles {
    /// A vertex is NaN or infinite.
    pub not_finite: u64,
    /// Two corners coincide or all three lie on a line: no area, no normal.
    pub degenerate: u64,
}

impl SkippedTriangles {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.not_finite + self.degenerate
    }
}

impl TriangleSoup {
    /// A soup of indexed triangles. Positions may be anything, NaN included; see [`TriangleSoup::finite_triangles`].
    ///
    /// # Errors
    /// - [`SoupError::IndexOutOfRange`] for the first triangle that names a missing vertex.
    /// - [`SoupError::TooMany`] beyond `u32::MAX` vertices or triangles.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, SoupError> {
        let mut soup = Self::default();
        soup.append(positions, triangles)?;
        Ok(soup)
    }

    /// Adds triangles whose indices count from the first of `positions`.
    ///
    /// # Errors
    /// As [`TriangleSoup::new`]; the soup is then unchanged.
    pub fn append(&mut self, positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<(), SoupError> {
        let limit = u32::MAX as usize;
        for (element, count) in [
            ("vertices", self.positions.len() + positions.len()),
            ("triangles", self.triangles.len() + triangles.len()),
        ] {
            if count > limit {
                return Err(SoupError::TooMany { element, count, limit });
            }
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= positions.len()) {
                return Err(SoupError::IndexOutOfRange { triangle, vertex, vertices: positions.len() });
            }
        }
        if self.positions.is_empty() {
            (self.positions, self.triangles) = (positions, triangles);
            return Ok(());
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked against the limit above")]
        let base = self.positions.len() as u32;
        self.positions.extend(positions);
        self.triangles.extend(triangles.into_iter().map(|corners| corners.map(|vertex| vertex + base)));
        Ok(())
    }

    /// All vertex positions.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// All triangles, as indices into the positions. Every index is in range.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of one triangle.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|vertex| self.positions[vertex as usize])
    }

    /// The corners of every triangle without NaN or infinity, in order.
    pub fn finite_triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        (0..self.triangles.len())
            .map(|triangle| self.corners(triangle))
            .filter(|corners| corners.iter().all(|c| c.is_finite()))
    }

    /// Bounds of the finite triangles; [`Bounds::EMPTY`] if there is none.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds::of(self.finite_triangles().flatten())
    }

    /// Counts the triangles that have no finite area.
    #[must_use]
    pub fn skipped(&self) -> SkippedTriangles {
        let mut skipped = SkippedTriangles::default();
        for triangle in 0..self.triangles.len() {
            let [a, b, c] = self.corners(triangle);
            if !(a.is_finite() && b.is_finite() && c.is_finite()) {
                skipped.not_finite += 1;
            } else if (b - a).cross(c - a) == Vec3::ZERO {
                skipped.degenerate += 1;
            }
        }
        skipped
    }
}

/// Triangles that come in portions, as often as asked: a soup, or files that memory does not hold.
pub trait TriangleSource: Sync {
    /// Hands the corners of all triangles to `visit`, portion by portion, broken triangles too.
    ///
    /// # Errors
    /// What `visit` returns, and for a source that cannot be read any more.
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError>;
}

/// What a [`TriangleSource`] hands its triangles to.
pub type TriangleVisitor<'a> = dyn FnMut(&[[Vec3; 3]]) -> Result<(), StageError> + 'a;

impl TriangleSource for TriangleSoup {
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        /// Enough that a call costs nothing, few enough for the stack's cache.
        const PORTION: usize = 1024;
        let mut portion = Vec::with_capacity(PORTION.min(self.triangles.len()));
        for triangles in self.triangles.chunks(PORTION) {
            portion.clear();
            portion.extend(
                triangles.iter().map(|corners| corners.map(|vertex| self.positions[vertex as usize])),
            );
            visit(&portion)?;
        }
        Ok(())
    }
}
