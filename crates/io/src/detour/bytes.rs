//! Numbers in the format of Detour: little-endian.

use super::tile::MAX_CORNERS;

/// The bytes of a growing file.
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Bytes {
    pub(super) fn u16(&mut self, number: u16) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn i32s(&mut self, numbers: impl IntoIterator<Item = i32>) {
        self.0.extend(numbers.into_iter().flat_map(i32::to_le_bytes));
    }

    pub(super) fn u32s(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.0.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    }

    pub(super) fn f32s(&mut self, numbers: impl IntoIterator<Item = f32>) {
        self.0.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
    }

    /// Writes corners, neighbours in the format of Detour, flags, area and kind. The caller has
    /// checked that the numbers fit.
    pub(super) fn polygon(
        &mut self,
        corners: impl IntoIterator<Item = u32>,
        beyond: impl IntoIterator<Item = u16>,
        flags: u16,
        area_and_kind: u8,
    ) {
        let short = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        let (mut table, mut count) = ([0; 2 * MAX_CORNERS], 0_u8);
        for (place, corner) in table.iter_mut().zip(corners) {
            *place = short(corner);
            count += 1;
        }
        for (place, beyond) in table[MAX_CORNERS..].iter_mut().zip(beyond) {
            *place = beyond;
        }
        // No link: Detour computes links when it adds the tile.
        self.u32s([u32::MAX]);
        table.into_iter().for_each(|number| self.u16(number));
        self.u16(flags);
        self.0.extend([count, area_and_kind]);
    }
}
