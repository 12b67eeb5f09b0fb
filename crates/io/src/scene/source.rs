//! Scene files as a source of triangles that need not all be in memory.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use waymesh_core::stage::StageError;
use waymesh_core::{TriangleSoup, TriangleSource, TriangleVisitor};

use super::{LoadOptions, SceneFormat, SoupBuilder, load_with, stl};
use crate::{IoError, Place};

/// Files of this many bytes together are read once and kept.
const KEPT_BYTES: u64 = 64 << 20;
/// Triangles handed on at once.
const PORTION: usize = 4096;

/// Scene files, read whenever their triangles are asked for.
///
/// # Memory
/// Files of up to 64 MiB together are read once and kept. Beyond that, binary STL is streamed, whatever its size; of other formats one
/// file at a time is in memory. So a world beyond memory is either one binary STL, or any number of files of a handy size.
#[derive(Debug)]
pub struct SceneSource {
    files: Vec<PathBuf>,
    options: LoadOptions,
    kept: Option<TriangleSoup>,
}

impl SceneSource {
    /// Looks at the files, and reads them if they are small.
    ///
    /// # Errors
    /// As [`super::load_with`] for small files; for large ones only what their size and beginning tell. Whatever else is wrong with a large
    /// file is the error of [`TriangleSource::visit`].
    pub fn open<P: AsRef<Path>>(files: &[P], options: &LoadOptions) -> Result<Self, IoError> {
        Self::open_keeping(files, options, KEPT_BYTES)
    }

    fn open_keeping<P: AsRef<Path>>(files: &[P], options: &LoadOptions, most: u64) -> Result<Self, IoError> {
        options.validate()?;
        if files.is_empty() {
            return Err(IoError::NoFiles);
        }
        let mut bytes = 0;
        for file in files {
            let file = file.as_ref();
            let size =
                file.metadata().map_err(|source| IoError::Read { file: file.to_owned(), source })?.len();
            bytes += size;
        }
        let kept = if bytes <= most { Some(load_with(files, options)?) } else { None };
        let files = files.iter().map(|file| file.as_ref().to_owned()).collect();
        Ok(Self { files, options: *options, kept })
    }

    /// The scene, if it is kept in memory.
    #[must_use]
    pub fn soup(&self) -> Option<&TriangleSoup> {
        self.kept.as_ref()
    }
}

impl TriangleSource for SceneSource {
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        if let Some(soup) = &self.kept {
            return soup.visit(visit);
        }
        for file in &self.files {
            let failed = |error: IoError| StageError::new("read", error);
            match BinaryStl::open(file).map_err(failed)? {
                Some(mut stl) => stl.visit(&self.options, visit)?,
                None => load_with(&[file], &self.options).map_err(failed)?.visit(visit)?,
            }
        }
        Ok(())
    }
}

/// A binary STL file, read record by record.
struct BinaryStl<'a> {
    path: &'a Path,
    file: BufReader<File>,
    triangles: usize,
}

impl<'a> BinaryStl<'a> {
    /// `None` if the file is something else.
    fn open(path: &'a Path) -> Result<Option<Self>, IoError> {
        let failed = |source| IoError::Read { file: path.to_owned(), source };
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut beginning = Vec::new();
        (&mut file).take(stl::SNIFFED as u64).read_to_end(&mut beginning).map_err(failed)?;
        let format = SceneFormat::from_extension(path).or_else(|| SceneFormat::sniff(&beginning));
        let is_stl = matches!(format, Some(SceneFormat::Stl) | None);
        if !is_stl || stl::is_text_of(&beginning, length) {
            return Ok(None);
        }
        let Some(needed) = stl::stated_length(&beginning) else { return Ok(None) };
        if needed > length {
            if format.is_none() {
                return Ok(None);
            }
            let index =
                usize::try_from(length.saturating_sub(stl::START as u64)).unwrap_or(usize::MAX) / stl::RECORD;
            let place = Place::Element { kind: "triangle", index };
            return Err(IoError::Truncated { file: path.to_owned(), place, needed, available: length });
        }
        file.seek(SeekFrom::Start(stl::START as u64)).map_err(failed)?;
        let triangles =
            usize::try_from((needed - stl::START as u64) / stl::RECORD as u64).unwrap_or(usize::MAX);
        Ok(Some(Self { path, file: BufReader::with_capacity(1 << 20, file), triangles }))
    }

    fn visit(&mut self, options: &LoadOptions, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        let builder = SoupBuilder::new(options);
        let mut bytes = vec![0; PORTION * stl::RECORD];
        let mut portion = Vec::with_capacity(PORTION);
        let mut left = self.triangles;
        while left > 0 {
            let count = left.min(PORTION);
            left -= count;
            let bytes = &mut bytes[..count * stl::RECORD];
            self.file.read_exact(bytes).map_err(|source| {
                StageError::new("read", IoError::Read { file: self.path.to_owned(), source })
            })?;
            portion.clear();
            portion.extend(
                bytes.chunks_exact(stl::RECORD).map(|record| {
                    stl::corners(record).map(|corner: DVec3| -> Vec3 { builder.place(corner) })
                }),
            );
            visit(&portion)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StlWriter, UpAxis, write_file};

    fn triangles(count: u16) -> Vec<[Vec3; 3]> {
        let corner =
            |index: u16, add: f32| Vec3::new(f32::from(index) + add, 0.5 - add, -f32::from(index) / 3.0);
        (0..count).map(|index| [corner(index, 0.0), corner(index, 0.25), corner(index + 1, 2.0)]).collect()
    }

    fn all(source: &SceneSource) -> Result<Vec<[Vec3; 3]>, StageError> {
        let mut all = Vec::new();
        source.visit(&mut |portion| {
            all.extend_from_slice(portion);
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn streamed_and_loaded_files_give_the_same_triangles() {
        let folder = tempfile::tempdir().unwrap();
        let [stl, unnamed, obj] = ["world.stl", "world", "more.obj"].map(|name| folder.path().join(name));
        let expected = triangles(10_000);
        for file in [&stl, &unnamed] {
            write_file(file, |writer| {
                let mut stl = StlWriter::new(writer)?;
                stl.push(&expected[..7])?;
                stl.push(&expected[7..])?;
                assert_eq!(stl.finish()?, 10_000);
                Ok(())
            })
            .unwrap();
        }
        std::fs::write(&obj, "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").unwrap();
        let options = LoadOptions::default().with_scale(0.01).with_up(UpAxis::Z);
        let files = [&stl, &obj, &unnamed];
        let kept = SceneSource::open(&files, &options).unwrap();
        assert!(kept.soup().is_some());
        let streamed = SceneSource::open_keeping(&files, &options, 0).unwrap();
        assert!(streamed.soup().is_none());
        let found = all(&streamed).unwrap();
        assert_eq!(found.len(), 20_001);
        assert_eq!(found, all(&kept).unwrap());
    }

    #[test]
    fn a_file_that_ends_early_or_is_gone_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("world.stl");
        write_file(&file, |writer| {
            let mut stl = StlWriter::new(writer)?;
            stl.push(&triangles(100))?;
            stl.finish().map(drop)
        })
        .unwrap();
        let whole = std::fs::read(&file).unwrap();
        let source = SceneSource::open_keeping(&[&file], &LoadOptions::default(), 0).unwrap();
        for length in [84, 100, whole.len() - 1] {
            std::fs::write(&file, &whole[..length]).unwrap();
            let message = all(&source).unwrap_err().to_string();
            assert!(message.contains("world.stl") && message.contains("5084 bytes"), "{message}");
        }
        std::fs::remove_file(&file).unwrap();
        assert!(all(&source).unwrap_err().to_string().contains("world.stl"));
        assert!(SceneSource::open(&[&file], &LoadOptions::default()).is_err());
    }
}
