//! Scenes in, navigation meshes out.
//!
//! # Scenes
//! [`load`] reads a level into a [`waymesh_core::TriangleSoup`]; [`load_with`] joins several files,
//! turns z-up worlds upright and scales units to metres.
//!
//! | format | what is read |
//! |---|---|
//! | OBJ | all objects and groups; polygons; relative (negative) indices; line continuations; extra columns ignored |
//! | glTF, GLB | the default scene with every node's transform; all triangle primitives: lists, strips, fans, indexed or not; sparse and quantised accessors; embedded, `data:` and external buffers |
//! | STL | text and binary, several solids |
//! | PLY | text and binary of both byte orders; polygons; triangle strips |
//! | CityJSON 1.0 to 2.0, also as a sequence | surfaces and solids of each object in its highest level of detail, with holes; instances of templates |
//! | height maps | the grid of ESRI as text (`.asc`); GeoTIFF of one band, uncompressed, by LZW or Deflate; grey PNG of 8 or 16 bits; squares of 16-bit numbers (`.raw`, `.r16`) |
//!
//! A height map has x to the east and z to the south, whatever [`LoadOptions::up`] says; an origin
//! is its east, north and height. Two triangles fill a cell between four heights, one where a
//! height is missing. Coordinates in degrees are refused. In PNG and raw files a pixel is one unit
//! wide, the lower left one lies at 0, and [`LoadOptions::height_step`] is the height of a step.
//!
//! Text may be in UTF-8 or UTF-16. A polygon becomes triangles that fill it, also where it is
//! concave or its border touches itself (a keyhole): a fan from its first corner where that fills
//! it, else cut along its diagonals, in the plane of two axes that shows it largest.
//!
//! A city has z up as well, and lies where its coordinates say.
//!
//! OBJ and STL are always there. CityJSON, glTF, PLY and height maps need the features `cityjson`,
//! `gltf`, `ply` and `heights`, and the writers of JSON and GLB the feature `json`; all five are on
//! by default.
//!
//! NaN and infinite vertices are passed on as they are: the soup counts them, the bake skips and
//! reports them.
//!
//! Worlds beyond memory: [`SceneSource`] streams binary STL, finds the triangles of height maps by
//! their place, and reads other formats file by file;
//! [`StlWriter`] writes triangles as they come.
//!
//! # Navigation meshes
//! | what | functions |
//! |---|---|
//! | the mesh, `.wmesh` to keep or `.wmrun` to ship: see [`waymesh_graph::MeshFormat`] | [`save`], [`open`], [`open_packed`], [`parse_mesh`], [`write_wmesh`] |
//! | files of Detour's (RecastDemo's `.bin`, habitat-sim's `.navmesh`) | [`open_detour`], [`parse_detour`], [`to_detour`]; [`open`] and [`save`] as well |
//! | plan picture | [`write_svg`], also with the path of a disc; module [`svg`] draws other pictures too |
//! | polygons as faces, height surface as triangles | [`write_obj`], [`write_detail_obj`] |
//! | triangles in memory | [`ground_triangles`], [`polygon_triangles`] |
//! | coloured triangles for viewers | [`write_glb`] |
//! | polygons for scripts | [`write_json`], [`to_json`] |
//! | meshes of other tools: polygons in an OBJ file | [`open_polygons`], [`write_polygons`] |
//!
//! The `write_*` functions take any writer; [`write_file`] gives them a file and names it in the
//! error.
//!
//! ```no_run
//! let soup = waymesh_io::load("level.glb")?;
//! let mesh = waymesh_io::open("level.wmesh")?;
//! waymesh_io::write_file("level.svg", |file| {
//!     waymesh_io::write_svg(&mesh, None, &waymesh_io::SvgOptions::default(), file)
//! })?;
//! # Ok::<(), waymesh_io::IoError>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![cfg_attr(
    not(all(
        feature = "cityjson",
        feature = "gltf",
        feature = "heights",
        feature = "json",
        feature = "ply"
    )),
    allow(dead_code, unused_imports, unused_variables, reason = "helpers of the formats that are left out")
)]

mod detour;
mod error;
mod files;
#[cfg(feature = "json")]
mod glb;
mod ground_map;
#[cfg(feature = "json")]
mod json;
mod mesh;
mod obj;
mod polygons;
mod scene;
mod stl;
pub mod svg;

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

pub use detour::{
    DetourLimit, DetourMesh, DetourOptions, DetourReport, is_detour, open_detour, parse_detour, to_detour,
};
pub use error::{IoError, Place};
pub use glam;
#[cfg(feature = "json")]
pub use glb::{GlbOptions, write_glb};
pub use ground_map::{GroundMap, GroundMapOptions};
#[cfg(feature = "json")]
pub use json::{number as json_number, point as json_point, to_json, write_json};
pub use mesh::{SaveFormat, mesh_format, open, open_packed, parse_mesh, save, write_wmesh};
pub use obj::{GroundTriangles, ground_triangles, polygon_triangles, write_detail_obj, write_obj};
pub use polygons::{PolygonMesh, open_polygons, parse_polygons, write_polygons};
pub use scene::{
    AreaMap, AreaRuleError, AreaRules, LoadOptions, SceneFormat, SceneNames, SceneSource, SurfaceNames,
    UpAxis, Winding, load, load_with, load_with_names, parse_scene,
};
pub use stl::StlWriter;
pub use svg::{ColourBy, SvgOptions, write_svg};

/// Makes a file, or replaces it, with what `write` writes.
///
/// # Guarantees
/// - The file appears under its name when it is whole and on the disk. Until then, and after an
///   error, a file of that name is as it was. A killed program leaves a hidden file in its
///   folder.
/// - A file that is replaced passes on its permissions, and a symbolic link stays one.
/// - Devices and pipes are written to directly.
///
/// # Errors
/// [`IoError::Write`], which names the file.
pub fn write_file(
    file: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), IoError> {
    let file = file.as_ref();
    write_aside(file, write).map_err(|source| IoError::Write { file: file.to_owned(), source })
}

fn write_aside(
    file: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let old = file.metadata().ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let mut writer = BufWriter::new(File::create(file)?);
        write(&mut writer)?;
        return writer.flush();
    }
    let target = if old.is_some() { file.canonicalize()? } else { file.to_owned() };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    let mut aside = tempfile::Builder::new();
    aside.prefix(&prefix);
    // Else only the owner may read it.
    #[cfg(unix)]
    aside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let (created, aside) = aside.tempfile_in(folder)?.into_parts();
    if let Some(old) = old {
        created.set_permissions(old.permissions())?;
    }
    let mut writer = BufWriter::new(created);
    write(&mut writer)?;
    writer.into_inner()?.sync_all()?;
    Ok(aside.persist(&target)?)
}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
