//! Scene files to a triangle soup: options, choice of format, and what the readers share.

mod areas;
#[cfg(feature = "cityjson")]
mod cityjson;
mod faces;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "heights")]
mod heights;
mod input;
pub(crate) mod obj;
#[cfg(feature = "ply")]
mod ply;
mod source;
mod stl;
mod stream;
mod text;
mod vertices;

use std::path::Path;

use glam::{DVec3, Vec3};
use waymesh_core::{AreaId, BadField, SoupError, TriangleSoup, checkpoint_every, nearest_f32};

use crate::files::read_file;
use crate::{IoError, Place};

use areas::Surface;
pub use areas::{AreaMap, AreaRuleError, AreaRules, SceneNames, SurfaceNames};
use faces::FaceCutter;
pub(crate) use input::Source;
pub use source::SceneSource;

/// Axis of the file that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// y is up, as in waymesh, glTF and most game levels: nothing changes.
    #[default]
    Y,
    /// z is up, as in CAD, GIS and robotics: `(x, y, z)` becomes `(x, z, -y)`, which keeps the
    /// scene right-handed.
    Z,
}

/// The side of a triangle that is its upper side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Winding {
    /// The side from which its corners run counter-clockwise, as the formats say. In glTF, the
    /// triangles of a `doubleSided` material that face down are turned over, except those of a
    /// closed surface, which has an inside.
    #[default]
    AsRead,
    /// The other side: all triangles are turned over.
    Flipped,
    /// Both sides: triangles that face down are turned over.
    TwoSided,
}

/// Settings of a reader: units, axes, and the upper side of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Axis that points up. Default [`UpAxis::Y`].
    pub up: UpAxis,
    /// Metres per unit of the file. Default 1, finite and above 0.
    pub scale: f32,
    /// The position of the files, in their units and axes, that becomes the origin. It is
    /// subtracted in double precision, before coordinates are rounded. Default 0, finite.
    pub origin: [f64; 3],
    /// The upper side of triangles. Default [`Winding::AsRead`].
    pub winding: Winding,
    /// Metres of one step of the heights in a grey picture or raw file, of which a pixel is one
    /// unit wide. Default 1, finite and above 0.
    pub height_step: f32,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { up: UpAxis::Y, scale: 1.0, origin: [0.0; 3], winding: Winding::AsRead, height_step: 1.0 }
    }
}

waymesh_core::setters! {
    impl LoadOptions {
        with_up(up: UpAxis);
        with_scale(scale: f32);
        with_origin(origin: [f64; 3]);
        with_winding(winding: Winding);
        with_height_step(height_step: f32);
    }
}

impl LoadOptions {
    /// Checks every field.
    ///
    /// # Errors
    /// [`BadField`] unless the scale and the step of heights are finite and above 0, and the origin
    /// finite.
    pub fn validate(&self) -> Result<(), BadField> {
        let is_length = |value: f32| value.is_finite() && value > 0.0;
        let is_fine = is_length(self.scale);
        BadField::unless(is_fine, "scale", self.scale, "finite and above 0 metres per unit")?;
        let is_fine = is_length(self.height_step);
        BadField::unless(is_fine, "height_step", self.height_step, "finite and above 0 metres")?;
        for coordinate in self.origin {
            BadField::unless(coordinate.is_finite(), "origin", nearest_f32(coordinate), "finite")?;
        }
        Ok(())
    }

    /// A position of the file in metres, y up. Coordinates are moved and scaled in double precision
    /// and rounded once.
    fn place(&self, position: DVec3) -> Vec3 {
        let scaled = (position - DVec3::from_array(self.origin)) * f64::from(self.scale);
        let upright = match self.up {
            UpAxis::Y => scaled,
            UpAxis::Z => DVec3::new(scaled.x, scaled.z, -scaled.y),
        };
        upright.as_vec3()
    }

    /// Makes a soup of arrays, as if they were read from a file with these options.
    ///
    /// # Errors
    /// See [`TriangleSoup::new`].
    pub fn soup(
        &self,
        positions: impl IntoIterator<Item = DVec3>,
        mut triangles: Vec<[u32; 3]>,
    ) -> Result<TriangleSoup, SoupError> {
        let positions: Vec<Vec3> = positions.into_iter().map(|position| self.place(position)).collect();
        self.turn(&positions, &mut triangles);
        TriangleSoup::new(positions, triangles)
    }

    /// Turns triangles over so that their upper sides are floors. Corners that are no vertex are
    /// left to [`TriangleSoup::new`].
    fn turn(&self, positions: &[Vec3], triangles: &mut [[u32; 3]]) {
        if self.winding == Winding::AsRead {
            return;
        }
        for corners in triangles {
            let vertices = corners.map(|corner| positions.get(corner as usize).copied());
            if let [Some(a), Some(b), Some(c)] = vertices
                && self.turns([a, b, c])
            {
                corners.swap(1, 2);
            }
        }
    }

    /// Returns a triangle that is turned over if it has to be.
    fn turned(&self, [a, b, c]: [Vec3; 3]) -> [Vec3; 3] {
        if self.turns([a, b, c]) { [a, c, b] } else { [a, b, c] }
    }

    /// `true` if the triangle is to be turned over.
    fn turns(&self, corners: [Vec3; 3]) -> bool {
        match self.winding {
            Winding::AsRead => false,
            Winding::Flipped => true,
            Winding::TwoSided => faces_down(corners),
        }
    }
}

fn faces_down(corners: [Vec3; 3]) -> bool {
    waymesh_core::triangle_normal(corners).y < 0.0
}

/// A scene format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneFormat {
    /// Wavefront OBJ.
    Obj,
    /// glTF 2.0, as JSON or binary (GLB).
    Gltf,
    /// Stereolithography, text or binary.
    Stl,
    /// Polygon file format, text or binary.
    Ply,
    /// CityJSON (`.city.json`), or a sequence of its features (`.city.jsonl`).
    CityJson,
    /// A height map: a grid of ESRI as text (`.asc`), GeoTIFF, a grey picture (PNG) or a square of
    /// 16-bit numbers (`.raw`, `.r16`).
    Heights,
}

impl SceneFormat {
    /// Returns the format of a file's extension, in any case of letters.
    #[must_use]
    pub fn from_extension(file: &Path) -> Option<Self> {
        let extension = file.extension()?.to_str()?.to_ascii_lowercase();
        let stem = || Path::new(file.file_stem().unwrap_or_default()).extension();
        match extension.as_str() {
            "json" | "jsonl" if stem().is_some_and(|it| it.eq_ignore_ascii_case("city")) => {
                Some(Self::CityJson)
            }
            "obj" => Some(Self::Obj),
            "gltf" | "glb" => Some(Self::Gltf),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "cityjson" => Some(Self::CityJson),
            "asc" | "tif" | "tiff" | "png" | "raw" | "r16" => Some(Self::Heights),
            _ => None,
        }
    }

    /// The format of a file's extension or, where that is unknown, of its beginning.
    pub(crate) fn of(file: &Path, beginning: &[u8]) -> Option<Self> {
        Self::from_extension(file).or_else(|| Self::sniff(beginning))
    }

    /// The format that the content looks like.
    #[must_use]
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        let text = without_bom(bytes).trim_ascii_start();
        #[cfg(feature = "heights")]
        if heights::looks_like_heights(text) {
            return Some(Self::Heights);
        }
        #[cfg(feature = "cityjson")]
        if cityjson::looks_like_cityjson(text) {
            return Some(Self::CityJson);
        }
        if bytes.starts_with(b"glTF") || text.starts_with(b"{") {
            Some(Self::Gltf)
        } else if without_bom(bytes).starts_with(b"ply") {
            Some(Self::Ply)
        } else if stl::looks_like_stl(bytes) {
            Some(Self::Stl)
        } else if obj::looks_like_obj(text) {
            Some(Self::Obj)
        } else {
            None
        }
    }
}

/// Reads one scene file with default options: y up, one metre per unit.
///
/// # Errors
/// See [`load_with`].
pub fn load(file: impl AsRef<Path>) -> Result<TriangleSoup, IoError> {
    load_with(&[file], &LoadOptions::default())
}

/// Reads several files into one scene, in their order.
///
/// The format follows the extension (`.obj`, `.gltf`, `.glb`, `.stl`, `.ply`, `.city.json`, and of
/// [height maps](SceneFormat::Heights)), and the content where the extension is unknown.
///
/// # Guarantees
/// - Every face of the files becomes triangles, in order: see [`crate`] for polygons. Broken
///   triangles (no area, NaN) are kept, because the soup counts them.
/// - Memory stays in proportion to the files, also for damaged ones. Each instance in a glTF scene
///   has separate triangles; together they may have 64 corners for every byte of the files, and
///   16 million more: that is 1 KiB for a byte, and 256 MiB.
/// - Buffers of a glTF scene are regular files in its folder or below it; nothing else is opened.
///
/// # Errors
/// For a missing, truncated, malformed or empty file, an index out of range, an unknown format, a
/// required glTF extension that changes geometry, and an option out of range. No bytes make it
/// panic.
pub fn load_with<P: AsRef<Path>>(files: &[P], options: &LoadOptions) -> Result<TriangleSoup, IoError> {
    Ok(load_mapped(files, options, None)?.0)
}

/// Loads files as [`load_with`] does, with areas by the names of surfaces. Also returns the names
/// of the surface of every triangle.
///
/// # Errors
/// See [`load_with`].
pub fn load_with_names<P: AsRef<Path>>(
    files: &[P],
    options: &LoadOptions,
    areas: &AreaMap,
) -> Result<(TriangleSoup, SceneNames), IoError> {
    load_mapped(files, options, Some(areas))
}

fn load_mapped<P: AsRef<Path>>(
    files: &[P],
    options: &LoadOptions,
    areas: Option<&AreaMap>,
) -> Result<(TriangleSoup, SceneNames), IoError> {
    options.validate()?;
    if files.is_empty() {
        return Err(IoError::NoFiles);
    }
    let mut builder = SoupBuilder::new(options, areas);
    for file in files {
        let file = file.as_ref();
        parse_into(Source { file, bytes: &read_file(file)? }, &mut builder)?;
    }
    builder.finish(files[files.len() - 1].as_ref())
}

/// Reads a scene from memory, with areas by the names of surfaces if a map is given. `file` gives
/// the format and names the scene in errors; it is not opened, but external buffers of a glTF scene
/// are read from its folder.
///
/// # Errors
/// See [`load_with`].
pub fn parse_scene(
    file: &Path,
    bytes: &[u8],
    options: &LoadOptions,
    areas: Option<&AreaMap>,
) -> Result<TriangleSoup, IoError> {
    options.validate()?;
    let mut builder = SoupBuilder::new(options, areas);
    parse_into(Source { file, bytes }, &mut builder)?;
    Ok(builder.finish(file)?.0)
}

fn parse_into(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let utf8;
    let format = |source: &Source<'_>| SceneFormat::of(source.file, source.bytes);
    let source = match text::Encoding::of(source.bytes, source.bytes.len() as u64) {
        // Small numbers of two bytes look like characters.
        _ if format(&source) == Some(SceneFormat::Heights) => source,
        text::Encoding::Bytes => source,
        encoding => {
            utf8 = encoding.to_utf8(&source)?;
            Source { bytes: utf8.as_bytes(), ..source }
        }
    };
    let format = format(&source).ok_or_else(|| IoError::UnknownFormat { file: source.file.to_owned() })?;
    let before = builder.triangles.len();
    builder.settle();
    builder.surface.begin(source.file);
    match format {
        SceneFormat::Obj => obj::parse(source, builder)?,
        #[cfg(feature = "gltf")]
        SceneFormat::Gltf => gltf::parse(source, builder)?,
        #[cfg(not(feature = "gltf"))]
        SceneFormat::Gltf => return Err(source.feature_off("gltf")),
        SceneFormat::Stl => stl::parse(source, builder)?,
        #[cfg(feature = "ply")]
        SceneFormat::Ply => ply::parse(source, builder)?,
        #[cfg(not(feature = "ply"))]
        SceneFormat::Ply => return Err(source.feature_off("ply")),
        #[cfg(feature = "cityjson")]
        SceneFormat::CityJson => cityjson::parse(source, builder)?,
        #[cfg(not(feature = "cityjson"))]
        SceneFormat::CityJson => return Err(source.feature_off("cityjson")),
        #[cfg(feature = "heights")]
        SceneFormat::Heights => heights::parse(source, builder)?,
        #[cfg(not(feature = "heights"))]
        SceneFormat::Heights => return Err(source.feature_off("heights")),
    }
    if builder.triangles.len() == before {
        return Err(IoError::NoTriangles { file: source.file.to_owned() });
    }
    Ok(())
}

/// Collects vertices in metres, y up.
struct SoupBuilder {
    options: LoadOptions,
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    cutter: FaceCutter,
    surface: Surface,
    /// Areas of the triangles before `settled`; empty while all are plain ground.
    areas: Vec<AreaId>,
    settled: usize,
    /// Names of the surfaces of finished triangles; empty without a map of areas.
    names: SceneNames,
}

impl SoupBuilder {
    fn new(options: &LoadOptions, areas: Option<&AreaMap>) -> Self {
        Self {
            options: *options,
            positions: Vec::new(),
            triangles: Vec::new(),
            cutter: FaceCutter::default(),
            surface: Surface::new(areas),
            areas: Vec::new(),
            settled: 0,
            names: SceneNames::default(),
        }
    }

    /// Changes the names of the surface to which the triangles that follow belong.
    fn rename(&mut self, change: impl FnOnce(&mut SurfaceNames)) {
        self.settle();
        self.surface.rename(change);
    }

    /// Gives their area to the triangles of the surface so far.
    fn settle(&mut self) {
        let area = self.surface.area;
        if area != AreaId::GROUND {
            self.areas.resize(self.settled, AreaId::GROUND);
        }
        self.settled = self.triangles.len();
        self.names.push(self.settled, &self.surface);
        if area != AreaId::GROUND || !self.areas.is_empty() {
            self.areas.resize(self.settled, area);
        }
    }

    fn push_vertex(&mut self, position: DVec3) {
        checkpoint_every(1 << 14, self.positions.len());
        self.positions.push(self.options.place(position));
    }

    /// Cuts a face whose corners are known.
    fn push_face(&mut self, source: &Source<'_>, place: Place, corners: &[u32]) -> Result<(), IoError> {
        let position = |corner: u32| Ok(self.positions[corner as usize]);
        self.cutter.cut(source, place, corners, position, &mut self.triangles)
    }

    /// Cuts a face of rings with these ends: its border, and holes. All corners are known.
    #[cfg(feature = "cityjson")]
    fn push_face_with_holes(
        &mut self,
        source: &Source<'_>,
        corners: &[u32],
        ends: &[usize],
    ) -> Result<(), IoError> {
        if ends.len() <= 1 {
            return self.push_face(source, Place::File, corners);
        }
        let position = |corner: u32| self.positions[corner as usize];
        self.cutter.cut_with_holes(corners, ends, position, &mut self.triangles);
        Ok(())
    }

    /// Corners of a triangle.
    fn corners(&self, triangle: [u32; 3]) -> [Vec3; 3] {
        triangle.map(|vertex| self.positions[vertex as usize])
    }

    /// Number of the next vertex, or an error if 32 bits cannot hold it.
    fn next_vertex(&self, source: &Source<'_>) -> Result<u32, IoError> {
        source.vertex_after(self.positions.len())
    }

    fn finish(mut self, file: &Path) -> Result<(TriangleSoup, SceneNames), IoError> {
        self.settle();
        self.options.turn(&self.positions, &mut self.triangles);
        let areas = self.areas;
        let soup = TriangleSoup::new(self.positions, self.triangles);
        let soup = soup.and_then(|soup| if areas.is_empty() { Ok(soup) } else { soup.with_areas(areas) });
        let source = Source { file, bytes: &[] };
        let soup = soup.map_err(|error| match error {
            SoupError::TooMany { element, count, limit } => {
                source.too_many(element, count as u64, limit as u64)
            }
            other => source.syntax("scene", other),
        })?;
        Ok((soup, self.names))
    }
}

/// The triangles of a strip. Every second one is turned round, so that all wind alike.
fn push_strip(strip: &[u32], triangles: &mut Vec<[u32; 3]>) {
    for (index, corners) in strip.windows(3).enumerate() {
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        triangles.push(if index % 2 == 0 { [a, b, c] } else { [b, a, c] });
    }
}

/// A number as text, in any spelling of NaN that C runtimes print.
fn parse_number(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    text.parse().ok().or_else(|| {
        let lower = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
        if lower.starts_with("nan") || lower.starts_with("1.#qnan") || lower.starts_with("1.#ind") {
            Some(f64::NAN)
        } else if lower.starts_with("1.#inf") {
            Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY })
        } else {
            None
        }
    })
}

/// A token for an error message: short, and readable whatever the bytes.
pub(crate) fn quoted(token: &[u8]) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(&token[..token.len().min(SHOWN)]);
    format!("{text:?}{}", if token.len() > SHOWN { "..." } else { "" })
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The words of a line.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Splits text into lines that end in LF, CR LF or CR, and counts them.
struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { rest: text, number: 0 }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
        let (line, rest) = match end {
            Some(end) if self.rest[end..].starts_with(b"\r\n") => (&self.rest[..end], &self.rest[end + 2..]),
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &self.rest[self.rest.len()..]),
        };
        self.rest = rest;
        Some((self.number, line))
    }
}
