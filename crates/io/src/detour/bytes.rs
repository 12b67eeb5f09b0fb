//! Polygons in the format of Detour.

use waymesh_core::bytes::Writer;

use super::tile::MAX_CORNERS;

/// Writes corners, neighbours in the format of Detour, flags, area and kind. The caller has checked
/// that the numbers fit.
pub(super) fn put_polygon(
    out: &mut Writer,
    corners: impl IntoIterator<Item = u32>,
    beyond: impl IntoIterator<Item = u16>,
    flags: u16,
    area_and_kind: u8,
) {
    let (mut tables, mut count) = ([[0_u16; MAX_CORNERS]; 2], 0_u8);
    for (place, corner) in tables[0].iter_mut().zip(corners) {
        *place = u16::try_from(corner).unwrap_or(u16::MAX);
        count += 1;
    }
    for (place, beyond) in tables[1].iter_mut().zip(beyond) {
        *place = beyond;
    }
    // No link: Detour computes links when it adds the tile.
    out.put(u32::MAX);
    out.put(tables);
    out.put(flags);
    out.put([count, area_and_kind]);
}
