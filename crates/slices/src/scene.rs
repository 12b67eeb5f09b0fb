//! Input that all tiles share.

use waymesh_core::stage::StageError;
use waymesh_core::{FieldWindow, GridFrame, TriangleSoup};

use crate::config::Limits;
use crate::raster::Placement;
use crate::spans::SpanGrid;

/// A function that gives spans of a tile another area, or removes them with
/// [`AreaId::NULL`](waymesh_core::AreaId::NULL). It may change them only by
/// [`waymesh_core::SpanField::set_area`], and must treat a span equally in every tile that holds
/// it.
pub type MarkSpans<'a> = dyn Fn(&mut FieldWindow<SpanGrid>) -> Result<(), StageError> + Sync + 'a;

/// Input that all tiles share.
pub(crate) struct SliceScene<'a> {
    pub(crate) soup: &'a TriangleSoup,
    pub(crate) frame: GridFrame,
    pub(crate) placement: Placement,
    pub(crate) limits: Limits,
    pub(crate) mark: Option<&'a MarkSpans<'a>>,
}

impl SliceScene<'_> {
    /// Returns `true` if the ground may be of several areas.
    pub(crate) fn has_areas(&self) -> bool {
        !self.soup.areas().is_empty() || self.mark.is_some()
    }
}
