//! Typed views into buffers, checked before they are read.

use gltf::json::accessor::sparse::Sparse;
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::validation::Checked;
use waymesh_core::{nearest_f32, saturating_u32};

use super::buffer::Buffers;
use crate::{IoError, Place};

/// Elements of one type, one after the other at a distance.
struct View<'b> {
    bytes: &'b [u8],
    stride: usize,
}

impl View<'_> {
    /// `SIZE` bytes of an element at `offset` into it. Zero beyond the end, which the check on
    /// making the view rules out.
    fn word<const SIZE: usize>(&self, element: usize, offset: usize) -> [u8; SIZE] {
        let start = element * self.stride + offset;
        self.bytes.get(start..start + SIZE).and_then(|word| word.try_into().ok()).unwrap_or([0; SIZE])
    }

    fn component(&self, element: usize, component: usize, kind: ComponentType) -> f64 {
        let offset = component * kind.size();
        match kind {
            ComponentType::I8 => f64::from(i8::from_le_bytes(self.word(element, offset))),
            ComponentType::U8 => f64::from(u8::from_le_bytes(self.word(element, offset))),
            ComponentType::I16 => f64::from(i16::from_le_bytes(self.word(element, offset))),
            ComponentType::U16 => f64::from(u16::from_le_bytes(self.word(element, offset))),
            ComponentType::U32 => f64::from(u32::from_le_bytes(self.word(element, offset))),
            ComponentType::F32 => f64::from(f32::from_le_bytes(self.word(element, offset))),
        }
    }
}

impl<'a> Buffers<'a> {
    /// `count` elements of `size` bytes in a buffer view, all of them inside it.
    fn view(
        &mut self,
        index: usize,
        offset: u64,
        (count, size): (u64, usize),
        place: Place,
    ) -> Result<View<'_>, IoError> {
        let source = self.source;
        let view = source.get(&self.root.buffer_views, index, "buffer view", place)?;
        let view_place = Place::Element { kind: "buffer view", index };
        let stride = match view.byte_stride {
            Some(stride) if stride.0 != 0 => stride.0,
            _ => size,
        };
        if stride < size {
            return Err(source.malformed(view_place, "a stride of an element at least", stride.to_string()));
        }
        let start = view.byte_offset.map_or(0, |offset| offset.0);
        let bytes = self.bytes(view.buffer.value(), view_place)?;
        let Some(inside) = part(bytes, start, view.byte_length.0) else {
            let needed = start.saturating_add(view.byte_length.0);
            return Err(source.truncated(view_place, needed, bytes.len() as u64));
        };
        let length = match count {
            0 => 0,
            _ => (count - 1).saturating_mul(stride as u64).saturating_add(size as u64),
        };
        match part(inside, offset, length) {
            Some(bytes) => Ok(View { bytes, stride }),
            None => Err(source.truncated(place, offset.saturating_add(length), inside.len() as u64)),
        }
    }

    /// An accessor, its place and its component type, after checking that it has the expected shape.
    fn typed(
        &self,
        index: usize,
        shape: Type,
        user: Place,
    ) -> Result<(&'a Accessor, Place, ComponentType), IoError> {
        let accessor = self.source.get(&self.root.accessors, index, "accessor", user)?;
        let place = Place::Element { kind: "accessor", index };
        let Checked::Valid(component) = accessor.component_type else {
            return Err(self.source.malformed(place, "a component type", "an unknown number"));
        };
        if !matches!(accessor.type_, Checked::Valid(found) if found == shape) {
            let expected = if shape == Type::Vec3 { "type VEC3" } else { "type SCALAR" };
            return Err(self.source.malformed(place, expected, "another type"));
        }
        Ok((accessor, place, component.0))
    }

    /// Positions in the units of the mesh. Normalised integers are mapped to -1..1 or 0..1
    /// (`KHR_mesh_quantization`). An accessor without bytes is all zeros except its sparse
    /// values; the caller bounds its count.
    pub(super) fn positions(&mut self, index: usize, user: Place) -> Result<Vec<[f32; 3]>, IoError> {
        let (accessor, place, kind) = self.typed(index, Type::Vec3, user)?;
        let count = accessor.count.0;
        let divisor = match (accessor.normalized, kind) {
            (true, ComponentType::I8) => 127.0,
            (true, ComponentType::U8) => 255.0,
            (true, ComponentType::I16) => 32_767.0,
            (true, ComponentType::U16) => 65_535.0,
            _ => 1.0,
        };
        let decode = |view: &View<'_>, element: usize| {
            [0, 1, 2].map(|axis| {
                let value = view.component(element, axis, kind) / divisor;
                // The most negative integer also means -1.
                nearest_f32(if divisor > 1.0 { value.max(-1.0) } else { value })
            })
        };
        let size = 3 * kind.size();
        // First, because what these take is bounded by their bytes.
        let replaced: Vec<(u32, [f32; 3])> = match &accessor.sparse {
            Some(sparse) => {
                let numbers = self.sparse_indices(sparse, place)?;
                let (base, offset) = (sparse.values.buffer_view.value(), sparse.values.byte_offset.0);
                let view = self.view(base, offset, (sparse.count.0, size), place)?;
                numbers
                    .into_iter()
                    .zip(0..)
                    .map(|(number, element)| (number, decode(&view, element)))
                    .collect()
            }
            None => Vec::new(),
        };
        let mut positions = match &accessor.buffer_view {
            Some(base) => {
                let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
                let view = self.view(base.value(), offset, (count, size), place)?;
                element_range(count).map(|element| decode(&view, element)).collect()
            }
            None => vec![[0.0; 3]; element_range(count).len()],
        };
        let vertices = positions.len();
        for (number, position) in replaced {
            let slot = positions.get_mut(number as usize);
            *slot.ok_or_else(|| self.source.out_of_range(place, "vertex", number, vertices))? = position;
        }
        Ok(positions)
    }

    /// Numbers of the vertices that a sparse table replaces.
    fn sparse_indices(&mut self, sparse: &Sparse, place: Place) -> Result<Vec<u32>, IoError> {
        let Checked::Valid(kind) = sparse.indices.component_type else {
            let expected = "a component type of sparse indices";
            return Err(self.source.malformed(place, expected, "an unknown number"));
        };
        let (base, offset) = (sparse.indices.buffer_view.value(), sparse.indices.byte_offset.0);
        self.whole_numbers(base, offset, (sparse.count.0, kind.0), place)
    }

    /// Vertex indices of a primitive.
    pub(super) fn indices(&mut self, index: usize, user: Place) -> Result<Vec<u32>, IoError> {
        let (accessor, place, kind) = self.typed(index, Type::Scalar, user)?;
        if !matches!(kind, ComponentType::U8 | ComponentType::U16 | ComponentType::U32) {
            return Err(self.source.malformed(place, "indices of an unsigned type", format!("{kind:?}")));
        }
        let Some(base) = &accessor.buffer_view else {
            return Err(self.source.malformed(place, "a buffer view", "none"));
        };
        if accessor.sparse.is_some() {
            return Err(self.source.unsupported(format!("sparse indices (accessor {index})")));
        }
        let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
        self.whole_numbers(base.value(), offset, (accessor.count.0, kind), place)
    }

    fn whole_numbers(
        &mut self,
        base: usize,
        offset: u64,
        (count, kind): (u64, ComponentType),
        place: Place,
    ) -> Result<Vec<u32>, IoError> {
        let view = self.view(base, offset, (count, kind.size()), place)?;
        Ok(element_range(count).map(|element| saturating_u32(view.component(element, 0, kind))).collect())
    }
}

/// Returns `length` bytes from `start` on; `None` if they are not all there.
fn part(bytes: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

/// Elements `0..count` of a view that was found to lie in memory.
fn element_range(count: u64) -> std::ops::Range<usize> {
    0..usize::try_from(count).unwrap_or(usize::MAX)
}
