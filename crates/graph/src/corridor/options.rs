//! Settings of a corridor, and the results of its updates.

use waymesh_core::BadField;

use crate::clearance::ClearPathOptions;
use crate::locate::error::QueryError;
use crate::locate::reach::unless_0_or_more;
use crate::mesh::costs::{Length, TravelCost};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::path::options::PathOptions;

/// Settings of a [`crate::PathCorridor`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CorridorOptions<F = AnyPolygon, C = Length> {
    /// Options of the path. [`PathOptions::cross_points`] is of no use here, but allowed.
    pub path: PathOptions<F, C>,
    /// The path of a disc, on ground with clearance ([`ClearanceNavMesh`](crate::ClearanceNavMesh)),
    /// instead of `path`: of that, only the filter and the costs count, see
    /// [`PathCorridor::is_allowed`](crate::PathCorridor::is_allowed). Default: `None`, a point.
    pub disc: Option<ClearPathOptions>,
    /// A corridor that has become longer than its plan by more than this share of its length is
    /// planned again. At least a cell of the grid is always allowed. 0 or more; default 0.1.
    pub max_drift: f32,
    /// Longest detour of a repair in metres; after a longer move of an end the corridor of a point is
    /// planned again. 0 or more; default 10.
    pub range: f32,
    /// `true` to repair a corridor where the mesh or the filter changed instead of planning it again;
    /// that of a disc is planned again where the mesh or its links changed. Default: `true`.
    pub repair: bool,
}

impl Default for CorridorOptions {
    fn default() -> Self {
        Self { path: PathOptions::default(), disc: None, max_drift: 0.1, range: 10.0, repair: true }
    }
}

impl CorridorOptions {
    /// Returns the default options for a disc of this radius, in metres.
    #[must_use]
    pub fn for_disc(radius: f32) -> Self {
        Self::default().with_disc(ClearPathOptions::new(radius))
    }
}

waymesh_core::setters! {
    impl<F, C> CorridorOptions<F, C> {
        with_disc(disc: Some(ClearPathOptions));
        with_max_drift(max_drift: f32);
        with_range(range: f32);
        with_repair(repair: bool);
    }
}

impl<F: PolygonFilter, C: TravelCost> CorridorOptions<F, C> {
    /// Sets what path is wanted.
    #[must_use]
    pub fn with_path<G: PolygonFilter, D: TravelCost>(
        self,
        path: PathOptions<G, D>,
    ) -> CorridorOptions<G, D> {
        let Self { path: _, disc, max_drift, range, repair } = self;
        CorridorOptions { path, disc, max_drift, range, repair }
    }

    /// Names the first field that is out of range.
    ///
    /// # Errors
    /// If there is one.
    pub fn validate(&self) -> Result<(), BadField> {
        unless_0_or_more("max_drift", self.max_drift)?;
        unless_0_or_more("range", self.range)?;
        self.disc.map_or(Ok(()), |disc| disc.validate())
    }
}

/// The result of an update of a corridor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CorridorChange {
    /// It leads through the same polygons, but for those at its ends that it lost or gained by
    /// their moves.
    Kept,
    /// The mesh changed: it was found again on the new one, as far as it is still there.
    Repaired {
        /// Number of its legs that were replaced by a detour or removed.
        detours: usize,
    },
    /// It was planned again.
    Replanned {
        /// The reason.
        reason: ReplanReason,
    },
    /// There is none: no path leads anywhere, or none was planned.
    Nothing,
}

/// The result of a call of a corridor.
pub(super) type Changed = Result<CorridorChange, QueryError>;

/// The reason why a corridor was planned again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplanReason {
    /// The caller requested it, or there was no corridor.
    Asked,
    /// It had become longer than its plan by more than [`CorridorOptions::max_drift`].
    Drifted,
    /// An end moved to where no short path leads.
    Jumped,
    /// The mesh, its links or what the filter allows changed so that it could not be mended within
    /// [`CorridorOptions::range`], or was not to be.
    Changed,
}
