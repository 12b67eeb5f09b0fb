//! The input: a triangle soup.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use glam::{DVec3, Vec3, Vec3Swizzles};
use thiserror::Error;

use crate::stage_error::StageError;
use crate::{AreaId, Bounds, Counter, Observer, Warning};

/// A set of triangles in any order, not necessarily closed or consistently oriented. Metres, y up,
/// right-handed.
///
/// The winding decides which side is up: a triangle whose normal `(b - a) x (c - a)` points up is a
/// floor. Each triangle has an area, the material of its upper side: [`AreaId::GROUND`] unless set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSoup {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Empty while every triangle is [`AreaId::GROUND`].
    areas: Vec<AreaId>,
}

/// A triangle of a soup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoupTriangle {
    /// Its corners.
    pub corners: [Vec3; 3],
    /// Area of its upper side; [`AreaId::NULL`] is solid but not walkable.
    pub area: AreaId,
}

impl From<[Vec3; 3]> for SoupTriangle {
    /// Returns a triangle of [`AreaId::GROUND`].
    fn from(corners: [Vec3; 3]) -> Self {
        Self { corners, area: AreaId::GROUND }
    }
}

/// Errors of a soup that cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SoupError {
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// Index of the vertex.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// The number of vertices or triangles exceeds 32-bit indices.
    #[error("{count} {element}, the limit is {limit}")]
    TooMany {
        /// `"vertices"` or `"triangles"`.
        element: &'static str,
        /// Number of elements.
        count: usize,
        /// Largest number allowed.
        limit: usize,
    },
    /// The numbers of areas and triangles differ.
    #[error("{areas} areas for {triangles} triangles")]
    AreaCount {
        /// Number of areas.
        areas: usize,
        /// Number of triangles.
        triangles: usize,
    },
}

/// Counts of the unusable triangles of a soup, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedTriangles {
    /// A vertex is NaN or infinite.
    pub not_finite: u64,
    /// Two corners coincide or all three are collinear: no area, no normal.
    pub degenerate: u64,
}

/// Returns `true` if three finite corners span an area: their [`triangle_normal`] is not zero.
#[inline]
#[must_use]
pub fn has_area(corners: [Vec3; 3]) -> bool {
    triangle_normal(corners) != DVec3::ZERO
}

/// Returns the normal of a triangle. Its length is twice the area.
///
/// Computed in double precision from the lowest corner, so that rounding does not depend on the
/// order of the corners: swapping two of them only changes the sign.
#[inline]
#[must_use]
pub fn triangle_normal(corners: [Vec3; 3]) -> DVec3 {
    let key = |index: usize| corners[index].to_array();
    let mut first = 0;
    for other in [1, 2] {
        if key(other) < key(first) {
            first = other;
        }
    }
    let [a, b, c] = [0, 1, 2].map(|step| corners[(first + step) % 3].as_dvec3());
    (b - a).cross(c - a)
}

impl SkippedTriangles {
    /// Counts one triangle if it is unusable, and returns `true` in this case.
    pub fn add(&mut self, corners: [Vec3; 3]) -> bool {
        let finite = corners.iter().all(|corner| corner.is_finite());
        self.not_finite += u64::from(!finite);
        let flat = finite && !has_area(corners);
        self.degenerate += u64::from(flat);
        !finite || flat
    }

    /// Returns the number of all skipped triangles.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.not_finite + self.degenerate
    }

    /// Reports the counts to `observer`, with a warning if any is above zero.
    pub fn report(&self, observer: &mut dyn Observer) {
        let Self { not_finite, degenerate } = *self;
        for (counter, amount) in
            [(Counter::TrianglesNotFinite, not_finite), (Counter::TrianglesDegenerate, degenerate)]
        {
            if amount > 0 {
                observer.count(counter, amount);
            }
        }
        if self.total() > 0 {
            observer.warn(Warning::TrianglesSkipped { not_finite, degenerate });
        }
    }
}

impl TriangleSoup {
    /// Returns a soup of indexed triangles. Positions may have any value, including NaN; see
    /// [`TriangleSoup::finite_triangles`].
    ///
    /// # Errors
    /// - [`SoupError::IndexOutOfRange`] for the first triangle with a missing vertex.
    /// - [`SoupError::TooMany`] beyond `u32::MAX` vertices or triangles.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, SoupError> {
        let mut soup = Self::default();
        soup.append(positions, triangles)?;
        Ok(soup)
    }

    /// Returns a soup of indexed triangles, copied from the tables of an engine.
    ///
    /// # Errors
    /// See [`TriangleSoup::new`].
    pub fn from_slices(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Self, SoupError> {
        Self::new(positions.iter().copied().map(Vec3::from_array).collect(), triangles.to_vec())
    }

    /// Returns the triangles of a source, in memory; a soup is borrowed.
    ///
    /// # Errors
    /// For a source that cannot be read, and beyond `u32::MAX` vertices.
    pub fn of(source: &dyn TriangleSource) -> Result<Cow<'_, Self>, StageError> {
        if let Some(soup) = source.as_soup() {
            return Ok(Cow::Borrowed(soup));
        }
        let (mut positions, mut areas) = (Vec::new(), Vec::new());
        source.visit_with_areas(&mut |triangles, given| {
            positions.extend_from_slice(triangles.as_flattened());
            areas.extend_from_slice(given);
            areas.resize(positions.len() / 3, AreaId::GROUND);
            Ok(())
        })?;
        #[expect(clippy::cast_possible_truncation, reason = "too many vertices are refused below")]
        let triangles =
            (0..areas.len()).map(|triangle| [0, 1, 2].map(|corner| (3 * triangle + corner) as u32));
        let soup = Self::new(positions, triangles.collect()).and_then(|soup| soup.with_areas(areas));
        soup.map(Cow::Owned).map_err(StageError::at("read"))
    }

    /// Adds triangles whose indices are relative to the first of `positions`.
    ///
    /// # Errors
    /// See [`TriangleSoup::new`]. The soup is then unchanged.
    pub fn append(&mut self, positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<(), SoupError> {
        self.append_area(positions, triangles, AreaId::GROUND)
    }

    /// Adds triangles of one area like [`TriangleSoup::append`]. Triangles of [`AreaId::NULL`] are
    /// solid but not walkable.
    ///
    /// # Errors
    /// See [`TriangleSoup::append`].
    pub fn append_area(
        &mut self,
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        area: AreaId,
    ) -> Result<(), SoupError> {
        let before = self.triangles.len();
        self.append_triangles(positions, triangles)?;
        if area != AreaId::GROUND {
            self.areas.resize(before, AreaId::GROUND);
        }
        if area != AreaId::GROUND || !self.areas.is_empty() {
            self.areas.resize(self.triangles.len(), area);
        }
        Ok(())
    }

    fn append_triangles(&mut self, positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<(), SoupError> {
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

    /// Returns all vertex positions.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Returns all triangles, as indices into the positions. Every index is in range.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the triangles with these areas, one per triangle.
    ///
    /// # Errors
    /// [`SoupError::AreaCount`] if the numbers of areas and triangles differ.
    pub fn with_areas(mut self, areas: Vec<AreaId>) -> Result<Self, SoupError> {
        let (count, triangles) = (areas.len(), self.triangles.len());
        if count != triangles {
            return Err(SoupError::AreaCount { areas: count, triangles });
        }
        self.areas = if areas.iter().all(|&area| area == AreaId::GROUND) { Vec::new() } else { areas };
        Ok(self)
    }

    /// Returns the area of each triangle; empty if all are [`AreaId::GROUND`].
    #[must_use]
    pub fn areas(&self) -> &[AreaId] {
        &self.areas
    }

    /// Returns the area of one triangle.
    #[inline]
    #[must_use]
    pub fn area(&self, triangle: usize) -> AreaId {
        self.areas.get(triangle).copied().unwrap_or(AreaId::GROUND)
    }

    /// Returns the corners of one triangle.
    ///
    /// # Panics
    /// If the triangle does not exist.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|vertex| self.positions[vertex as usize])
    }

    /// Returns the corners of every triangle without NaN or infinity, in order.
    pub fn finite_triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        self.finite_with_areas().map(|triangle| triangle.corners)
    }

    /// Returns every triangle without NaN or infinity with its area, in order.
    pub fn finite_with_areas(&self) -> impl Iterator<Item = SoupTriangle> + '_ {
        (0..self.triangles.len())
            .map(|triangle| SoupTriangle { corners: self.corners(triangle), area: self.area(triangle) })
            .filter(|triangle| triangle.corners.iter().all(|c| c.is_finite()))
    }

    /// Returns the bounds of the finite triangles; [`Bounds::EMPTY`] for a soup without any.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds::of(self.finite_triangles().flatten())
    }

    /// Returns an upper bound of the number of columns that the finite triangles overlap on a grid
    /// of this cell size, summed over the triangles.
    #[must_use]
    pub fn columns_at_most(&self, cell_size: f32) -> f64 {
        let cell = f64::from(cell_size);
        let columns = |corners: [Vec3; 3]| {
            let [a, b, c] = corners.map(|corner| corner.as_dvec3().xz() / cell);
            let size = a.max(b).max(c) - a.min(b).min(c);
            let area = (b - a).perp_dot(c - a).abs() / 2.0;
            // Bound of a line that crosses one column per cell of its longer side, plus corners.
            (area + size.x + size.y + 1.0).min((size.x + 2.0) * (size.y + 2.0))
        };
        self.finite_triangles().map(columns).sum()
    }

    /// Returns the soup without duplicates: triangles with the same corners, winding and area as an
    /// earlier one. `None` if it has no duplicates, or if triangles are so small on a grid of this
    /// cell size that finding duplicates costs more than rasterising them.
    #[must_use]
    pub fn without_copies(&self, cell_size: f32) -> Option<Self> {
        /// Columns per triangle above which rasterising takes longer than finding duplicates.
        const COLUMNS: f64 = 64.0;
        let count = self.triangles.len();
        if count < 2 || self.columns_at_most(cell_size) < COLUMNS * count as f64 {
            return None;
        }
        let mut seen = HashSet::with_capacity(count);
        let kept: Vec<usize> = (0..count)
            .filter(|&triangle| {
                let corners = self.corners(triangle);
                if SkippedTriangles::default().add(corners) {
                    // Unusable triangles are counted elsewhere.
                    return true;
                }
                let bits = corners.map(|corner| corner.to_array().map(f32::to_bits));
                let first = (0..3).min_by_key(|&corner| bits[corner]).unwrap_or(0);
                let turned = [0, 1, 2].map(|step| bits[(first + step) % 3]);
                seen.insert((turned, self.area(triangle)))
            })
            .collect();
        (kept.len() < count).then(|| Self {
            positions: self.positions.clone(),
            triangles: kept.iter().map(|&triangle| self.triangles[triangle]).collect(),
            areas: if self.areas.is_empty() {
                Vec::new()
            } else {
                kept.iter().map(|&triangle| self.area(triangle)).collect()
            },
        })
    }

    /// Counts the triangles that have no finite area.
    #[must_use]
    pub fn skipped(&self) -> SkippedTriangles {
        let mut skipped = SkippedTriangles::default();
        for triangle in 0..self.triangles.len() {
            skipped.add(self.corners(triangle));
        }
        skipped
    }
}

/// A source of triangles that can be read repeatedly, in batches: a soup, or files larger than
/// memory.
pub trait TriangleSource: Sync {
    /// Passes the corners of all triangles to `visit`, batch by batch, including broken triangles.
    ///
    /// # Errors
    /// Errors that `visit` returns, and errors of an unreadable source.
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError>;

    /// Passes the batches of [`TriangleSource::visit`] with the area of each triangle; without
    /// areas if all triangles of a batch are [`AreaId::GROUND`]. A source without areas need not
    /// define it.
    ///
    /// # Errors
    /// See [`TriangleSource::visit`].
    fn visit_with_areas(&self, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        self.visit(&mut |triangles| visit(triangles, &[]))
    }

    /// The triangles, if they are all in memory as a soup.
    fn as_soup(&self) -> Option<&TriangleSoup> {
        None
    }

    /// The parts of the source of which a reader can have the triangles at a place alone. Default
    /// none.
    fn placed(&self) -> Vec<Arc<dyn PlacedTriangles>> {
        Vec::new()
    }

    /// Passes on the triangles that are in none of the parts of [`TriangleSource::placed`], as
    /// [`TriangleSource::visit_with_areas`] does.
    ///
    /// # Errors
    /// See [`TriangleSource::visit`].
    fn visit_others(&self, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        self.visit_with_areas(visit)
    }
}

/// Triangles that are found by their place, such as those of a height map. All are finite.
pub trait PlacedTriangles: Debug + Send + Sync {
    /// Box around all triangles.
    fn bounds(&self) -> Bounds;

    /// Passes on at least the triangles that reach into a box, whatever their height.
    ///
    /// # Errors
    /// Errors that `visit` returns.
    fn visit_in(&self, place: &Bounds, visit: &mut AreaVisitor<'_>) -> Result<(), StageError>;

    /// Most triangles that [`PlacedTriangles::visit_in`] passes on.
    fn count_in(&self, place: &Bounds) -> usize;
}

/// The function to which a [`TriangleSource`] passes its triangles.
pub type TriangleVisitor<'a> = dyn FnMut(&[[Vec3; 3]]) -> Result<(), StageError> + 'a;

/// The function to which a [`TriangleSource`] passes its triangles and their areas.
pub type AreaVisitor<'a> = dyn FnMut(&[[Vec3; 3]], &[AreaId]) -> Result<(), StageError> + 'a;

impl TriangleSource for TriangleSoup {
    fn as_soup(&self) -> Option<&TriangleSoup> {
        Some(self)
    }

    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        self.visit_with_areas(&mut |triangles, _| visit(triangles))
    }

    fn visit_with_areas(&self, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        /// Large enough that the cost of a call does not matter, small enough that the batch on the
        /// stack stays in the cache.
        const BATCH_LEN: usize = 1024;
        let mut portion = Vec::with_capacity(BATCH_LEN.min(self.triangles.len()));
        let mut areas = self.areas.chunks(BATCH_LEN);
        for triangles in self.triangles.chunks(BATCH_LEN) {
            portion.clear();
            portion.extend(
                triangles.iter().map(|corners| corners.map(|vertex| self.positions[vertex as usize])),
            );
            visit(&portion, areas.next().unwrap_or_default())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Every order of the corners.
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

    #[test]
    fn whether_a_sliver_has_area_does_not_depend_on_the_order_of_its_corners() {
        let mut random = Random::new(11);
        let (mut flat, mut told_apart) = (0, 0);
        for round in 0..60_000_u32 {
            let scale = [1e-30, 1e-3, 1.0, 1e4, 1e15][round as usize % 5];
            let mut point = || Vec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0) * scale));
            let (a, b) = (point(), point());
            // On the line through the two others, to single precision, or one step of single
            // precision off it.
            let mut c = a + (b - a) * random.range(-2.0, 3.0);
            match round % 3 {
                0 => c = [a, b][round as usize / 3 % 2],
                1 => c.y = f32::from_bits(c.y.to_bits() ^ 1),
                _ => {}
            }
            let corners = [a, b, c];
            let found = ORDERS.map(|order| has_area(order.map(|corner| corners[corner])));
            assert!(found.iter().all(|&one| one == found[0]), "{corners:?}: {found:?}");
            flat += u32::from(!found[0]);
            let single = ORDERS.map(|order| {
                let [a, b, c] = order.map(|corner| corners[corner]);
                (b - a).cross(c - a) == Vec3::ZERO
            });
            told_apart += u32::from(single.iter().any(|&one| one != single[0]));
        }
        assert!(flat >= 20_000, "{flat}");
        assert!(told_apart > 0, "single precision would do as well");
    }

    #[test]
    fn copies_are_left_out_but_not_what_only_looks_like_one() {
        let (a, b, c) = (Vec3::ZERO, Vec3::Z * 9.0, Vec3::X * 9.0);
        let positions = vec![a, b, c, Vec3::NAN];
        let (used, turned, flipped) = ([0, 1, 2], [1, 2, 0], [0, 2, 1]);
        let triangles =
            vec![used, used, turned, flipped, flipped, [3, 1, 2], [3, 1, 2], [0, 0, 1], [0, 0, 1]];
        let soup = TriangleSoup::new(positions, triangles).expect("indices are in range");
        let distinct = soup.without_copies(0.1).expect("there are copies");
        assert_eq!(distinct.triangles(), [used, flipped, [3, 1, 2], [3, 1, 2], [0, 0, 1], [0, 0, 1]]);
        assert_eq!(distinct.skipped(), soup.skipped());
        assert_eq!(distinct.without_copies(0.1), None);
        assert_eq!(soup.without_copies(10.0), None, "triangles of one cell");
        let marked = soup.with_areas((0..9).map(|area| AreaId(1 + area % 2)).collect()).expect("one each");
        let distinct = marked.without_copies(0.1).expect("the turned one is a copy");
        assert_eq!(distinct.triangles()[..4], [used, used, flipped, flipped]);
        assert_eq!(distinct.areas()[..4], [1, 2, 2, 1].map(AreaId));
    }

    #[test]
    fn every_triangle_is_skipped_for_one_reason_or_not_at_all() {
        let (x, z) = (Vec3::X, Vec3::Z);
        let mut skipped = SkippedTriangles::default();
        assert!(!skipped.add([Vec3::ZERO, z, x]));
        assert!(!skipped.add([Vec3::ZERO, z * 1e-20, x * 1e-20]));
        assert!(skipped.add([x, x, z]) && skipped.add([x, x * 2.0, x * 3.0]));
        assert!(skipped.add([Vec3::NAN; 3]) && skipped.add([x, x, Vec3::INFINITY]));
        assert_eq!(skipped, SkippedTriangles { not_finite: 2, degenerate: 2 });
    }
}
