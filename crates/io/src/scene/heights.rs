//! Height maps: grids of heights from terrain editors and surveys.

use std::fs::File;
use std::io::{Cursor, Read};
use std::ops::Range;
use std::path::Path;

use glam::{DVec3, Vec3};
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;
use waymesh_core::stage::StageError;
use waymesh_core::{AreaId, AreaVisitor, Bounds, PlacedTriangles, nearest_f32};

use super::areas::{AreaMap, Surface};
use super::{Lines, LoadOptions, SceneFormat, SoupBuilder, Source, UpAxis, parse_number, quoted, words};
use crate::files::unread;
use crate::{IoError, Place};

/// Most heights of a map: 2 GiB of them.
const MOST_HEIGHTS: u64 = 1 << 29;
/// Most bytes that a byte of a compressed file can become.
const MAX_RATIO: u64 = 2048;
/// Bytes in which a map is recognised.
const SNIFFED: usize = 64;
/// Bytes that the parsers may take in addition to the heights.
const PARSER_BYTES: usize = 64 << 20;

/// Returns `true` for the first bytes of a height map that names itself. Pictures do not: they are
/// maps by their extension.
pub(super) fn looks_like_heights(text: &[u8]) -> bool {
    is_tiff(text)
        || words(&text[..text.len().min(SNIFFED)]).next().is_some_and(|it| it.eq_ignore_ascii_case(b"ncols"))
}

fn is_tiff(bytes: &[u8]) -> bool {
    [&b"II*\0"[..], b"MM\0*", b"II+\0", b"MM\0+"].iter().any(|magic| bytes.starts_with(magic))
}

/// A grid of heights. Its rows run from north to south.
#[derive(Debug)]
pub(super) struct HeightMap {
    options: LoadOptions,
    /// Area of all triangles.
    area: AreaId,
    columns: usize,
    /// Heights row by row, in units of the file; NaN where there is none.
    heights: Vec<f32>,
    /// Metres of a unit of the heights, where that is not [`LoadOptions::scale`].
    step: Option<f32>,
    /// East and north of the first height, in units of the file.
    first: [f64; 2],
    /// Distances to the next column and the next row, in units of the file.
    spacing: [f64; 2],
}

impl HeightMap {
    /// `None` if the file is something else. The area of the map is that of the name of its file.
    pub(super) fn open(
        path: &Path,
        options: &LoadOptions,
        areas: Option<&AreaMap>,
    ) -> Result<Option<Self>, IoError> {
        let mut file = File::open(path).map_err(unread(path))?;
        let mut bytes = Vec::new();
        (&mut file).take(SNIFFED as u64).read_to_end(&mut bytes).map_err(unread(path))?;
        if SceneFormat::of(path, &bytes) != Some(SceneFormat::Heights) {
            return Ok(None);
        }
        file.read_to_end(&mut bytes).map_err(unread(path))?;
        let map = Self::read(Source { file: path, bytes: &bytes }, options)?;
        Ok(Some(Self { area: Surface::of(areas, path).area, ..map }))
    }

    fn read(source: Source<'_>, options: &LoadOptions) -> Result<Self, IoError> {
        let extension = source.file.extension().and_then(|it| it.to_str()).unwrap_or_default();
        if source.bytes.starts_with(b"\x89PNG") {
            picture(&source, options)
        } else if is_tiff(source.bytes) {
            survey(&source, options)
        } else if ["raw", "r16"].iter().any(|it| extension.eq_ignore_ascii_case(it)) {
            raw(&source, options)
        } else if extension.eq_ignore_ascii_case("asc") || looks_like_heights(source.bytes) {
            text(&source, options)
        } else {
            let expected = "a height map: PNG, GeoTIFF, or text that begins with \"ncols\"";
            Err(source.malformed(Place::File, expected, quoted(&source.bytes[..source.bytes.len().min(8)])))
        }
    }

    /// A map whose heights are whole numbers of [`LoadOptions::height_step`], at one unit from each
    /// other. Its last row lies at 0.
    fn of_steps(columns: usize, heights: Vec<f32>, options: &LoadOptions) -> Self {
        let north = (heights.len() / columns.max(1)).saturating_sub(1) as f64;
        let (first, step) = ([0.0, north], Some(options.height_step));
        Self { columns, heights, step, first, ..Self::empty(options) }
    }

    /// A map without heights.
    fn empty(options: &LoadOptions) -> Self {
        let (area, heights) = (AreaId::GROUND, Vec::new());
        Self { options: *options, area, columns: 0, heights, step: None, first: [0.0; 2], spacing: [1.0; 2] }
    }

    fn rows(&self) -> usize {
        self.heights.len() / self.columns.max(1)
    }

    /// Position of a height, in metres.
    fn position(&self, column: usize, row: usize) -> Vec3 {
        let height = f64::from(self.heights[row * self.columns + column]);
        let scale = f64::from(self.options.scale);
        let height = self.step.map_or(height, |step| height * f64::from(step) / scale);
        let [east, north] = self.first;
        let [east, north] = [east + column as f64 * self.spacing[0], north - row as f64 * self.spacing[1]];
        self.options.with_up(UpAxis::Z).place(DVec3::new(east, north, height))
    }

    /// Returns the columns and rows of the heights around a box.
    fn around(&self, place: &Bounds) -> [Range<usize>; 2] {
        let range = |ends: [f64; 2], count: usize| {
            let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            // A height more on each side, and one for what is rounded.
            let low = (low - 2.0).floor().clamp(0.0, count as f64);
            let high = (high + 3.0).ceil().clamp(0.0, count as f64);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            (low as usize..high as usize)
        };
        let (scale, origin) = (f64::from(self.options.scale), self.options.origin);
        let corners = [place.min, place.max].map(Vec3::as_dvec3);
        let columns = corners.map(|it| (it.x / scale + origin[0] - self.first[0]) / self.spacing[0]);
        let rows = corners.map(|it| (self.first[1] - origin[1] + it.z / scale) / self.spacing[1]);
        [range(columns, self.columns), range(rows, self.rows())]
    }

    /// Passes on the triangles between some heights, two rows of them at a time.
    fn visit(
        &self,
        [columns, rows]: [Range<usize>; 2],
        visit: &mut AreaVisitor<'_>,
    ) -> Result<(), StageError> {
        let row =
            |row: usize| -> Vec<Vec3> { columns.clone().map(|column| self.position(column, row)).collect() };
        let mut north = if rows.is_empty() { Vec::new() } else { row(rows.start) };
        let mut portion = Vec::with_capacity(2 * columns.len());
        let areas = vec![self.area; if self.area == AreaId::GROUND { 0 } else { 2 * columns.len() }];
        for at in rows.skip(1) {
            let south = row(at);
            portion.clear();
            let push = |corners| portion.push(self.options.turned(corners));
            triangles([&north, &south], Vec3::is_finite, push);
            visit(&portion, areas.get(..portion.len()).unwrap_or_default())?;
            north = south;
        }
        Ok(())
    }
}

impl PlacedTriangles for HeightMap {
    fn bounds(&self) -> Bounds {
        let corners = [[0, 0], [self.columns - 1, self.rows() - 1]];
        Bounds::of(corners.map(|[column, row]| Vec3 { y: 0.0, ..self.position(column, row) }))
    }

    fn visit_in(&self, place: &Bounds, visit: &mut AreaVisitor<'_>) -> Result<(), StageError> {
        self.visit(self.around(place), visit)
    }

    fn count_in(&self, place: &Bounds) -> usize {
        let [columns, rows] = self.around(place);
        2 * columns.len() * rows.len()
    }
}

/// Passes on the triangles between two rows, counter-clockwise from above. Where one corner of a
/// cell has no height, the triangle of the others is left.
fn triangles<T: Copy + Default>(
    [north, south]: [&[T]; 2],
    is_known: impl Fn(T) -> bool,
    mut push: impl FnMut([T; 3]),
) {
    for (north, south) in north.windows(2).zip(south.windows(2)) {
        let (mut known, mut count) = ([T::default(); 4], 0);
        for corner in [north[0], south[0], south[1], north[1]].into_iter().filter(|&corner| is_known(corner))
        {
            known[count] = corner;
            count += 1;
        }
        let [a, b, c, d] = known;
        if count >= 3 {
            push([a, b, c]);
        }
        if count == 4 {
            push([a, c, d]);
        }
    }
}

/// Adds a map to a soup.
pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let map = HeightMap::read(source, &builder.options)?;
    let mut vertices = Vec::with_capacity(map.heights.len());
    for row in 0..map.rows() {
        for column in 0..map.columns {
            let position = map.position(column, row);
            vertices.push(position.is_finite().then_some(builder.next_vertex(&source)?));
            builder.positions.extend(vertices[vertices.len() - 1].map(|_| position));
        }
    }
    for (north, south) in vertices.chunks(map.columns).zip(vertices.chunks(map.columns).skip(1)) {
        triangles(
            [north, south],
            |corner| corner.is_some(),
            |corners| builder.triangles.push(corners.map(Option::unwrap_or_default)),
        );
    }
    Ok(())
}

/// Checks the size of a map in a file of which a byte may hold `ratio` heights.
fn checked_size(source: &Source<'_>, columns: u64, rows: u64, ratio: u64) -> Result<[usize; 2], IoError> {
    let count = columns.saturating_mul(rows);
    if count > MOST_HEIGHTS {
        return Err(source.too_many("heights", count, MOST_HEIGHTS));
    }
    let available = source.bytes.len() as u64;
    if count > available.saturating_mul(ratio) {
        return Err(source.truncated(Place::File, count / ratio, available));
    }
    if columns < 2 || rows < 2 {
        return Err(source.malformed(
            Place::File,
            "2 rows of 2 heights, or more",
            format!("{rows} of {columns}"),
        ));
    }
    Ok([columns, rows].map(|side| usize::try_from(side).unwrap_or(usize::MAX)))
}

fn check_count(source: &Source<'_>, found: usize, expected: usize) -> Result<(), IoError> {
    if found == expected {
        return Ok(());
    }
    Err(source.malformed(Place::File, "columns times rows heights", format!("{found} of {expected}")))
}

/// A grey picture of 8 or 16 bits.
fn picture(source: &Source<'_>, options: &LoadOptions) -> Result<HeightMap, IoError> {
    let bad = |error: png::DecodingError| source.syntax("PNG", error);
    let limits = png::Limits { bytes: PARSER_BYTES };
    let mut reader =
        png::Decoder::new_with_limits(Cursor::new(source.bytes), limits).read_info().map_err(bad)?;
    let info = reader.info();
    let (kind, depth, is_interlaced) = (info.color_type, info.bit_depth, info.interlaced);
    let [columns, rows] = checked_size(source, info.width.into(), info.height.into(), MAX_RATIO)?;
    if kind != png::ColorType::Grayscale || !matches!(depth, png::BitDepth::Eight | png::BitDepth::Sixteen) {
        let feature =
            format!("a height map as a picture of {kind:?} in {depth:?} bits (it is grey, in 8 or 16)");
        return Err(source.unsupported(feature));
    }
    if is_interlaced {
        return Err(source.unsupported("a height map as an interlaced picture"));
    }
    let mut heights = Vec::with_capacity(columns * rows);
    while let Some(row) = reader.next_row().map_err(bad)? {
        match depth {
            png::BitDepth::Sixteen => {
                heights.extend(
                    row.data().as_chunks::<2>().0.iter().map(|&it| f32::from(u16::from_be_bytes(it))),
                );
            }
            _ => heights.extend(row.data().iter().map(|&it| f32::from(it))),
        }
    }
    check_count(source, heights.len(), columns * rows)?;
    Ok(HeightMap::of_steps(columns, heights, options))
}

/// 16-bit numbers, the lower byte first, as many rows as columns.
fn raw(source: &Source<'_>, options: &LoadOptions) -> Result<HeightMap, IoError> {
    let (pairs, rest) = source.bytes.as_chunks::<2>();
    let side = pairs.len().isqrt();
    if !rest.is_empty() || side * side != pairs.len() {
        let found = format!("{} bytes", source.bytes.len());
        return Err(source.malformed(Place::File, "a square of numbers of two bytes", found));
    }
    let [columns, _] = checked_size(source, side as u64, side as u64, 1)?;
    let heights = pairs.iter().map(|&pair| f32::from(u16::from_le_bytes(pair))).collect();
    Ok(HeightMap::of_steps(columns, heights, options))
}

/// The grid of ESRI as text (`.asc`). Lines of its header that begin with `#` are skipped.
fn text(source: &Source<'_>, options: &LoadOptions) -> Result<HeightMap, IoError> {
    let [mut columns, mut rows] = [None; 2];
    // Sides of a cell; west and south of the lower left corner, or of its centre.
    let [mut width, mut height] = [None; 2];
    let (mut corner, mut is_centre) = ([0.0; 2], [false; 2]);
    // The standard of files that do not name another.
    let mut none = Some(-9999.0);
    let mut lines = Lines::new(source.bytes);
    let mut body = Vec::new();
    loop {
        let before = (lines.rest, lines.number);
        let Some((line, content)) = lines.next() else { break };
        let mut words = words(content);
        let Some(key) = words.next() else { continue };
        if key[0] == b'#' {
            continue;
        }
        if !key[0].is_ascii_alphabetic() || parse_number(key).is_some() {
            (lines.rest, lines.number) = before;
            break;
        }
        let value = words.next().unwrap_or_default();
        let bad = |expected| source.malformed(Place::Line(line), expected, quoted(content));
        let number = parse_number(value).filter(|number| number.is_finite());
        let number = number.ok_or_else(|| bad("a name and a number"))?;
        let above_0 = Some(number).filter(|&number| number > 0.0);
        let whole = std::str::from_utf8(value).ok().and_then(|value| value.parse::<u64>().ok());
        match key.to_ascii_lowercase().as_slice() {
            b"ncols" => columns = Some(whole.ok_or_else(|| bad("a number of columns"))?),
            b"nrows" => rows = Some(whole.ok_or_else(|| bad("a number of rows"))?),
            b"cellsize" => [width, height] = [Some(above_0.ok_or_else(|| bad("a length above 0"))?); 2],
            b"dx" => width = Some(above_0.ok_or_else(|| bad("a length above 0"))?),
            b"dy" => height = Some(above_0.ok_or_else(|| bad("a length above 0"))?),
            b"xllcorner" => corner[0] = number,
            b"yllcorner" => corner[1] = number,
            b"xllcenter" => (corner[0], is_centre[0]) = (number, true),
            b"yllcenter" => (corner[1], is_centre[1]) = (number, true),
            b"nodata_value" => none = Some(number),
            _ => return Err(bad("ncols, nrows, cellsize, xllcorner, yllcorner or NODATA_value")),
        }
    }
    let missing = |name| move || source.malformed(Place::File, name, "the heights without it");
    let columns = columns.ok_or_else(missing("ncols"))?;
    let rows = rows.ok_or_else(missing("nrows"))?;
    let spacing = [width.ok_or_else(missing("cellsize"))?, height.ok_or_else(missing("cellsize"))?];
    let [columns, rows] = checked_size(source, columns, rows, 1)?;
    refuse_degrees(source, options, spacing, corner)?;
    body.reserve(columns * rows);
    for (line, content) in lines {
        for word in words(content) {
            let bad = || source.malformed(Place::Line(line), "a height", quoted(word));
            let number = parse_number(word).ok_or_else(bad)?;
            if body.len() == columns * rows {
                let expected = "the end, as all heights are read";
                return Err(source.malformed(Place::Line(line), expected, quoted(word)));
            }
            body.push(if Some(number) == none { f32::NAN } else { nearest_f32(number) });
        }
    }
    check_count(source, body.len(), columns * rows)?;
    for axis in 0..2 {
        corner[axis] += if is_centre[axis] { 0.0 } else { spacing[axis] / 2.0 };
    }
    let first = [corner[0], corner[1] + (rows - 1) as f64 * spacing[1]];
    Ok(HeightMap { columns, heights: body, first, spacing, ..HeightMap::empty(options) })
}

/// A GeoTIFF of one band, with the place that it names.
fn survey(source: &Source<'_>, options: &LoadOptions) -> Result<HeightMap, IoError> {
    /// Keys of the directory of GeoTIFF (OGC 19-008r4), and their values.
    const MODEL_TYPE: u16 = 1024;
    const RASTER_TYPE: u16 = 1025;
    const LENGTH_UNIT: u16 = 3076;
    const GEOGRAPHIC: u16 = 2;
    const POINTS: u16 = 2;
    const METRES: u16 = 9001;
    let bad = |error| source.syntax("TIFF", error);
    let mut decoder = Decoder::new(Cursor::new(source.bytes)).map_err(bad)?;
    let (columns, rows) = decoder.dimensions().map_err(bad)?;
    let [columns, rows] = checked_size(source, columns.into(), rows.into(), MAX_RATIO)?;
    let mut limits = Limits::default();
    // Numbers of eight bytes.
    limits.decoding_buffer_size = PARSER_BYTES.max(columns * rows * 8);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    limits.ifd_value_size = PARSER_BYTES;
    decoder = decoder.with_limits(limits);
    let colours = decoder.colortype().map_err(bad)?;
    if !matches!(colours, tiff::ColorType::Gray(_)) {
        return Err(source.unsupported(format!("a height map as {colours:?} (it has one band)")));
    }
    let mut numbers = |tag| -> Result<Option<Vec<f64>>, IoError> {
        let value = decoder.find_tag(tag).map_err(bad)?;
        value.map(tiff::decoder::ifd::Value::into_f64_vec).transpose().map_err(bad)
    };
    let sides = numbers(Tag::ModelPixelScaleTag)?;
    let tie = numbers(Tag::ModelTiepointTag)?;
    if sides.is_none() && numbers(Tag::ModelTransformationTag)?.is_some() {
        return Err(source.unsupported("a GeoTIFF that is turned"));
    }
    let keys = decoder.find_tag(Tag::GeoKeyDirectoryTag).map_err(bad)?;
    let keys =
        keys.map(tiff::decoder::ifd::Value::into_u16_vec).transpose().map_err(bad)?.unwrap_or_default();
    let key = |wanted: u16| {
        keys.as_chunks::<4>().0.iter().skip(1).find(|it| it[..3] == [wanted, 0, 1]).map(|it| it[3])
    };
    if key(MODEL_TYPE) == Some(GEOGRAPHIC) {
        return Err(degrees(source));
    }
    if let Some(unit) = key(LENGTH_UNIT).filter(|&unit| unit != METRES)
        && !has_scale(options)
    {
        let feature = format!("a GeoTIFF in the unit EPSG:{unit} without a scale (metres per unit)");
        return Err(source.unsupported(feature));
    }
    let none = decoder.find_tag(Tag::GdalNodata).map_err(bad)?;
    let none = none.map(tiff::decoder::ifd::Value::into_string).transpose().map_err(bad)?;
    let none = none.and_then(|text| parse_number(text.trim_matches(['\0', ' ']).as_bytes()));
    let heights = heights(decoder.read_image().map_err(bad)?, none);
    check_count(source, heights.len(), columns * rows)?;
    let spacing = match sides.as_deref() {
        None => [1.0; 2],
        Some(&[x, y, ..]) if x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite() => [x, y],
        Some(other) => return Err(source.malformed(Place::File, "sides of cells", format!("{other:?}"))),
    };
    // A column and a row, and their place.
    let [column, row, _, east, north, _] = match tie.as_deref() {
        None => [0.0, rows as f64, 0.0, 0.0, 0.0, 0.0],
        Some(tie) => match tie.first_chunk::<6>().filter(|tie| tie.iter().all(|it| it.is_finite())) {
            Some(&tie) => tie,
            None => {
                return Err(source.malformed(Place::File, "a tie point of 6 numbers", format!("{tie:?}")));
            }
        },
    };
    let centre = if key(RASTER_TYPE) == Some(POINTS) { 0.0 } else { 0.5 };
    let first = [east + (centre - column) * spacing[0], north - (centre - row) * spacing[1]];
    refuse_degrees(source, options, spacing, first)?;
    Ok(HeightMap { columns, heights, first, spacing, ..HeightMap::empty(options) })
}

/// The numbers of a picture as heights; NaN for `none`.
fn heights(picture: DecodingResult, none: Option<f64>) -> Vec<f32> {
    let height = |number: f64| if Some(number) == none { f32::NAN } else { nearest_f32(number) };
    match picture {
        DecodingResult::F32(numbers) if none.is_none_or(f64::is_nan) => numbers,
        DecodingResult::F32(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::F64(numbers) => numbers.into_iter().map(height).collect(),
        DecodingResult::F16(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::U8(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::U16(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::U32(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::U64(numbers) => numbers.into_iter().map(|it| height(it as f64)).collect(),
        DecodingResult::I8(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::I16(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::I32(numbers) => numbers.into_iter().map(|it| height(it.into())).collect(),
        DecodingResult::I64(numbers) => numbers.into_iter().map(|it| height(it as f64)).collect(),
    }
}

/// Returns `true` if the metres of a unit were given.
fn has_scale(options: &LoadOptions) -> bool {
    options.scale.total_cmp(&1.0).is_ne()
}

/// Refuses cells so small, at such a place, that they are degrees, unless a scale says that they
/// are not.
fn refuse_degrees(
    source: &Source<'_>,
    options: &LoadOptions,
    spacing: [f64; 2],
    [east, north]: [f64; 2],
) -> Result<(), IoError> {
    const MOST_DEGREES: f64 = 0.02;
    let is_on_earth = east.abs() <= 360.0 && north.abs() <= 90.0;
    let is_small = spacing.iter().all(|&side| side < MOST_DEGREES);
    if is_small && is_on_earth && !has_scale(options) { Err(degrees(source)) } else { Ok(()) }
}

fn degrees(source: &Source<'_>) -> IoError {
    source.unsupported(
        "a height map in degrees (project it to metres, as by `gdalwarp -t_srs EPSG:32632` for its zone of UTM)",
    )
}

#[cfg(test)]
mod tests {
    use tiff::encoder::{TiffEncoder, colortype};
    use waymesh_core::{Random, TriangleSoup};
    use waymesh_testkit::damage::each_flipped_bit;

    use super::super::{Winding, load_with, parse_scene};
    use super::*;

    const COLUMNS: usize = 7;
    const ROWS: usize = 5;

    /// Heights in whole steps.
    fn steps() -> Vec<u16> {
        let mut random = Random::new(8);
        (0..COLUMNS * ROWS).map(|_| u16::try_from(random.below(60_000)).unwrap()).collect()
    }

    fn png(columns: usize, heights: &[u16]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let [width, height] = [columns, heights.len() / columns].map(|side| u32::try_from(side).unwrap());
        let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(::png::ColorType::Grayscale);
        encoder.set_depth(::png::BitDepth::Sixteen);
        let pairs: Vec<u8> = heights.iter().flat_map(|height| height.to_be_bytes()).collect();
        encoder.write_header().unwrap().write_image_data(&pairs).unwrap();
        bytes
    }

    /// Text with lower left corner (10, 20), and cells of 2.
    fn grid(heights: &[f64]) -> String {
        let header =
            format!("# hills\nNCOLS {COLUMNS}\nnrows {ROWS}\nxllcorner 10\nyllcorner 20\r\ncellsize 2\n");
        let numbers: Vec<String> = heights.iter().map(f64::to_string).collect();
        header + "NODATA_value -9999\n" + &numbers.join(" ")
    }

    /// A GeoTIFF whose first column and row lie at (10, 30), with cells of 2, and these keys.
    fn geotiff(heights: &[f32], keys: &[[u16; 4]], none: &str) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
        let [width, height] = [COLUMNS, ROWS].map(|side| u32::try_from(side).unwrap());
        let mut image = encoder.new_image::<colortype::Gray32Float>(width, height).unwrap();
        let tags = image.encoder();
        tags.write_tag(Tag::ModelPixelScaleTag, &[2.0, 2.0, 0.0][..]).unwrap();
        tags.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, 10.0, 30.0, 0.0][..]).unwrap();
        let count = u16::try_from(keys.len()).unwrap();
        let keys = [&[[1, 1, 0, count]], keys].concat();
        tags.write_tag(Tag::GeoKeyDirectoryTag, keys.as_flattened()).unwrap();
        if !none.is_empty() {
            tags.write_tag(Tag::GdalNodata, none).unwrap();
        }
        image.write_data(heights).unwrap();
        bytes.into_inner()
    }

    fn read(name: &str, bytes: &[u8], options: &LoadOptions) -> Result<TriangleSoup, IoError> {
        parse_scene(Path::new(name), bytes, options, None)
    }

    /// Tests that equal heights of all formats lie at the same places and face up.
    #[test]
    fn all_formats_hold_the_same_ground() {
        let steps = steps();
        let metres: Vec<f32> = steps.iter().map(|&step| f32::from(step) * 0.25).collect();
        let text = grid(&metres.iter().map(|&it| f64::from(it)).collect::<Vec<_>>());
        let survey = geotiff(&metres, &[[1024, 0, 1, 1], [1025, 0, 1, 1], [3076, 0, 1, 9001]], "");
        // Pictures have neither a place nor a scale. The centre of the first cell lies at (11, 29).
        let placed = LoadOptions::default().with_origin([11.0, 21.0, 0.0]);
        let plain = LoadOptions::default().with_scale(2.0).with_height_step(0.25);
        let expected = read("hills.ASC", text.as_bytes(), &placed).unwrap();
        assert_eq!(expected.triangles().len(), 2 * (COLUMNS - 1) * (ROWS - 1));
        assert!((0..expected.triangles().len()).all(|it| !super::super::faces_down(expected.corners(it))));
        assert_eq!(expected.positions()[0], Vec3::new(0.0, metres[0], -8.0));
        assert_eq!(
            expected.positions()[COLUMNS * ROWS - 1],
            Vec3::new(12.0, metres[COLUMNS * ROWS - 1], 0.0)
        );
        let bare = text.trim_start_matches("# hills\n");
        assert_eq!(read("hills", bare.as_bytes(), &placed).unwrap(), expected, "known by its content");
        assert_eq!(read("hills.tif", &survey, &placed).unwrap(), expected);
        assert_eq!(read("hills", &survey, &placed).unwrap(), expected, "known by its content");
        assert_eq!(read("hills.png", &png(COLUMNS, &steps), &plain).unwrap(), expected);
        let square: Vec<u16> = steps[..25].to_vec();
        let raw: Vec<u8> = square.iter().flat_map(|step| step.to_le_bytes()).collect();
        assert_eq!(
            read("hills.r16", &raw, &plain).unwrap(),
            read("a.png", &png(5, &square), &plain).unwrap()
        );
    }

    #[test]
    fn what_has_no_height_is_a_hole() {
        let mut metres: Vec<f32> = steps().into_iter().map(f32::from).collect();
        metres[0] = -9999.0;
        metres[2 * COLUMNS + 3] = -9999.0;
        let options = LoadOptions::default();
        let text = grid(&metres.iter().map(|&it| f64::from(it)).collect::<Vec<_>>());
        let soup = read("hills.asc", text.as_bytes(), &options).unwrap();
        // A corner takes one triangle, a place within takes one of each of its four cells.
        assert_eq!(soup.triangles().len(), 2 * (COLUMNS - 1) * (ROWS - 1) - 5);
        assert_eq!(soup.skipped().total(), 0);
        // -9999 is the standard of a grid that names no other value.
        let unnamed = text.replace("NODATA_value -9999\n", "");
        assert_eq!(read("hills.asc", unnamed.as_bytes(), &options).unwrap(), soup);
        let other = read("hills.asc", text.replace("_value -9999", "_value -1").as_bytes(), &options);
        assert!(other.unwrap().triangles().len() > soup.triangles().len());
        assert_eq!(read("hills.tif", &geotiff(&metres, &[], "-9999"), &options).unwrap(), soup);
        metres.iter_mut().filter(|height| **height < 0.0).for_each(|height| *height = f32::NAN);
        assert_eq!(read("hills.tif", &geotiff(&metres, &[], ""), &options).unwrap(), soup);
    }

    /// The triangles at a place are at least those of all that reach into it, for all axes, scales
    /// and origins; and they are those of the soup.
    #[test]
    fn triangles_are_found_by_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hills.asc");
        let mut metres: Vec<f64> = steps().into_iter().map(f64::from).collect();
        metres[9] = -9999.0;
        std::fs::write(&file, grid(&metres)).unwrap();
        let mut random = Random::new(3);
        for winding in [Winding::AsRead, Winding::Flipped, Winding::TwoSided] {
            for (scale, origin) in [(1.0, [0.0; 3]), (0.3048, [-5e5, 4e6, 100.0]), (1e3, [14.0, 22.0, 0.0])] {
                let options = LoadOptions::default().with_scale(scale).with_origin(origin);
                let options = options.with_winding(winding).with_up(UpAxis::Z);
                let map = HeightMap::open(&file, &options, None).unwrap().unwrap();
                let soup = load_with(&[&file], &options).unwrap();
                let all: Vec<[Vec3; 3]> = soup.finite_triangles().collect();
                let mut found = Vec::new();
                let mut collect = |triangles: &[[Vec3; 3]], _: &[AreaId]| {
                    found.extend_from_slice(triangles);
                    Ok(())
                };
                map.visit_in(&map.bounds(), &mut collect).unwrap();
                assert_eq!(found, all);
                let Bounds { min, max } = soup.bounds();
                let plain = |at: Vec3| Vec3 { y: 0.0, ..at };
                assert_eq!(map.bounds(), Bounds { min: plain(min), max: plain(max) });
                for _ in 0..100 {
                    let mut at = || {
                        min + (max - min) * Vec3::new(random.range(-0.2, 1.2), 0.0, random.range(-0.2, 1.2))
                    };
                    let place = Bounds::of([at(), at()]);
                    let reaches = |corners: &[Vec3; 3]| {
                        let Bounds { min, max } = Bounds::of(*corners);
                        [0, 2]
                            .iter()
                            .all(|&axis| min[axis] <= place.max[axis] && max[axis] >= place.min[axis])
                    };
                    let mut found = Vec::new();
                    let mut collect = |triangles: &[[Vec3; 3]], _: &[AreaId]| {
                        found.extend_from_slice(triangles);
                        Ok(())
                    };
                    map.visit_in(&place, &mut collect).unwrap();
                    assert!(found.len() <= map.count_in(&place));
                    assert!(
                        all.iter().filter(|&corners| reaches(corners)).all(|corners| found.contains(corners))
                    );
                }
            }
        }
    }

    #[test]
    fn damaged_files_are_survived() {
        let metres: Vec<f64> = steps().into_iter().map(f64::from).collect();
        let survey = geotiff(&[1.5; COLUMNS * ROWS], &[[1024, 0, 1, 1]], "-9999");
        let files = [("a.asc", grid(&metres).into()), ("a.png", png(COLUMNS, &steps())), ("a.tif", survey)];
        for (name, bytes) in files {
            let survives = |bytes: &[u8]| {
                if let Ok(soup) = read(name, bytes, &LoadOptions::default()) {
                    assert!(!soup.triangles().is_empty());
                }
            };
            (0..bytes.len()).for_each(|length| survives(&bytes[..length]));
            each_flipped_bit(bytes, |bytes, _| survives(bytes));
        }
    }

    #[test]
    fn faults_are_named() {
        let options = LoadOptions::default();
        let heights = vec![1.0; COLUMNS * ROWS];
        let text = grid(&heights);
        let flat: Vec<f32> = vec![1.0; COLUMNS * ROWS];
        let colours = {
            let mut bytes = Vec::new();
            let mut encoder = ::png::Encoder::new(&mut bytes, 2, 2);
            encoder.set_color(::png::ColorType::Rgb);
            encoder.write_header().unwrap().write_image_data(&[0; 12]).unwrap();
            bytes
        };
        let cases: [(&str, Vec<u8>, &str); 13] = [
            ("a.asc", text.replace("cellsize 2", "cellsize 0").into(), "line 6: expected a length above 0"),
            ("a.asc", text.replace("cellsize 2", "").into(), "expected cellsize"),
            ("a.asc", text.replace("NCOLS 7", "ncols 7.5").into(), "line 2: expected a number of columns"),
            ("a.asc", text.replace("NCOLS 7", "ncols 8").into(), "found 35 of 40"),
            ("a.asc", text.replace("NCOLS 7", "ncols 6").into(), "line 8: expected the end"),
            ("a.asc", text.replace(" 1 1 ", " 1 one ").into(), "line 8: expected a height, found \"one\""),
            ("a.asc", text.replace("NCOLS 7", "ncols 99999999999").into(), "499999999995 heights"),
            ("a.asc", text.replace("cellsize 2", "cellsize 0.0003").into(), "in degrees"),
            ("a.tif", geotiff(&flat, &[[1024, 0, 1, 2]], ""), "in degrees"),
            ("a.tif", geotiff(&flat, &[[3076, 0, 1, 9002]], ""), "unit EPSG:9002"),
            ("a.png", colours, "Rgb"),
            ("a.raw", vec![0; 10], "expected a square of numbers of two bytes, found 10 bytes"),
            ("a.png", b"nothing".to_vec(), "expected a height map"),
        ];
        for (name, bytes, expected) in cases {
            let message = read(name, &bytes, &options).unwrap_err().to_string();
            assert!(
                message.starts_with(name) && message.contains(expected),
                "{message} instead of {expected}"
            );
        }
        let feet = LoadOptions::default().with_scale(0.3048);
        assert!(read("a.tif", &geotiff(&flat, &[[3076, 0, 1, 9002]], ""), &feet).is_ok());
        let bad = LoadOptions::default().with_height_step(0.0);
        assert!(read("a.asc", text.as_bytes(), &bad).unwrap_err().to_string().contains("height_step"));
    }
}
