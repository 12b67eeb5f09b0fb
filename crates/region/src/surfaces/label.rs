//! Regions of the spans of a part.

use waymesh_core::{FieldWindow, GridWindow, NO_REGION, RegionMap};

use super::check_core;
use super::join::{JoinedSurfaces, corner};
use super::split::{Part, pieces_of_spans};
use super::straight::StraightLinks;
use crate::error::RegionError;

/// The region of every span of a part of the field, those of the ring too; [`NO_REGION`] where one
/// cannot walk, on islands that were dropped, and in the ring where no part was joined.
///
/// The part must be the one whose pieces were joined. Its pieces are found again, which takes as
/// long as [`split_surfaces`](super::split_surfaces) and needs nothing to be kept for a span in
/// between.
///
/// # Guarantees
/// - `count` is that of the whole field, so a part may hold none of some regions.
///
/// # Cost
/// Linear in the spans.
///
/// # Errors
/// - [`RegionError::NotWholeBlocks`] if the core is not made of whole blocks.
/// - [`RegionError::UnknownTile`] if no such part was joined, or another one at its place.
pub fn label_surfaces(
    part: &FieldWindow<impl StraightLinks>,
    surfaces: &JoinedSurfaces,
) -> Result<RegionMap, RegionError> {
    let borrowed = Part::of(part);
    check_core(&borrowed)?;
    let rule = surfaces.rule.ok_or(RegionError::UnknownTile { core: part.core })?;
    let (labels, count) = pieces_of_spans(&borrowed, rule);
    label(part, (labels, count), surfaces)
}

/// [`label_surfaces`] for who has kept the piece of every span, as
/// [`split_surfaces_labelled`](super::split_surfaces_labelled) has given it.
///
/// # Errors
/// As [`label_surfaces`], and [`RegionError::UnknownTile`] for a table of another length.
pub fn label_split_surfaces(
    part: &FieldWindow<impl StraightLinks>,
    pieces: Vec<u32>,
    surfaces: &JoinedSurfaces,
) -> Result<RegionMap, RegionError> {
    check_core(&Part::of(part))?;
    if pieces.len() != part.field.ground().len() {
        return Err(RegionError::UnknownTile { core: part.core });
    }
    let last = pieces.iter().filter(|&&piece| piece != NO_REGION).max();
    let count = last.map_or(0, |&last| last as usize + 1);
    label(part, (pieces, count), surfaces)
}

/// Turns pieces into regions.
fn label(
    part: &FieldWindow<impl StraightLinks>,
    (mut labels, count): (Vec<u32>, usize),
    surfaces: &JoinedSurfaces,
) -> Result<RegionMap, RegionError> {
    let (core, window, field) = (part.core, part.window, &part.field);
    let unknown = RegionError::UnknownTile { core };
    let place = surfaces
        .order
        .binary_search_by_key(&corner(&core), |&part| corner(&surfaces.parts[part as usize].core));
    let number = surfaces.order[place.map_err(|_| unknown)?] as usize;
    let known = &surfaces.parts[number];
    if known.core != core || known.regions.len() != count {
        return Err(unknown);
    }
    surfaces.label_core(number, &mut labels);
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

/// The columns outside the core.
fn ring(core: GridWindow, window: GridWindow) -> impl Iterator<Item = (u32, u32)> {
    (window.z..window.end_z()).flat_map(move |z| {
        let is_beside = z >= core.z && z < core.end_z();
        let west = window.x..if is_beside { core.x } else { window.end_x() };
        let east = if is_beside { core.end_x()..window.end_x() } else { 0..0 };
        west.chain(east).map(move |x| (x, z))
    })
}
