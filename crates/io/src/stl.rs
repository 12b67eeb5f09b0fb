//! Triangles to binary STL, portion by portion.

use std::io::{Seek, SeekFrom, Write};

use glam::Vec3;

/// Writes a binary STL file of any number of triangles without holding them.
///
/// The number of triangles is written last, so the writer must be able to seek. A file that is not
/// finished states 0 triangles.
#[derive(Debug)]
pub struct StlWriter<W> {
    writer: W,
    triangles: u32,
}

impl<W: Write + Seek> StlWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(mut writer: W) -> std::io::Result<Self> {
        let mut header = [b' '; 80];
        let title = b"waymesh, metres, y up";
        header[..title.len()].copy_from_slice(title);
        writer.write_all(&header)?;
        writer.write_all(&0_u32.to_le_bytes())?;
        Ok(Self { writer, triangles: 0 })
    }

    /// Appends triangles.
    ///
    /// # Errors
    /// Those of the writer; [`std::io::ErrorKind::FileTooLarge`] beyond `u32::MAX` triangles, which
    /// is what the format can count.
    pub fn push(&mut self, triangles: &[[Vec3; 3]]) -> std::io::Result<()> {
        for &[a, b, c] in triangles {
            self.triangles = self.triangles.checked_add(1).ok_or(std::io::ErrorKind::FileTooLarge)?;
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let mut record = [0; 50];
            let numbers = [normal, a, b, c].into_iter().flat_map(|vector| vector.to_array());
            for (place, number) in record.chunks_exact_mut(4).zip(numbers) {
                place.copy_from_slice(&number.to_le_bytes());
            }
            self.writer.write_all(&record)?;
        }
        Ok(())
    }

    /// Ends the file and returns how many triangles it has.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> std::io::Result<u32> {
        self.writer.seek(SeekFrom::Start(80))?;
        self.writer.write_all(&self.triangles.to_le_bytes())?;
        self.writer.flush()?;
        Ok(self.triangles)
    }
}
