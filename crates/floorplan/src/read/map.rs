//! Maps of cells: MovingAI, and grey pictures with or without the description of ROS.

use waymesh_core::{AreaId, float};
use yaml_rust2::Yaml;

use super::cells::Cells;
use super::{Reader, Role, yaml};
use crate::{FloorPlan, PlanError, PlanPosition};

const BLOCKED: u8 = 0;
const FREE: u8 = 1;
const UNKNOWN: u8 = 2;

/// Letters of MovingAI (Sturtevant 2012, <https://doi.org/10.1109/TCIAIG.2012.2197681>): those of a
/// terrain, its name, and whether it is walkable unless an area is given to it.
const TERRAINS: [(&str, &str, bool); 5] = [
    (".G", "ground", true),
    ("S", "swamp", true),
    ("W", "water", false),
    ("T", "trees", false),
    ("@O", "out of bounds", false),
];

/// Reads a map of MovingAI. A cell is a square of one unit.
pub(super) fn moving_ai(reader: &Reader<'_>, bytes: &[u8]) -> Result<FloorPlan, PlanError> {
    let mut words = Bytes::new(bytes);
    let (mut height, mut width) = (0, 0);
    loop {
        let bad = |word: &str| reader.fault(format!("{word:?} is not followed by what a map has there"));
        match words.word() {
            Some("map") => break,
            Some(word @ "type") => _ = words.word().ok_or_else(|| bad(word))?,
            Some(word @ "height") => height = words.number().ok_or_else(|| bad(word))?,
            Some(word @ "width") => width = words.number().ok_or_else(|| bad(word))?,
            found => {
                let found = found.unwrap_or("the end of the file");
                return Err(reader.fault(format!("expected type, height, width or map, found {found:?}")));
            }
        }
    }
    let [width, height] = reader.map_size(width, height)?;
    let mut terrains = Vec::with_capacity((width * height).min(bytes.len()));
    for number in 0..height {
        let row = words.word().unwrap_or_default();
        if row.len() != width {
            let count = row.chars().count();
            return Err(reader.fault(format!("row {number} of {height} has {count} cells, expected {width}")));
        }
        for (at, letter) in row.chars().enumerate() {
            let found = (0..).zip(TERRAINS).find(|(_, (letters, ..))| letters.contains(letter));
            let unknown = || format!("row {number}, cell {at}: {letter:?} is no terrain");
            terrains.push(found.ok_or_else(|| reader.fault(unknown()))?.0);
        }
    }
    let cells = Cells::new(width, terrains);
    let mut plan = FloorPlan::default();
    for (number, (_, name, is_walkable)) in (0..).zip(TERRAINS).filter(|(number, _)| cells.has(*number)) {
        let given = reader.options.layer_areas.as_ref().and_then(|areas| (areas.0)(name));
        let area = match given.as_deref() {
            None if !is_walkable => continue,
            None => Some(name).filter(|name| *name != TERRAINS[0].1),
            Some("blocked") => continue,
            given => given,
        };
        let area = reader.area(&mut plan, name, Role::Walkable, area)?;
        let outline = reader.outline(&cells, number, reader.scale, |[x, z]| reader.down(x, z));
        reader.add(&mut plan, None, (Role::Walkable, area), name, outline);
    }
    Ok(plan)
}

/// The description of a map of ROS, of which a picture alone has the defaults.
pub(super) struct Description {
    /// Side of a cell in metres.
    resolution: f64,
    /// Position of the lower left corner of the picture in metres, y up, and its turn in radians.
    origin: [f64; 3],
    /// `true` if light cells are occupied.
    negate: bool,
    /// Shares of being occupied from which a cell is blocked, and below which it is free.
    thresholds: [f64; 2],
    /// `true` if the grey of a cell is its share in percent, of which those above 100 are unknown.
    raw: bool,
}

impl Default for Description {
    fn default() -> Self {
        // As `map_server` has them.
        Self { resolution: 1.0, origin: [0.0; 3], negate: false, thresholds: [0.65, 0.196], raw: false }
    }
}

/// Reads the description of a map of ROS, and its picture.
pub(super) fn ros(reader: &Reader<'_>, file: &Yaml) -> Result<FloorPlan, PlanError> {
    let bad = |key: &str, expected: &str| reader.fault(format!("{key} is not {expected}"));
    let or = |key: &str, default: f64| match &file[key] {
        Yaml::BadValue => Ok(default),
        value => {
            yaml::number(value).filter(|value| value.is_finite()).ok_or_else(|| bad(key, "a finite number"))
        }
    };
    let image = file["image"].as_str().ok_or_else(|| bad("image", "the name of a picture"))?;
    let resolution = or("resolution", f64::NAN)?;
    if resolution.is_nan() || resolution <= 0.0 {
        return Err(bad("resolution", "a number of metres above 0"));
    }
    let origin: Vec<f64> = yaml::items(&file["origin"]).iter().filter_map(yaml::number).collect();
    let origin = <[f64; 3]>::try_from(origin).ok().filter(|origin| origin.iter().all(|it| it.is_finite()));
    let negate = match &file["negate"] {
        Yaml::Boolean(negate) => *negate,
        _ => or("negate", 0.0)? > 0.0,
    };
    let raw = match file["mode"].as_str() {
        None | Some("trinary" | "scale") => false,
        Some("raw") => true,
        Some(_) => return Err(bad("mode", "trinary, scale or raw")),
    };
    let [occupied, free] = Description::default().thresholds;
    let description = Description {
        resolution,
        origin: origin.ok_or_else(|| bad("origin", "x, y and a turn"))?,
        negate,
        thresholds: [or("occupied_thresh", occupied)?, or("free_thresh", free)?],
        raw,
    };
    picture(reader, &reader.beside(image)?, &description)
}

/// Reads a grey picture: a portable grey map, or PNG.
pub(super) fn picture(
    reader: &Reader<'_>,
    bytes: &[u8],
    description: &Description,
) -> Result<FloorPlan, PlanError> {
    let read = if bytes.starts_with(b"\x89PNG") { png } else { pgm };
    let (width, grey) = read(reader, bytes)?;
    let Description { resolution, origin: [left, bottom, turn], negate, thresholds, raw } = *description;
    let terrain = |grey: u8| {
        let dark = if negate { grey } else { 255 - grey };
        let share = if raw { f64::from(grey) / 100.0 } else { f64::from(dark) / 255.0 };
        match share {
            share if raw && share > 1.0 => UNKNOWN,
            share if share > thresholds[0] => BLOCKED,
            share if share < thresholds[1] => FREE,
            _ => UNKNOWN,
        }
    };
    let unknown = if reader.options.map_unknown { FREE } else { UNKNOWN };
    let terrains = grey.into_iter().map(terrain).map(|it| if it == UNKNOWN { unknown } else { it });
    let cells = Cells::new(width, terrains.collect());
    // The origin is that of the lower left corner, the first row is the upper one.
    let (sin, cos) = float::sin_cos(turn);
    let place = |[x, row]: [f64; 2]| -> PlanPosition {
        let (x, y) = (x * resolution, (cells.height() as f64 - row) * resolution);
        reader.north(left + x * cos - y * sin, bottom + x * sin + y * cos)
    };
    let outline = reader.outline(&cells, FREE, resolution * reader.scale, place);
    let mut plan = FloorPlan::default();
    reader.add(&mut plan, None, (Role::Walkable, AreaId::GROUND), "free cells", outline);
    Ok(plan)
}

/// Reads a portable grey map, as text (`P2`) or as bytes (`P5`). Returns its width and the grey of
/// each cell.
fn pgm(reader: &Reader<'_>, bytes: &[u8]) -> Result<(usize, Vec<u8>), PlanError> {
    let mut words = Bytes::new(bytes);
    let kind = words.word();
    if !matches!(kind, Some("P2" | "P5")) {
        return Err(reader.fault("neither a portable grey map (P2, P5) nor a PNG"));
    }
    let header = [words.number::<u32>(), words.number(), words.number()];
    let [Some(width), Some(height), Some(most @ 1..=0xffff)] = header else {
        return Err(reader.fault("the header is not a width, a height and the largest grey, up to 65535"));
    };
    let [width, height] = reader.map_size(width.into(), height.into())?;
    let count = width * height;
    let grey: Vec<u32> = match (kind, most) {
        (Some("P2"), _) => std::iter::from_fn(|| words.number()).take(count).collect(),
        (_, ..=0xff) => words.rest().iter().take(count).map(|&byte| byte.into()).collect(),
        _ => {
            let pairs = words.rest().as_chunks::<2>().0.iter().take(count);
            pairs.map(|&pair| u16::from_be_bytes(pair).into()).collect()
        }
    };
    if grey.len() < count {
        return Err(reader.fault(format!("{} of {count} cells are in the file", grey.len())));
    }
    let byte = |grey: u32| u8::try_from(grey.min(most) * 255 / most).unwrap_or(u8::MAX);
    Ok((width, grey.into_iter().map(byte).collect()))
}

/// Reads a PNG. Returns its width and the grey of each cell, the mean of its colours.
fn png(reader: &Reader<'_>, bytes: &[u8]) -> Result<(usize, Vec<u8>), PlanError> {
    /// Bytes that the parser may take in addition to the picture.
    const MEMORY: usize = 64 << 20;
    /// Most bytes that a byte of the file can become.
    const MAX_RATIO: usize = 1032;
    let bad = |error: png::DecodingError| reader.fault(error.to_string());
    let mut decoder =
        png::Decoder::new_with_limits(std::io::Cursor::new(bytes), png::Limits { bytes: MEMORY });
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut picture = decoder.read_info().map_err(bad)?;
    let [width, height] = reader.map_size(picture.info().width.into(), picture.info().height.into())?;
    let size = picture.output_buffer_size().filter(|size| size / MAX_RATIO <= bytes.len());
    let mut colours = vec![0; size.ok_or_else(|| reader.fault("the file is too short for the picture"))?];
    picture.next_frame(&mut colours).map_err(bad)?;
    let channels = colours.len() / (width * height);
    // The last of two and of four is opacity.
    let count = if channels > 2 { 3 } else { 1 };
    let mean = |cell: &[u8]| cell[..count].iter().map(|&colour| usize::from(colour)).sum::<usize>() / count;
    let grey = colours.chunks_exact(channels).map(|cell| u8::try_from(mean(cell)).unwrap_or(u8::MAX));
    Ok((width, grey.collect()))
}

/// Bytes of a file that are read one after the other.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the next word; `#` begins a comment up to the end of its line. One white space behind
    /// the word is taken as well.
    fn word(&mut self) -> Option<&'a str> {
        loop {
            self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if self.rest().first() != Some(&b'#') {
                break;
            }
            self.at += self.rest().iter().take_while(|&&byte| byte != b'\n').count();
        }
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        self.at = (self.at + length + 1).min(self.bytes.len());
        std::str::from_utf8(&rest[..length]).ok().filter(|word| !word.is_empty())
    }

    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    /// Returns all bytes that are left.
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }
}
