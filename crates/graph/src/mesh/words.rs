//! Little-endian numbers, one after the other, as files of meshes have them.

use super::data::LinkData;

/// Takes numbers from the front of bytes. Past the end every number is 0: readers check lengths
/// first.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a>(pub(crate) &'a [u8]);

impl Words<'_> {
    #[inline]
    pub(crate) fn bytes<const COUNT: usize>(&mut self) -> [u8; COUNT] {
        let Some((bytes, rest)) = self.0.split_first_chunk() else {
            self.0 = &[];
            return [0; COUNT];
        };
        self.0 = rest;
        *bytes
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    #[inline]
    pub(crate) fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.bytes())
    }

    #[inline]
    pub(crate) fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.bytes())
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    #[inline]
    pub(crate) fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.bytes())
    }

    /// Takes a link as [`put_link`] writes it.
    pub(crate) fn link(&mut self) -> LinkData {
        let mut link = LinkData { polygons: [self.u32(), self.u32()], ..LinkData::default() };
        for (point, height) in link.points.iter_mut().zip(&mut link.heights) {
            (*point, *height) = ([self.i32(), self.i32()], self.f32());
        }
        link.extra_cost = self.f32();
        (link.kind, link.data) = (self.u32(), self.u32());
        link
    }
}

/// Appends numbers.
pub(crate) fn put(out: &mut Vec<u8>, words: impl IntoIterator<Item = u32>) {
    words.into_iter().for_each(|word| out.extend(word.to_le_bytes()));
}

/// Appends a link, 68 bytes.
pub(crate) fn put_link(out: &mut Vec<u8>, link: &LinkData) {
    put(out, link.polygons);
    for ([x, z], height) in link.points.iter().zip(link.heights) {
        put(out, [x.cast_unsigned(), z.cast_unsigned(), height.to_bits()]);
    }
    put(out, [link.extra_cost.to_bits(), link.kind, link.data]);
}
