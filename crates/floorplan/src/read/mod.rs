//! Reading plans from files: the formats, and what the readers share.

#![cfg_attr(
    not(all(feature = "geojson", feature = "map", feature = "svg", feature = "toml", feature = "wkt")),
    allow(dead_code, unused_variables, reason = "helpers of the formats that are left out")
)]

#[cfg(feature = "map")]
mod cells;
mod door;
#[cfg(feature = "dxf")]
mod dxf;
#[cfg(feature = "geojson")]
mod geojson;
#[cfg(feature = "map")]
mod map;
#[cfg(feature = "osm")]
mod osm;
#[cfg(feature = "map")]
mod rmf;
#[cfg(feature = "svg")]
mod svg;
#[cfg(feature = "toml")]
mod toml;
#[cfg(feature = "wkt")]
mod wkt;
#[cfg(feature = "map")]
mod yaml;

use std::path::{Component, Path};
use std::sync::Arc;

use waymesh_core::{AreaId, BadField};

use crate::plan::Extent;
use crate::{FloorPlan, NoteKind, Outline, PlanError, PlanNote, PlanPosition, Shape, Storey, TangentPlane};

/// A floor plan format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanFormat {
    /// The format of this crate, see the crate's documentation.
    Toml,
    /// GeoJSON (RFC 7946), in degrees or in units of the plan: see [`ReadOptions::geo_origin`].
    GeoJson,
    /// Well-known text, one geometry per line.
    Wkt,
    /// SVG shapes and paths.
    Svg,
    /// AutoCAD drawing exchange. Needs the feature `dxf`.
    Dxf,
    /// YAML: a map of ROS, with its picture in the same folder, or a building of Open-RMF.
    Yaml,
    /// A grey picture, free cells white: a portable grey map or PNG. A cell is a unit.
    Picture,
    /// A map of cells of MovingAI. A cell is a unit.
    MovingAi,
    /// The inside of buildings in OpenStreetMap.
    Osm,
}

/// File endings, for messages.
const ENDINGS: &str = ".toml, .geojson, .json, .wkt, .svg, .dxf, .yaml, .pgm, .png, .map or .osm";

impl PlanFormat {
    /// Returns the format of a file by its ending.
    #[must_use]
    pub fn of(file: &Path) -> Option<Self> {
        let ending = file.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "toml" => Some(Self::Toml),
            "geojson" | "json" => Some(Self::GeoJson),
            "wkt" | "txt" => Some(Self::Wkt),
            "svg" => Some(Self::Svg),
            "dxf" => Some(Self::Dxf),
            "yaml" | "yml" => Some(Self::Yaml),
            "pgm" | "png" => Some(Self::Picture),
            "map" => Some(Self::MovingAi),
            "osm" => Some(Self::Osm),
            _ => None,
        }
    }

    /// The feature of this crate that reads the format.
    fn feature(self) -> &'static str {
        match self {
            Self::Toml => "toml",
            Self::GeoJson => "geojson",
            Self::Wkt => "wkt",
            Self::Svg => "svg",
            Self::Dxf => "dxf",
            Self::Yaml | Self::Picture | Self::MovingAi => "map",
            Self::Osm => "osm",
        }
    }
}

/// Areas of the layers of a drawing, by their names.
#[derive(Clone)]
pub struct LayerAreas(Arc<AreaOfLayer>);

type AreaOfLayer = dyn Fn(&str) -> Option<String> + Send + Sync;

impl LayerAreas {
    /// Makes a map of a function that returns `NAME`, `NAME:COST` or `blocked` for a layer, or
    /// nothing, always the same for the same layer.
    #[must_use]
    pub fn new(area_of: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(area_of))
    }
}

impl std::fmt::Debug for LayerAreas {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("LayerAreas")
    }
}

impl PartialEq for LayerAreas {
    /// Clones of one map are equal.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Options of the readers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Metres per unit of the file; widths and depths in the file are scaled as well. Finite and
    /// above 0. Default none: the unit that a DXF drawing gives (`$INSUNITS`), else 1. Plans in
    /// TOML are in metres.
    pub scale: Option<f64>,
    /// Thickness of walls for which the file gives none, in metres. Default 0.1; finite and above
    /// 0.
    pub wall_width: f64,
    /// Longitude and latitude in degrees that become 0, 0 of the plan: coordinates are degrees (WGS
    /// 84), as RFC 7946 and IMDF have them, and other numbers metres. Default none: those of
    /// GeoJSON and WKT are degrees if all could be, the plan is less than half a degree wide and no
    /// `scale` is given, with a note; those of a building of Open-RMF if it says so. Other formats
    /// ignore it. Not with a `scale`.
    pub geo_origin: Option<[f64; 2]>,
    /// Storey of elements that name none. Default `"0"`.
    pub storey: String,
    /// Height of that storey in metres. Default 0.
    pub elevation: f64,
    /// Height from one level to the next in metres, for files that number levels and do not say how
    /// high they are: OpenStreetMap, and the ordinals of IMDF. Default 3; finite and above 0.
    pub storey_height: f64,
    /// Areas of layers, for DXF: walkable shapes are of the area of their layer, and those on a
    /// layer without a kind in its name are marks of its area. In maps of MovingAI the layers are
    /// the terrains `ground`, `swamp`, `water`, `trees` and `out of bounds`. Other formats name
    /// areas themselves. Default none.
    pub layer_areas: Option<LayerAreas>,
    /// Farthest in metres that a border of cells of a map may be moved to run straight. Default 0:
    /// it follows the cells; finite and at least 0.
    pub map_error: f64,
    /// `true` if cells that a map calls unknown are ground. Default `false`.
    pub map_unknown: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            scale: None,
            geo_origin: None,
            wall_width: 0.1,
            storey: "0".into(),
            elevation: 0.0,
            storey_height: 3.0,
            layer_areas: None,
            map_error: 0.0,
            map_unknown: false,
        }
    }
}

waymesh_core::setters! {
    impl ReadOptions {
        with_scale(scale: Some(f64));
        with_geo_origin(geo_origin: Some([f64; 2]));
        with_wall_width(wall_width: f64);
        with_storey_height(storey_height: f64);
        with_layer_areas(layer_areas: Some(LayerAreas));
        with_map_error(map_error: f64);
        with_map_unknown(map_unknown: bool);
    }
}

impl ReadOptions {
    /// Sets the storey of elements that name none, and its height in metres.
    #[must_use]
    pub fn with_storey(mut self, name: impl Into<String>, elevation: f64) -> Self {
        self.storey = name.into();
        self.elevation = elevation;
        self
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), PlanError> {
        for (field, value) in [
            ("scale", self.scale.unwrap_or(1.0)),
            ("wall_width", self.wall_width),
            ("storey_height", self.storey_height),
        ] {
            BadField::unless(value.is_finite() && value > 0.0, field, value, "finite and above 0")?;
        }
        if let Some([longitude, latitude]) = self.geo_origin {
            const PLACE: &str = "a longitude from -180 to 180 and a latitude between -90 and 90";
            BadField::unless(longitude.abs() <= 180.0, "geo_origin", longitude, PLACE)?;
            BadField::unless(latitude.abs() < 90.0, "geo_origin", latitude, PLACE)?;
            let scale = self.scale.unwrap_or(1.0);
            BadField::unless(
                self.scale.is_none(),
                "scale",
                scale,
                "left out where geo_origin makes degrees of coordinates",
            )?;
        }
        let is_length = self.map_error.is_finite() && self.map_error >= 0.0;
        BadField::unless(is_length, "map_error", self.map_error, "finite and at least 0")?;
        Ok(())
    }
}

/// Reads a plan from a file, by its ending. The picture of a map of ROS is read as well, if it is
/// in the folder of the file.
///
/// # Errors
/// Names the file, and the line or element if known.
pub fn read_plan(file: &Path, options: &ReadOptions) -> Result<FloorPlan, PlanError> {
    let format = PlanFormat::of(file)
        .ok_or_else(|| PlanError::UnknownFormat { file: file.to_path_buf(), expected: ENDINGS })?;
    let text = std::fs::read(file).map_err(|source| PlanError::Io { file: file.to_path_buf(), source })?;
    parse(&file.display().to_string(), file.parent(), &text, format, options)
}

/// Reads files that make one plan together. If one of them is in degrees, all GeoJSON and WKT is,
/// around its place.
///
/// # Errors
/// See [`read_plan`] and [`FloorPlan::merge`].
pub fn read_plans(files: &[impl AsRef<Path>], options: &ReadOptions) -> Result<FloorPlan, PlanError> {
    let mut plan = FloorPlan::default();
    for file in files {
        let one = read_plan(file.as_ref(), options)?;
        if let (Some(origin), None, true) = (one.geo_origin, options.geo_origin, files.len() > 1) {
            let note = one.notes.into_iter().find(|note| matches!(note.kind, NoteKind::Degrees { .. }));
            let mut plan = read_plans(files, &options.clone().with_geo_origin(origin))?;
            plan.notes.extend(note);
            return Ok(plan);
        }
        plan.merge(one)?;
    }
    Ok(plan)
}

/// Reads a plan from memory. `name` is used in messages. A map of ROS is refused, since its picture
/// is another file.
///
/// # Errors
/// See [`read_plan`].
pub fn parse_plan(
    name: &str,
    bytes: &[u8],
    format: PlanFormat,
    options: &ReadOptions,
) -> Result<FloorPlan, PlanError> {
    parse(name, None, bytes, format, options)
}

fn parse(
    name: &str,
    folder: Option<&Path>,
    bytes: &[u8],
    format: PlanFormat,
    options: &ReadOptions,
) -> Result<FloorPlan, PlanError> {
    options.validate()?;
    let reader = Reader { file: name, folder, options, scale: options.scale.unwrap_or(1.0), plane: None };
    let plan = parse_as(reader.clone(), bytes, format)?;
    // Coordinates that are certainly degrees are metres already.
    let may_be_degrees = matches!(format, PlanFormat::GeoJson | PlanFormat::Wkt);
    if !may_be_degrees || options.scale.is_some() || plan.geo_origin.is_some() {
        return Ok(plan);
    }
    let Some([low, high]) = plan.extent() else { return Ok(plan) };
    let Some(origin) = options.geo_origin.or_else(|| centre_of_degrees(&plan, [low, high])) else {
        return Ok(plan);
    };
    for [longitude, south] in [low, high] {
        reader.check_near(origin, [longitude, -south])?;
    }
    let plane = Some(TangentPlane::new(origin));
    let mut plan = parse_as(Reader { plane, ..reader.clone() }, bytes, format)?;
    plan.geo_origin = Some(origin);
    if options.geo_origin.is_none() {
        reader.note(&mut plan, "coordinates", NoteKind::Degrees { origin, is_guess: true });
    }
    Ok(plan)
}

/// Largest width and depth in degrees of a plan whose coordinates are taken for degrees: a building
/// in metres is larger, and a town in degrees smaller.
const MOST_DEGREES: f64 = 0.5;

/// Farthest in degrees that a plan may be from its origin: a plane does not fit the earth beyond.
const FARTHEST_DEGREES: f64 = 1.0;

/// Returns the middle of a plan whose coordinates must be degrees: its ground is so small that
/// nobody could walk on it if they were metres. Doors or furniture alone may be small.
fn centre_of_degrees(plan: &FloorPlan, [low, high]: Extent) -> Option<[f64; 2]> {
    let has_ground = plan.storeys.iter().any(|storey| !storey.walkable.is_empty());
    let size = [0, 1].map(|axis| high[axis] - low[axis]);
    let is_small = size.iter().all(|&size| size < MOST_DEGREES) && size[0].max(size[1]) > 0.0;
    let is_on_earth = low[0] >= -180.0 && high[0] <= 180.0 && low[1] > -90.0 && high[1] < 90.0;
    // Readers have turned north to -z.
    (has_ground && is_small && is_on_earth).then(|| middle([low, high])).map(|[x, z]| [x, -z])
}

/// Returns the middle of a box in degrees to about a metre, so that a person can read and repeat
/// it.
fn middle([low, high]: Extent) -> [f64; 2] {
    [0, 1].map(|axis| (f64::midpoint(low[axis], high[axis]) * 1e5).round() / 1e5)
}

fn parse_as(reader: Reader<'_>, bytes: &[u8], format: PlanFormat) -> Result<FloorPlan, PlanError> {
    match format {
        #[cfg(feature = "toml")]
        PlanFormat::Toml => toml::parse(&reader, reader.text(bytes)?),
        #[cfg(feature = "geojson")]
        PlanFormat::GeoJson => geojson::parse(&reader, reader.text(bytes)?),
        #[cfg(feature = "wkt")]
        PlanFormat::Wkt => wkt::parse(&reader, reader.text(bytes)?),
        #[cfg(feature = "svg")]
        PlanFormat::Svg => svg::parse(&reader, reader.text(bytes)?),
        #[cfg(feature = "dxf")]
        PlanFormat::Dxf => dxf::parse(reader, bytes),
        #[cfg(feature = "map")]
        PlanFormat::Yaml => of_robots(&reader, reader.text(bytes)?),
        #[cfg(feature = "map")]
        PlanFormat::Picture => map::picture(&reader, bytes, &map::Description::default()),
        #[cfg(feature = "map")]
        PlanFormat::MovingAi => map::moving_ai(&reader, bytes),
        #[cfg(feature = "osm")]
        PlanFormat::Osm => osm::parse(&reader, reader.text(bytes)?),
        #[allow(unreachable_patterns, reason = "some format is left out of most builds")]
        _ => Err(PlanError::FeatureOff { file: reader.file.to_owned(), feature: format.feature() }),
    }
}

/// Reads a plan of robots: a map of ROS, or a building of Open-RMF.
#[cfg(feature = "map")]
fn of_robots(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let file = yaml::load(reader, text)?;
    if !file["levels"].is_badvalue() {
        rmf::parse(reader, &file)
    } else if !file["image"].is_badvalue() {
        map::ros(reader, &file)
    } else {
        Err(reader.fault(
            "neither a map of ROS, which has an `image`, nor a building of Open-RMF, which has `levels`",
        ))
    }
}

/// Most attributes of an element: the parser compares each with all others.
const MOST_ATTRIBUTES: usize = 10_000;

/// The state of all readers.
#[derive(Clone)]
struct Reader<'a> {
    file: &'a str,
    /// Folder of the file, if it is one.
    folder: Option<&'a Path>,
    options: &'a ReadOptions,
    /// Metres per unit.
    scale: f64,
    /// Makes metres of coordinates that are degrees.
    plane: Option<TangentPlane>,
}

/// The kind of an element of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Walkable,
    Blocked,
    Door,
    /// Gives its area to the ground in it.
    Mark,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Walkable => "walkable",
            Self::Blocked => "blocked",
            Self::Door => "a door",
            Self::Mark => "a mark",
        }
    }
}

/// Text of the note on a line whose kind is walkable.
const WALKABLE_LINE: &str = "walkable, the kind of a line, which is read as a wall,";

/// The kinds in the words of one name.
#[derive(Default)]
struct Kinds {
    /// In the order of the words.
    said: Vec<Role>,
    /// `true` for a word that is the kind of a floor, or its storey: `Ground floor walls`.
    storey: bool,
}

impl Kinds {
    /// Reads the words of a name; `wallLayer` has two.
    fn of(name: &str) -> Self {
        let mut kinds = Self::default();
        let (mut word, mut negated) = (String::new(), false);
        let mut last = ' ';
        for letter in name.chars().chain([' ']) {
            if !letter.is_ascii_alphabetic() || (last.is_ascii_lowercase() && letter.is_ascii_uppercase()) {
                negated = kinds.add(&word, negated) || (word.is_empty() && negated);
                word.clear();
            }
            if letter.is_ascii_alphabetic() {
                word.push(letter.to_ascii_lowercase());
            }
            last = letter;
        }
        kinds
    }

    /// Adds a word. Returns `true` if it negates the next one.
    fn add(&mut self, word: &str, negated: bool) -> bool {
        // JuPedSim's `jps-walkablearea` is one word.
        match word.trim_end_matches('s').strip_suffix("area").unwrap_or(word) {
            "no" | "non" | "not" => return true,
            "walkable" if negated => self.said.push(Role::Blocked),
            "walkable" | "room" | "rooms" => self.said.push(Role::Walkable),
            "floor" | "floors" | "ground" => self.storey = true,
            "blocked" | "wall" | "walls" | "obstacle" | "obstacles" | "furniture" | "column" | "columns"
            | "unwalkable" => self.said.push(Role::Blocked),
            "door" | "doors" => self.said.push(Role::Door),
            "mark" | "marks" => self.said.push(Role::Mark),
            _ => {}
        }
        false
    }
}

/// Returns the kind that names give, those with the highest precedence first, and another kind that
/// they give as well. Of a name with several kinds the last word counts: `room walls` are blocked.
fn roles(names: &[&str]) -> (Option<Role>, Option<Role>) {
    let kinds: Vec<Kinds> = names.iter().map(|name| Kinds::of(name)).collect();
    let Some(first) = kinds.iter().position(|kinds| !kinds.said.is_empty()) else {
        return (kinds.iter().any(|kinds| kinds.storey).then_some(Role::Walkable), None);
    };
    let role = kinds[first].said.last().copied();
    let storeys = kinds.iter().enumerate().filter(|(index, kinds)| *index != first && kinds.storey);
    let others = kinds.iter().flat_map(|kinds| kinds.said.iter().copied());
    let mut others = others.chain(storeys.map(|_| Role::Walkable));
    (role, others.find(|&other| Some(other) != role))
}

/// Returns the kind of a keyword.
fn role(name: &str) -> Option<Role> {
    roles(&[name]).0
}

impl FloorPlan {
    /// Adds a storey, whose name no other has.
    fn add_storey(&mut self, storey: Storey) -> Result<(), PlanError> {
        if self.storeys.iter().any(|other| other.name == storey.name) {
            return Err(PlanError::StoreyTwice { name: storey.name });
        }
        self.storeys.push(storey);
        Ok(())
    }
}

impl Reader<'_> {
    fn fault(&self, message: impl Into<String>) -> PlanError {
        PlanError::Format { file: self.file.to_owned(), message: message.into() }
    }

    /// Refuses elements with more attributes than any drawing or map has.
    fn few_attributes(&self, text: &str) -> Result<(), PlanError> {
        let attributes = |tag: &str| {
            tag.split('=').skip(1).filter(|value| value.trim_start().starts_with(['"', '\''])).count()
        };
        match text.split('<').map(attributes).max() {
            Some(count) if count > MOST_ATTRIBUTES => {
                Err(self.fault(format!("an element with {count} attributes, the limit is {MOST_ATTRIBUTES}")))
            }
            _ => Ok(()),
        }
    }

    /// The text of a file.
    fn text<'b>(&self, bytes: &'b [u8]) -> Result<&'b str, PlanError> {
        let text =
            std::str::from_utf8(bytes).map_err(|error| self.fault(format!("not UTF-8 text: {error}")))?;
        // A byte order mark is not part of any of these formats.
        Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// Reads a regular file in the folder of the plan, or in one below it: a plan from strangers
    /// must not open others.
    fn beside(&self, name: &str) -> Result<Vec<u8>, PlanError> {
        let outside = || {
            let why = "is no file in the folder of the plan, or the plan is no file";
            self.fault(format!("{name:?} {why}: put both into one folder"))
        };
        let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        let folder = self.folder.filter(|_| is_below).ok_or_else(outside)?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let failed = |error| self.fault(format!("cannot read {name:?} in the folder of the plan: {error}"));
        let file = folder.join(name).canonicalize().map_err(failed)?;
        let is_inside = file.starts_with(folder.canonicalize().map_err(failed)?);
        if !is_inside || !file.is_file() {
            return Err(outside());
        }
        std::fs::read(file).map_err(failed)
    }

    /// An element's name for messages.
    fn source(&self, element: &str) -> String {
        format!("{}: {element}", self.file)
    }

    fn note(&self, plan: &mut FloorPlan, element: &str, kind: NoteKind) {
        plan.notes.push(PlanNote { element: self.source(element).into(), kind });
    }

    fn ignored(&self, plan: &mut FloorPlan, element: &str, what: impl Into<String>) {
        self.note(plan, element, NoteKind::Ignored { what: what.into() });
    }

    /// Returns the kind that the names of an element give. A contradiction is noted.
    fn role(&self, plan: &mut FloorPlan, element: &str, names: &[&str]) -> Option<Role> {
        let (role, other) = roles(names);
        if let (Some(role), Some(other)) = (role, other) {
            let (name, kind, other) = (names.join(" "), role.name(), other.name());
            self.note(plan, element, NoteKind::TwoKinds { name, kind, other });
        }
        role
    }

    /// Refuses a longitude and a latitude that are not near an origin.
    fn check_near(&self, origin: [f64; 2], place: [f64; 2]) -> Result<(), PlanError> {
        if (0..2).any(|axis| (place[axis] - origin[axis]).abs() > FARTHEST_DEGREES) {
            let ([x, y], [longitude, latitude]) = (place, origin);
            return Err(self.fault(format!(
                "coordinates {x}, {y} are not within {FARTHEST_DEGREES} degree of the longitude {longitude} and the latitude {latitude} of geo_origin"
            )));
        }
        Ok(())
    }

    /// Converts a point of a file in which y points up: to the north, or to the top of a drawing.
    fn north(&self, x: f64, y: f64) -> PlanPosition {
        let [x, y] = self.plane.map_or([x * self.scale, y * self.scale], |plane| plane.metres([x, y]));
        [x, -y]
    }

    /// Converts a point of a file in which y points down.
    fn down(&self, x: f64, y: f64) -> PlanPosition {
        [x * self.scale, y * self.scale]
    }

    /// Returns the area that an element names, and adds it to the plan; plain ground if it names
    /// none. What is blocked has no area, and a mark must have one.
    fn area(
        &self,
        plan: &mut FloorPlan,
        element: &str,
        role: Role,
        area: Option<&str>,
    ) -> Result<AreaId, PlanError> {
        match (role, area) {
            (Role::Blocked | Role::Door, _) | (Role::Walkable, None) => Ok(AreaId::GROUND),
            (Role::Mark, None) => Err(self.fault(format!("{element}: a mark has no area"))),
            (Role::Walkable | Role::Mark, Some(area)) => plan
                .areas
                .named(area)
                .map_err(|source| PlanError::Area { element: self.source(element).into(), source }),
        }
    }

    /// Adds a shape, a wall or a door.
    fn add(
        &self,
        plan: &mut FloorPlan,
        storey: Option<(&str, f64)>,
        (role, area): (Role, AreaId),
        element: &str,
        outline: Outline,
    ) {
        if role == Role::Door {
            return self.add_door(plan, storey, element, &outline, DoorFields::default());
        }
        let (name, elevation) = storey.unwrap_or((&self.options.storey, self.options.elevation));
        let storey = plan.storey_mut(name, elevation);
        let shape = Shape::new(self.source(element), outline).with_area(area);
        match role {
            Role::Walkable => storey.walkable.push(shape),
            Role::Mark => storey.marks.push(shape),
            Role::Blocked | Role::Door => storey.blocked.push(shape),
        }
    }
}

/// Fields of a door that its outline does not give.
#[derive(Clone, Copy, Default)]
pub(super) struct DoorFields<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) depth: Option<f64>,
    pub(super) cost: f32,
}
