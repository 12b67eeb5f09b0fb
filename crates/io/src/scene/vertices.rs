//! The vertices of a file that is streamed: in memory, or beyond a bound in a temporary file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use glam::Vec3;

use crate::IoError;

/// Vertices that are read from the file at once.
const BLOCK: usize = 8192;
/// Blocks of the file in memory: 24 MiB.
const BLOCKS: usize = 256;
const BYTES: usize = 12;

/// Positions by number.
#[derive(Debug)]
pub(super) struct Vertices {
    /// All of them; with a file, those that follow the ones there.
    held: Vec<Vec3>,
    /// Number of vertices in memory above which they go to a file.
    most: usize,
    spill: Option<Spill>,
}

#[derive(Debug)]
struct Spill {
    file: File,
    /// Vertices in the file, whole blocks.
    written: usize,
    /// The block that each place has, and its vertices.
    cache: Vec<(usize, Vec<Vec3>)>,
}

fn spill_error(source: std::io::Error) -> IoError {
    IoError::Write { file: std::env::temp_dir(), source }
}

impl Vertices {
    /// Holds `most_bytes` in memory at most, and a cache of 24 MiB beyond.
    pub(super) fn new(most_bytes: u64) -> Self {
        let most = usize::try_from(most_bytes / BYTES as u64).unwrap_or(usize::MAX);
        Self { held: Vec::new(), most: most.max(BLOCK), spill: None }
    }

    pub(super) fn len(&self) -> usize {
        self.held.len() + self.spill.as_ref().map_or(0, |spill| spill.written)
    }

    pub(super) fn push(&mut self, position: Vec3) -> Result<(), IoError> {
        self.held.push(position);
        if self.held.len() < if self.spill.is_some() { BLOCK } else { self.most } {
            return Ok(());
        }
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill {
                file: tempfile::tempfile().map_err(spill_error)?,
                written: 0,
                cache: vec![(usize::MAX, Vec::new()); BLOCKS],
            }),
        };
        let whole = self.held.len() / BLOCK * BLOCK;
        let rest = self.held.split_off(whole);
        for block in self.held.chunks(BLOCK) {
            let bytes: Vec<u8> =
                block.iter().flat_map(|vertex| vertex.to_array()).flat_map(f32::to_le_bytes).collect();
            spill.file.write_all(&bytes).map_err(spill_error)?;
        }
        spill.written += whole;
        self.held = rest;
        Ok(())
    }

    /// `true` if some are in a file.
    #[cfg(test)]
    pub(super) fn is_spilled(&self) -> bool {
        self.spill.is_some()
    }

    /// The vertex of this number, which is one of them.
    pub(super) fn get(&mut self, index: usize) -> Result<Vec3, IoError> {
        let Some(spill) = &mut self.spill else { return Ok(self.held[index]) };
        if index >= spill.written {
            return Ok(self.held[index - spill.written]);
        }
        let block = index / BLOCK;
        let (held, vertices) = &mut spill.cache[block % BLOCKS];
        if *held != block {
            *held = usize::MAX;
            let failed = |source| IoError::Read { file: std::env::temp_dir(), source };
            let mut bytes = vec![0; BLOCK * BYTES];
            spill.file.seek(SeekFrom::Start((block * bytes.len()) as u64)).map_err(failed)?;
            spill.file.read_exact(&mut bytes).map_err(failed)?;
            vertices.clear();
            let (axes, _) = bytes.as_chunks::<4>();
            vertices.extend(
                axes.chunks_exact(3)
                    .map(|axes| Vec3::from_array([0, 1, 2].map(|axis| f32::from_le_bytes(axes[axis])))),
            );
            *held = block;
        }
        Ok(vertices[index % BLOCK])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_vertices_are_those_that_were_pushed() {
        let position = |index: usize| {
            let number = index as f32;
            Vec3::new(number, -number / 3.0, f32::from_bits(0x7f80_0001 + u32::try_from(index).unwrap() % 7))
        };
        for (most, count) in [(1_u64 << 30, 30_000), (0, 30_000), (0, 8192 * 300 + 5), (12 * 20_000, 20_000)]
        {
            let mut vertices = Vertices::new(most);
            for index in 0..count {
                vertices.push(position(index)).unwrap();
            }
            assert_eq!(vertices.len(), count);
            assert_eq!(vertices.is_spilled(), most < 1 << 30);
            // Near and far, so that blocks come back.
            for step in 0..20_000 {
                let index = if step % 3 == 0 { step * 7919 % count } else { step % count };
                let found = vertices.get(index).unwrap();
                let bits = |vertex: Vec3| vertex.to_array().map(f32::to_bits);
                assert_eq!(bits(found), bits(position(index)), "{index} of {count}");
            }
        }
    }
}
