//! Labelling of the spans of a part with regions.

use waymesh_core::{FieldWindow, GridWindow, NO_REGION, RegionMap};

use super::check_core;
use super::join::{JoinedSurfaces, corner};
use super::split::{Part, pieces_of_spans};
use super::straight::StraightLinks;
use crate::error::RegionError;

/// Returns the region of every span of a part of the field, including those of the ring:
/// [`NO_REGION`] for spans that are not walkable, on removed islands, or in the ring where no part
/// was joined.
///
/// The part must be the one whose pieces were joined. Its pieces are computed again, which takes as
/// long as [`split_surfaces`](super::split_surfaces), so that no data per span has to be stored.
///
/// # Guarantees
/// - `count` is the number of regions of the whole field, so a part may contain no span of some
///   regions.
///
/// # Cost
/// Linear in the number of spans.
///
/// # Errors
/// - [`RegionError::NotWholeBlocks`] if the core is not made of whole blocks.
/// - [`RegionError::UnknownTile`] if this part was not joined, or another part was joined in its
///   place.
pub fn label_surfaces(
    part: &FieldWindow<impl StraightLinks>,
    surfaces: &JoinedSurfaces,
) -> Result<RegionMap, RegionError> {
    let borrowed = Part::of(part);
    check_core(&borrowed)?;
    let rule = surfaces.rule.ok_or(RegionError::UnknownTile { core: part.core })?;
    label(part, pieces_of_spans(&borrowed, rule), surfaces)
}

/// Returns the regions like [`label_surfaces`], but takes the piece of every span from
/// [`split_surfaces_labelled`](super::split_surfaces_labelled) instead of computing it again.
///
/// # Errors
/// See [`label_surfaces`]. Also [`RegionError::UnknownTile`] for a table of another length.
pub fn label_split_surfaces(
    part: &FieldWindow<impl StraightLinks>,
    pieces: Vec<u32>,
    surfaces: &JoinedSurfaces,
) -> Result<RegionMap, RegionError> {
    check_core(&Part::of(part))?;
    if pieces.len() != part.field.ground().len() {
        return Err(RegionError::UnknownTile { core: part.core });
    }
    label(part, pieces, surfaces)
}

/// Converts pieces to regions.
fn label(
    part: &FieldWindow<impl StraightLinks>,
    mut labels: Vec<u32>,
    surfaces: &JoinedSurfaces,
) -> Result<RegionMap, RegionError> {
    let (core, window, field) = (part.core, part.window, &part.field);
    let unknown = RegionError::UnknownTile { core };
    let place = surfaces
        .order
        .binary_search_by_key(&corner(&core), |&part| corner(&surfaces.parts[part as usize].core));
    let number = surfaces.order[place.map_err(|_| unknown)?] as usize;
    let known = &surfaces.parts[number];
    if known.core != core || known.regions.len() != surfaces.label_core(number, &mut labels) {
        return Err(unknown);
    }
    for (x, z) in ring(core, window) {
        for span in field.spans_at(x - window.x, z - window.z) {
            if field.area(span).is_walkable() {
                let found = surfaces.rim.binary_search_by_key(&part.key_at(x, z, span), |&(key, _)| key);
                labels[span as usize] = found.map_or(NO_REGION, |place| surfaces.rim[place].1);
            }
        }
    }
    Ok(RegionMap { labels, count: surfaces.count() })
}

/// Returns the columns outside the core.
fn ring(core: GridWindow, window: GridWindow) -> impl Iterator<Item = (u32, u32)> {
    (window.z..window.end_z()).flat_map(move |z| {
        let is_beside = z >= core.z && z < core.end_z();
        let west = window.x..if is_beside { core.x } else { window.end_x() };
        let east = if is_beside { core.end_x()..window.end_x() } else { 0..0 };
        west.chain(east).map(move |x| (x, z))
    })
}
