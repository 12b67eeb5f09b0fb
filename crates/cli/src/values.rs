//! Arguments with a notation of their own.

use std::str::FromStr;

use glam::Vec3;
use waymesh::floorplan::{ReadOptions, TangentPlane};
use waymesh::tile::Tile;

/// Returns a position as arguments have it, in centimetres.
pub(crate) fn place_text(place: [f32; 3]) -> String {
    // Without the sum a height of nearly 0 is printed as -0.00.
    let [x, y, z] = place.map(|number| (100.0 * number).round() / 100.0 + 0.0);
    format!("{x:.2},{y:.2},{z:.2}")
}

/// An amount of memory, such as `2GiB`, `800MiB` or `1.5GB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory(pub(crate) u64);

/// Units of memory in bytes (IEC 80000-13).
const UNITS: [(&str, f64); 8] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
];

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let found = UNITS.into_iter().find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, bytes)));
        let (number, unit) =
            found.ok_or_else(|| format!("expected a size such as 2GiB or 800MB, found {text:?}"))?;
        let number: f64 = number.trim().parse().map_err(|_| format!("{number:?} is not a number"))?;
        if !(number.is_finite() && number > 0.0) {
            return Err(format!("{text:?} is not a size above 0"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive; the cast saturates"
        )]
        let bytes = (number * unit) as u64;
        Ok(Self(bytes))
    }
}

/// The place of a tile given as `column,row`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileAt(pub(crate) Tile);

impl FromStr for TileAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let [column, row] =
            pair(text).ok_or_else(|| format!("expected a column and a row as 3,4, found {text:?}"))?;
        Ok(Self(Tile { row, column }))
    }
}

/// A position given as `x,y,z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point(pub(crate) Vec3);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        three_numbers(text).map(|numbers| Self(Vec3::from_array(numbers)))
    }
}

/// A place given as `longitude,latitude` in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GeoOrigin(pub(crate) TangentPlane);

impl FromStr for GeoOrigin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let place = pair(text)
            .ok_or_else(|| format!("expected a longitude and a latitude as 8.54,47.37, found {text:?}"))?;
        let options = ReadOptions::default().with_geo_origin(place);
        options.validate().map_err(|error| error.to_string())?;
        Ok(Self(TangentPlane::new(place)))
    }
}

/// Reads two numbers, as `3,4`.
fn pair<T: FromStr>(text: &str) -> Option<[T; 2]> {
    let (one, other) = text.split_once(',')?;
    Some([one.trim().parse().ok()?, other.trim().parse().ok()?])
}

/// Reads `x,y,z`.
fn three_numbers<T: FromStr>(text: &str) -> Result<[T; 3], String> {
    let numbers: Vec<T> = text
        .split(',')
        .map(|number| number.trim().parse().map_err(|_| format!("{number:?} is not a number")))
        .collect::<Result<_, _>>()?;
    numbers
        .try_into()
        .map_err(|found: Vec<T>| format!("expected three numbers as x,y,z, found {}", found.len()))
}

/// Selection of the ground to keep: `all`, `largest`, or that of pieces of at least an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KeepKind {
    All,
    Largest,
    LargerThan(f32),
}

impl FromStr for KeepKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self::All),
            "largest" => Ok(Self::Largest),
            area => area
                .parse()
                .map(Self::LargerThan)
                .map_err(|_| format!("expected all, largest or an area in square metres, found {area:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_and_tiles_two_numbers() {
        assert_eq!("2GiB".parse(), Ok(Memory(2 << 30)));
        assert_eq!("1.5 MiB".parse(), Ok(Memory(3 << 19)));
        assert_eq!("10MB".parse(), Ok(Memory(10_000_000)));
        assert_eq!("0.5 GB".parse(), Ok(Memory(500_000_000)));
        for bad in ["2", "-1GiB", "NaNGiB", "GiB", "2B", "MB"] {
            assert!(bad.parse::<Memory>().is_err(), "{bad}");
        }
        assert_eq!("3, 4".parse(), Ok(TileAt(Tile { row: 4, column: 3 })));
        assert!("3".parse::<TileAt>().is_err());
        assert!("3,-4".parse::<TileAt>().is_err());
    }

    #[test]
    fn points_are_three_numbers() {
        assert_eq!("1, -2.5,3".parse(), Ok(Point(Vec3::new(1.0, -2.5, 3.0))));
        assert!("1,2".parse::<Point>().is_err());
        assert!("1,b,2".parse::<Point>().is_err());
    }
}
