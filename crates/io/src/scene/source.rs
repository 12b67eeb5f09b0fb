//! Scene files as a source of triangles that need not all be in memory.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use waymesh_core::stage::StageError;
use waymesh_core::{AreaVisitor, PlacedTriangles, TriangleSoup, TriangleSource, TriangleVisitor};

use super::areas::{AreaMap, Surface};
use super::stream::Streamed;
use super::vertices::Vertices;
use super::{LoadOptions, SceneFormat, UpAxis, load_mapped};
use crate::IoError;
use crate::files::unread;

/// Files of this many bytes together are read once and kept.
const KEPT_BYTES: u64 = 64 << 20;
/// Bytes of the triangles of a height map for each byte of the file, roughly.
const BYTES_OF_MAPS: u64 = 16;
/// Bytes in which the format of a file is recognised.
const SNIFFED: u64 = 4096;

/// Scene files, read at each visit of their triangles.
///
/// # Memory
/// Files of up to 64 MiB together are read once and kept. Beyond that:
/// - Binary STL is streamed, whatever its size.
/// - OBJ and binary PLY are also streamed. Faces name vertices anywhere in the file, so all
///   vertices are looked up: up to 64 MiB of them (5.6 million) are kept in memory, more go to a
///   temporary file of 12 bytes each, with a cache of 24 MiB. A file whose faces name vertices
///   roughly in their order is read nearly as fast as from memory. The first visit reads an OBJ
///   twice.
/// - Height maps are kept, at 4 bytes a height, and found by their place: a tile makes the
///   triangles that it needs. A map counts 16 times its bytes towards the 64 MiB.
/// - glTF, text STL and text PLY are read whole, one file at a time.
#[derive(Debug)]
pub struct SceneSource {
    files: Vec<PathBuf>,
    options: LoadOptions,
    areas: Option<AreaMap>,
    kept: Option<TriangleSoup>,
    /// Vertices of each file that is streamed and has them apart from its faces, once they are
    /// known.
    vertices: Vec<OnceLock<Mutex<Vertices>>>,
    /// The height map of each file that is one.
    maps: Vec<Option<Map>>,
    /// Bytes of vertices of a file that are held in memory.
    most: u64,
}

impl SceneSource {
    /// Checks the files, and reads them if they are small. A map gives areas by the names of surfaces;
    /// a reader of plain triangles does not get them.
    ///
    /// # Errors
    /// See [`super::load_with`] for small files. For large ones only errors in their size and
    /// beginning; [`TriangleSource::visit`] reports all others.
    pub fn open<P: AsRef<Path>>(
        files: &[P],
        options: &LoadOptions,
        areas: Option<&AreaMap>,
    ) -> Result<Self, IoError> {
        Self::open_keeping(files, options, areas, KEPT_BYTES)
    }

    fn open_keeping<P: AsRef<Path>>(
        files: &[P],
        options: &LoadOptions,
        areas: Option<&AreaMap>,
        most: u64,
    ) -> Result<Self, IoError> {
        options.validate()?;
        if files.is_empty() {
            return Err(IoError::NoFiles);
        }
        let mut bytes = 0;
        for file in files {
            let file = file.as_ref();
            let size = file.metadata().map_err(unread(file))?.len();
            let is_map = SceneFormat::from_extension(file) == Some(SceneFormat::Heights);
            bytes += if is_map { size.saturating_mul(BYTES_OF_MAPS) } else { size };
        }
        let kept = if bytes <= most { Some(load_mapped(files, options, areas)?.0) } else { None };
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        let vertices = files.iter().map(|_| OnceLock::new()).collect();
        let maps = if kept.is_some() {
            Vec::new()
        } else {
            files.iter().map(|file| open_map(file, options, areas)).collect::<Result<_, _>>()?
        };
        Ok(Self { files, options: *options, areas: areas.cloned(), kept, vertices, maps, most })
    }

    /// Returns the options of the files; the axis that points up is that of their format, if it has
    /// one, as height maps and CityJSON have.
    #[must_use]
    pub fn options(&self) -> LoadOptions {
        let is_z_up = |file: &PathBuf| {
            let mut beginning = Vec::new();
            if SceneFormat::from_extension(file).is_none() {
                let file = std::fs::File::open(file).map(|file| file.take(SNIFFED));
                // Errors of files are for who reads their triangles.
                drop(file.and_then(|mut file| file.read_to_end(&mut beginning)));
            }
            matches!(SceneFormat::of(file, &beginning), Some(SceneFormat::Heights | SceneFormat::CityJson))
        };
        if self.files.iter().all(is_z_up) { self.options.with_up(UpAxis::Z) } else { self.options }
    }
}

type Map = Arc<dyn PlacedTriangles>;

/// Reads a height map; `None` if the file is something else.
fn open_map(file: &Path, options: &LoadOptions, areas: Option<&AreaMap>) -> Result<Option<Map>, IoError> {
    #[cfg(feature = "heights")]
    if let Some(map) = super::heights::HeightMap::open(file, options, areas)? {
        return Ok(Some(Arc::new(map)));
    }
    Ok(None)
}

impl TriangleSource for SceneSource {
    fn as_soup(&self) -> Option<&TriangleSoup> {
        self.kept.as_ref()
    }

    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        self.visit_with_areas(&mut |triangles, _| visit(triangles))
    }

    fn visit_with_areas(&self, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        if let Some(soup) = &self.kept {
            return soup.visit_with_areas(visit);
        }
        self.maps.iter().flatten().try_for_each(|map| map.visit_in(&map.bounds(), visit))?;
        self.visit_others(visit)
    }

    fn placed(&self) -> Vec<Arc<dyn PlacedTriangles>> {
        self.maps.iter().flatten().cloned().collect()
    }

    fn visit_others(&self, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        if let Some(soup) = &self.kept {
            return soup.visit_with_areas(visit);
        }
        let files = self.files.iter().zip(&self.vertices).zip(&self.maps);
        for ((file, vertices), _) in files.filter(|(_, map)| map.is_none()) {
            if let Some(streamed) = Streamed::open(file)? {
                let surface = Surface::of(self.areas.as_ref(), file);
                let vertices = match vertices.get() {
                    Some(vertices) => vertices,
                    None => {
                        let read = streamed.vertices(file, &self.options, self.most)?;
                        vertices.get_or_init(|| Mutex::new(read))
                    }
                };
                streamed.visit(file, &self.options, vertices, surface, visit)?;
            } else {
                let soup = load_mapped(&[file], &self.options, self.areas.as_ref())?.0;
                soup.visit_with_areas(visit)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::AreaId;

    use super::super::{SurfaceNames, load_with};
    use super::*;
    use crate::{StlWriter, Winding, write_file};

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
        let options =
            LoadOptions::default().with_scale(0.01).with_up(UpAxis::Z).with_origin([5e5, -0.3, 1e7]);
        let files = [&stl, &obj, &unnamed];
        let mut other = Vec::new();
        for winding in [Winding::AsRead, Winding::Flipped, Winding::TwoSided] {
            let options = options.with_winding(winding);
            let kept = SceneSource::open(&files, &options, None).unwrap();
            assert!(kept.as_soup().is_some());
            let streamed = SceneSource::open_keeping(&files, &options, None, 0).unwrap();
            assert!(streamed.as_soup().is_none());
            let found = all(&streamed).unwrap();
            assert_eq!(found.len(), 20_001);
            assert_eq!(found, all(&kept).unwrap());
            assert_ne!(found, other);
            other = found;
        }
    }

    /// An OBJ file with one area per face, and a file with one area.
    #[test]
    fn streamed_and_loaded_files_have_the_same_areas() {
        let folder = tempfile::tempdir().unwrap();
        let [water, level] = ["water.stl", "level.obj"].map(|name| folder.path().join(name));
        let expected = triangles(5000);
        write_file(&water, |writer| {
            let mut stl = StlWriter::new(writer)?;
            stl.push(&expected)?;
            stl.finish().map(|_| ())
        })
        .unwrap();
        let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 0 1\n");
        for face in 0..6000 {
            text += ["usemtl mud\n", "usemtl\tglass\n", "g 7\n", "o a b\n", ""][face % 5];
            text += "f 1 2 3\n";
        }
        std::fs::write(&level, text).unwrap();
        let area_of = |names: &SurfaceNames| {
            let of = |name: &str, known: &[&str]| {
                known.iter().position(|known| *known == name).map_or(0, |at| u8::try_from(at).unwrap() + 1)
            };
            AreaId(
                of(&names.material, &["mud", "glass"]) * 16
                    + of(&names.group, &["7"]) * 8
                    + of(&names.object, &["a b"]) * 4
                    + of(&names.file, &["water", "level"]),
            )
        };
        let map = AreaMap::new(area_of);
        let found = |most: u64| {
            let options = LoadOptions::default();
            let source = SceneSource::open_keeping(&[&water, &level], &options, Some(&map), most).unwrap();
            assert_eq!(source.as_soup().is_none(), most == 0);
            let mut found = Vec::new();
            source
                .visit_with_areas(&mut |triangles, areas| {
                    assert!(areas.is_empty() || areas.len() == triangles.len());
                    let area = |index| areas.get(index).copied().unwrap_or(AreaId::GROUND);
                    found.extend((0..triangles.len()).map(area));
                    Ok(())
                })
                .unwrap();
            found
        };
        let kept = found(u64::MAX);
        assert_eq!(found(0), kept);
        assert!(kept[..5000].iter().all(|area| *area == AreaId(1)));
        assert_eq!(kept[5000..5006], [18, 34, 42, 46, 46, 30].map(AreaId));
        let loaded = load_mapped(&[&level], &LoadOptions::default(), Some(&map)).unwrap().0;
        assert_eq!(loaded.areas(), &kept[5000..]);
        assert!(load_with(&[&level], &LoadOptions::default()).unwrap().areas().is_empty());
    }

    /// A file read whole and in portions: the same triangles, bit for bit, also the second time.
    fn assert_streamed_like_whole(file: &Path, most: u64) -> usize {
        let options = LoadOptions::default().with_scale(0.3).with_up(UpAxis::Z);
        assert!(Streamed::open(file).unwrap().is_some(), "{}", file.display());
        let whole = load_with(&[file], &options);
        let streamed = SceneSource::open_keeping(&[file], &options, None, most).unwrap();
        assert!(streamed.as_soup().is_none());
        match whole {
            Ok(whole) => {
                let bits = |corners: [Vec3; 3]| corners.map(|corner| corner.to_array().map(f32::to_bits));
                let expected: Vec<_> =
                    (0..whole.triangles().len()).map(|at| bits(whole.corners(at))).collect();
                for _ in 0..2 {
                    let found: Vec<_> = all(&streamed).unwrap().into_iter().map(bits).collect();
                    assert!(found == expected, "{}", file.display());
                }
                expected.len()
            }
            Err(error) => {
                let found = all(&streamed).unwrap_err().to_string();
                assert!(found.ends_with(&error.to_string()), "{found} instead of {error}");
                0
            }
        }
    }

    /// Statements in every order, polygons, continued lines, numbers that are none, relative
    /// corners, vertices that come later.
    #[test]
    fn streamed_obj_files_are_those_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scene.obj");
        let mut random = waymesh_core::Random::new(4);
        for round in 0..40 {
            let mut text = String::from("\u{feff}# made up\n");
            let end = ["\n", "\r\n", "\r"][round % 3];
            let mut known = 0_i64;
            let later = if round % 4 == 0 { 3 } else { 0 };
            for line in 0..200 {
                if line < 4 || random.chance(0.5) {
                    known += 1;
                    let x =
                        if random.chance(0.02) { "nan".into() } else { random.range(-5.0, 5.0).to_string() };
                    let split = if random.chance(0.2) { format!("\\ {end}") } else { String::new() };
                    text += &format!("v {x} {split} {} {}{end}", random.unit(), random.range(-1e4, 1e4));
                } else {
                    text.push('f');
                    for _ in 0..random.below(9) + 1 {
                        let corner = i64::from(random.below(u32::try_from(known + later).unwrap())) + 1;
                        let corner = if random.chance(0.3) { corner - known - later - 1 } else { corner };
                        // Counted back beyond the first vertex, sometimes: an error.
                        text += &format!(" {corner}/7");
                    }
                    text += end;
                }
            }
            if round % 8 == 0 {
                text += &format!("v 0 0 0{end}v 1 1 1{end}v 2 2 2");
            }
            std::fs::write(&file, text).unwrap();
            assert_streamed_like_whole(&file, 0);
        }
        std::fs::write(&file, "v 0 0 0\nv 1 0 0\n").unwrap();
        assert_streamed_like_whole(&file, 0);
    }

    #[test]
    fn streamed_ply_files_are_those_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scene.ply");
        let mut random = waymesh_core::Random::new(6);
        for (round, big) in [(0, false), (1, true), (2, false), (3, true)] {
            let order = if big { "big" } else { "little" };
            let (vertices, faces) = (30_000_u32, 20_000_u32);
            let mut bytes = format!(
                "ply\nformat binary_{order}_endian 1.0\ncomment made up\nelement other 2\nproperty list uchar short numbers\n\
                 element vertex {vertices}\nproperty float x\nproperty uchar red\nproperty double y\nproperty float z\n\
                 element face {faces}\nproperty list uchar int vertex_indices\nproperty short flags\nend_header\n"
            )
            .into_bytes();
            let put = |bytes: &mut Vec<u8>, little: &[u8]| {
                if big { bytes.extend(little.iter().rev()) } else { bytes.extend(little) }
            };
            for numbers in [0_u8, 3] {
                bytes.push(numbers);
                (0..numbers).for_each(|number| put(&mut bytes, &i16::from(number).to_le_bytes()));
            }
            for _ in 0..vertices {
                put(&mut bytes, &random.range(-9.0, 9.0).to_le_bytes());
                bytes.push(7);
                put(&mut bytes, &f64::from(random.unit()).to_le_bytes());
                put(&mut bytes, &random.range(-1e3, 1e3).to_le_bytes());
            }
            for face in 0..faces {
                let corners = u8::try_from(random.below(9)).unwrap() + 1;
                bytes.push(corners);
                for _ in 0..corners {
                    // Out of range once, in one file.
                    let beyond = round == 2 && face == faces / 2;
                    let corner = if beyond { vertices } else { random.below(vertices) };
                    put(&mut bytes, &corner.to_le_bytes());
                }
                put(&mut bytes, &1_i16.to_le_bytes());
            }
            if round == 3 {
                bytes.truncate(bytes.len() - 1);
            }
            std::fs::write(&file, &bytes).unwrap();
            match round {
                // The one is streamed to its end, the other is known to be short from the beginning: both say
                // which face.
                3 => {
                    let source =
                        SceneSource::open_keeping(&[&file], &LoadOptions::default(), None, 0).unwrap();
                    let message = all(&source).unwrap_err().to_string();
                    assert!(message.contains("scene.ply: face 19999: needs"), "{message}");
                }
                _ => assert_eq!(assert_streamed_like_whole(&file, 0) > 0, round != 2),
            }
        }
    }

    /// Real levels, if they are available, through the streaming readers.
    #[test]
    fn streamed_levels_are_those_read_whole() {
        for name in
            ["golden/Meshes/nav_test.obj", "golden/Meshes/dungeon.obj", "golden/Meshes/undulating.obj"]
        {
            let Some(level) = waymesh_testkit::levels::find(name) else { continue };
            assert!(assert_streamed_like_whole(&level, 0) > 0);
        }
        let folder = tempfile::tempdir().unwrap();
        for scene in waymesh_scenes::Scene::ALL {
            let soup = scene.broken(2);
            let file = folder.path().join("scene.obj");
            let mut text = String::new();
            soup.positions().iter().for_each(|p| text += &format!("v {} {} {}\n", p.x, p.y, p.z));
            let corners = soup.triangles().iter().map(|t| t.map(|vertex| vertex + 1));
            corners.for_each(|[a, b, c]| text += &format!("f {a} {b} {c}\n"));
            std::fs::write(&file, text).unwrap();
            assert_eq!(assert_streamed_like_whole(&file, 0), soup.triangles().len(), "{}", scene.name());
        }
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
        let source = SceneSource::open_keeping(&[&file], &LoadOptions::default(), None, 0).unwrap();
        for length in [84, 100, whole.len() - 1] {
            std::fs::write(&file, &whole[..length]).unwrap();
            let message = all(&source).unwrap_err().to_string();
            assert!(message.contains("world.stl") && message.contains("5084 bytes"), "{message}");
        }
        std::fs::remove_file(&file).unwrap();
        assert!(all(&source).unwrap_err().to_string().contains("world.stl"));
        assert!(SceneSource::open(&[&file], &LoadOptions::default(), None).is_err());
    }
}
