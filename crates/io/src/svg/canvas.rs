//! A canvas in plan coordinates, and a picture made of such canvases.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use waymesh_core::float;

use super::Colour;

/// Style of a shape. Lengths are in pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Style {
    /// Fill colour; none by default.
    pub fill: Option<Colour>,
    /// Line colour; none by default.
    pub line: Option<Colour>,
    /// Line width. Default 1.
    pub width: f64,
    /// Length of dashes and gaps; none (a full line) by default.
    pub dash: Option<f64>,
    /// Opacity, from 0 (invisible) to 1. Default 1.
    pub opacity: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self { fill: None, line: None, width: 1.0, dash: None, opacity: 1.0 }
    }
}

waymesh_core::setters! {
    impl Style {
        with_dash(dash: Some(f64));
        with_opacity(opacity: f64);
    }
}

impl Style {
    /// Returns the style of a filled shape without outline.
    #[must_use]
    pub fn fill(colour: Colour) -> Self {
        Self { fill: Some(colour), ..Self::default() }
    }

    /// Returns the style of a line with a width in pixels.
    #[must_use]
    pub fn line(colour: Colour, width: f64) -> Self {
        Self { line: Some(colour), width, ..Self::default() }
    }

    /// Adds an outline.
    #[must_use]
    pub fn with_line(mut self, colour: Colour, width: f64) -> Self {
        self.line = Some(colour);
        self.width = width;
        self
    }

    fn write(&self, out: &mut String) {
        match self.fill {
            Some(fill) => _ = write!(out, " fill=\"{fill}\""),
            None => out.push_str(" fill=\"none\""),
        }
        if let Some(line) = self.line {
            _ = write!(out, " stroke=\"{line}\" stroke-width=\"{}\"", Short(self.width));
            if let Some(dash) = self.dash {
                _ = write!(out, " stroke-dasharray=\"{}\"", Short(dash));
            }
        }
        if self.opacity < 1.0 {
            _ = write!(out, " opacity=\"{}\"", Short(self.opacity));
        }
    }
}

/// The part of a label that is at its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A number with at most two decimals: a hundredth of a pixel.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", if self.0.is_finite() { self.0 } else { 0.0 });
        let text = text.trim_end_matches('0').trim_end_matches('.');
        formatter.write_str(if text == "-0" { "0" } else { text })
    }
}

/// Text with the reserved characters of XML escaped, and the forbidden ones removed.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                control if control.is_control() => {}
                other => write!(formatter, "{other}")?,
            }
        }
        Ok(())
    }
}

/// A rectangular part of the plan, drawn to scale. Shapes are drawn in the order of the calls,
/// later ones on top.
///
/// Points are `[x, z]` in any unit that the view is given in: metres, grid cells.
#[derive(Clone, Debug)]
pub struct Canvas {
    min: [f64; 2],
    size: [f64; 2],
    /// Pixels per unit.
    scale: f64,
    body: String,
}

impl Canvas {
    /// Creates a canvas that shows the plan from `min` to `max`, its longer side `pixels` long. A
    /// view that is empty or not finite becomes one of side 1.
    #[must_use]
    pub fn new(min: [f64; 2], max: [f64; 2], pixels: f64) -> Self {
        let side = |axis: usize| {
            let side = max[axis] - min[axis];
            if side.is_finite() && side > 0.0 { side } else { 1.0 }
        };
        let size = [side(0), side(1)];
        let min = min.map(|corner| if corner.is_finite() { corner } else { 0.0 });
        Self { min, size, scale: pixels / size[0].max(size[1]), body: String::new() }
    }

    /// Returns the pixels per unit of the plan.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the width and height in pixels.
    #[must_use]
    pub fn pixels(&self) -> [f64; 2] {
        self.size.map(|side| side * self.scale)
    }

    fn place(&self, point: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| (point[axis] - self.min[axis]) * self.scale)
    }

    /// Adds a chain of lines to a path, each point relative to the previous one on the grid of
    /// hundredths of a pixel, so that rounding errors do not accumulate.
    fn chain(&self, out: &mut String, points: impl IntoIterator<Item = [f64; 2]>, close: bool) {
        let mut before: Option<[f64; 2]> = None;
        for point in points {
            let place = self.place(point).map(|value| (value * 100.0).round());
            match before {
                None => _ = write!(out, "M{} {}", Short(place[0] / 100.0), Short(place[1] / 100.0)),
                Some(last) => {
                    let step = [0, 1].map(|axis| Short((place[axis] - last[axis]) / 100.0).to_string());
                    let gap = if step[1].starts_with('-') { "" } else { " " };
                    _ = write!(out, "l{}{gap}{}", step[0], step[1]);
                }
            }
            before = Some(place);
        }
        if close && before.is_some() {
            out.push('z');
        }
    }

    fn path(&mut self, data: &str, style: &Style) {
        if data.is_empty() {
            return;
        }
        _ = write!(self.body, "<path d=\"{data}\"");
        style.write(&mut self.body);
        if style.line.is_some() {
            self.body.push_str(" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
        }
        self.body.push_str("/>\n");
    }

    /// Draws closed polygons as one shape, so that no seams appear between adjacent polygons.
    pub fn polygons<P: IntoIterator<Item = [f64; 2]>>(
        &mut self,
        polygons: impl IntoIterator<Item = P>,
        style: &Style,
    ) {
        let mut data = String::new();
        for polygon in polygons {
            self.chain(&mut data, polygon, true);
        }
        self.path(&data, style);
    }

    /// Draws open lines as one shape.
    pub fn polylines<P: IntoIterator<Item = [f64; 2]>>(
        &mut self,
        lines: impl IntoIterator<Item = P>,
        style: &Style,
    ) {
        let mut data = String::new();
        for line in lines {
            self.chain(&mut data, line, false);
        }
        self.path(&data, style);
    }

    /// Draws a disc with a radius in pixels.
    pub fn dot(&mut self, centre: [f64; 2], radius: f64, style: &Style) {
        let [x, y] = self.place(centre);
        _ = write!(self.body, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", Short(x), Short(y), Short(radius));
        style.write(&mut self.body);
        self.body.push_str("/>\n");
    }

    /// Writes a label with a height in pixels.
    pub fn text(&mut self, at: [f64; 2], text: &str, height: f64, colour: Colour, anchor: Anchor) {
        let place = self.place(at);
        write_text(&mut self.body, place, text, height, colour, anchor, false);
    }

    /// Draws cells of a grid. The grid's first cell has its lower corner at `origin`, a cell is
    /// `cell` long and wide, and `colour(x, z)` returns its colour, if it is drawn.
    ///
    /// Equal cells are merged to runs along x and equal runs to rectangles along z, so large
    /// uniform areas cost little. Cells are drawn without antialiasing: no seams.
    pub fn raster(
        &mut self,
        origin: [f64; 2],
        cell: f64,
        (width, depth): (u32, u32),
        mut colour: impl FnMut(u32, u32) -> Option<Colour>,
    ) {
        /// Open rectangles of the previous row: columns and colour, and their first row.
        type Open = BTreeMap<(u32, u32, Colour), u32>;
        let mut shapes: BTreeMap<Colour, String> = BTreeMap::new();
        let mut close = |((start, end, colour), from): ((u32, u32, Colour), u32), row: u32| {
            let (long, high) = (end - start, row - from);
            let data = shapes.entry(colour).or_default();
            _ = write!(data, "M{start} {from}h{long}v{high}h-{long}z");
        };
        let mut open = Open::new();
        for z in 0..depth {
            let colours: Vec<Option<Colour>> = (0..width).map(|x| colour(x, z)).collect();
            let mut row = Open::new();
            let mut end = 0;
            for run in colours.chunk_by(|a, b| a == b) {
                let start = end;
                end += u32::try_from(run.len()).unwrap_or(width);
                if let Some(colour) = run[0] {
                    let key = (start, end, colour);
                    row.insert(key, open.remove(&key).unwrap_or(z));
                }
            }
            std::mem::take(&mut open).into_iter().for_each(|ended| close(ended, z));
            open = row;
        }
        open.into_iter().for_each(|ended| close(ended, depth));
        if shapes.is_empty() {
            return;
        }
        let [x, y] = self.place(origin);
        _ = writeln!(
            self.body,
            "<g transform=\"translate({} {}) scale({})\" shape-rendering=\"crispEdges\">",
            Short(x),
            Short(y),
            cell * self.scale
        );
        for (colour, data) in shapes {
            _ = writeln!(self.body, "<path d=\"{data}\" fill=\"{colour}\"/>");
        }
        self.body.push_str("</g>\n");
    }
}

fn write_text(
    out: &mut String,
    [x, y]: [f64; 2],
    text: &str,
    height: f64,
    colour: Colour,
    anchor: Anchor,
    bold: bool,
) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let weight = if bold { " font-weight=\"600\"" } else { "" };
    _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{colour}\"{anchor}{weight}>{}</text>",
        Short(x),
        Short(y),
        Short(height),
        Escaped(text)
    );
}

/// Space around and between panels, in pixels.
const MARGIN: f64 = 24.0;
/// Height of a title's letters.
const TITLE: f64 = 16.0;
/// Height of a note's letters.
const NOTE: f64 = 13.0;
/// Space for a panel's title.
const TITLE_ROOM: f64 = TITLE + 12.0;
/// Space below a panel for its coordinates and its scale bar.
const BAR_ROOM: f64 = 46.0;
/// Space left of a panel for its coordinates.
const AXIS_ROOM: f64 = 40.0;
/// Space for one line of notes.
const NOTE_ROOM: f64 = 22.0;
const PAPER: Colour = Colour([0xfc, 0xfb, 0xf8]);
const MUTED: Colour = Colour([0x66, 0x6e, 0x78]);
/// Ground of other storeys.
pub(super) const BACKDROP: Colour = Colour([0xee, 0xec, 0xe6]);
/// Colours for readers who prefer dark pages: of paper, other storeys, bold letters and lines of
/// the legend, which are 28 pixels long. The mesh keeps its colours, with dark lines on it.
const DARK: [(&str, &str, Colour, &str); 5] = [
    ("", "fill", PAPER, "#16191d"),
    ("", "fill", BACKDROP, "#262b31"),
    ("", "fill", MUTED, "#a3acb7"),
    ("text[font-weight]", "fill", Colour::INK, "#e4e8ec"),
    ("path[d$=h28]", "stroke", Colour::INK, "#e4e8ec"),
];

/// A picture of one or several panels with titles, scale bars and notes.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    panels: Vec<(String, Canvas, Option<&'static str>)>,
    /// Marks and their meanings.
    notes: Vec<(Style, String)>,
}

impl Picture {
    /// Creates a picture without panels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a panel. With a `unit`, such as `"m"`, it has coordinates at its left and lower edge, and
    /// a scale bar.
    pub fn push(&mut self, title: &str, canvas: Canvas, unit: Option<&'static str>) {
        self.panels.push((title.to_owned(), canvas, unit));
    }

    /// Adds a line to the legend below the panels: a mark of a style and its meaning.
    pub fn note(&mut self, style: Style, meaning: &str) {
        self.notes.push((style, meaning.to_owned()));
    }

    /// Returns the number of panels per row that brings the picture nearest to the shape of a
    /// screen.
    fn columns(&self, panel: [f64; 2]) -> usize {
        const SCREEN: f64 = 1.5;
        let count = self.panels.len().max(1);
        let misfit = |columns: usize| {
            let shape = (columns as f64 * panel[0]) / (count.div_ceil(columns) as f64 * panel[1]);
            float::ln(shape / SCREEN).abs()
        };
        (1..=count).min_by(|&a, &b| misfit(a).total_cmp(&misfit(b))).unwrap_or(1)
    }

    /// Returns the picture as an SVG document. Where the reader prefers dark pages, paper and letters
    /// of a picture with units change their colours.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let largest = self.panels.iter().fold([1.0_f64; 2], |largest, (_, canvas, _)| {
            let pixels = canvas.pixels();
            [largest[0].max(pixels[0]), largest[1].max(pixels[1])]
        });
        let any_unit = self.panels.iter().any(|(_, _, unit)| unit.is_some());
        let [axis, bar] = if any_unit { [AXIS_ROOM, BAR_ROOM] } else { [0.0; 2] };
        let cell = [axis + largest[0], largest[1] + TITLE_ROOM + bar];
        let columns = self.columns(cell);
        let rows = self.panels.len().div_ceil(columns);
        let width = MARGIN + columns as f64 * (cell[0] + MARGIN);
        let panels_end = MARGIN + rows as f64 * (cell[1] + MARGIN);
        let (note_places, notes_height) = self.place_notes(width);
        let height = panels_end + notes_height;

        let mut out = String::new();
        _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
             font-family=\"system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif\">",
            Short(width),
            Short(height)
        );
        if any_unit {
            out.push_str("<style>@media (prefers-color-scheme:dark){");
            for (shape, part, colour, dark) in DARK {
                _ = write!(out, "{shape}[{part}=\"{colour}\"]{{{part}:{dark}}}");
            }
            out.push_str("}</style>\n");
        }
        _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"{PAPER}\"/>");
        for (index, (title, canvas, unit)) in self.panels.iter().enumerate() {
            let left = MARGIN + axis + (index % columns) as f64 * (cell[0] + MARGIN);
            let top = MARGIN + (index / columns) as f64 * (cell[1] + MARGIN);
            write_text(&mut out, [left, top + TITLE], title, TITLE, Colour::INK, Anchor::Start, true);
            _ = writeln!(out, "<g transform=\"translate({} {})\">", Short(left), Short(top + TITLE_ROOM));
            out.push_str(&canvas.body);
            if let Some(unit) = unit {
                write_coordinates(&mut out, canvas);
                write_scale_bar(&mut out, canvas, unit);
            }
            out.push_str("</g>\n");
        }
        for ((style, meaning), [x, y]) in self.notes.iter().zip(note_places) {
            write_note(&mut out, [x, panels_end + y], style, meaning);
        }
        out.push_str("</svg>\n");
        out
    }

    /// Returns the positions of the notes, line by line, and their total height.
    fn place_notes(&self, width: f64) -> (Vec<[f64; 2]>, f64) {
        let (mut x, mut y) = (MARGIN, 0.0);
        let places = self.notes.iter().map(|(_, meaning)| {
            let room = 60.0 + meaning.chars().count() as f64 * NOTE * 0.56;
            if x > MARGIN && x + room > width - MARGIN {
                (x, y) = (MARGIN, y + NOTE_ROOM);
            }
            x += room;
            [x - room, y]
        });
        let places: Vec<_> = places.collect();
        let height = if places.is_empty() { 0.0 } else { y + NOTE_ROOM + MARGIN / 2.0 };
        (places, height)
    }
}

fn write_note(out: &mut String, [x, y]: [f64; 2], style: &Style, meaning: &str) {
    let middle = y - NOTE * 0.35 + NOTE;
    if style.fill.is_some() {
        _ = write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"28\" height=\"12\" rx=\"2\"",
            Short(x),
            Short(middle - 6.0)
        );
    } else {
        _ = write!(out, "<path d=\"M{} {}h28\"", Short(x), Short(middle));
    }
    style.write(out);
    out.push_str("/>\n");
    write_text(out, [x + 36.0, y + NOTE], meaning, NOTE, MUTED, Anchor::Start, false);
}

/// Returns the largest of 1, 2 and 5 times a power of ten that is at most `longest`.
fn round_number(longest: f64) -> f64 {
    let power = float::powf(10.0, float::log10(longest).floor());
    [5.0, 2.0, 1.0].map(|step| step * power).into_iter().find(|&number| number <= longest).unwrap_or(power)
}

/// Writes round coordinates with ticks: x below the canvas, z left of it.
fn write_coordinates(out: &mut String, canvas: &Canvas) {
    /// Least distance between two of them, in pixels.
    const DISTANCE: f64 = 90.0;
    /// Bound of their number, for coordinates so large that a step does not change them.
    const MOST_TICKS: u32 = 64;
    let step = round_number((canvas.size[0].max(canvas.size[1]) / 4.0).max(DISTANCE / canvas.scale));
    let [_, height] = canvas.pixels();
    let mut ticks = String::new();
    for (axis, name) in ["x", "z"].into_iter().enumerate() {
        let (low, size) = (canvas.min[axis], canvas.size[axis]);
        let first = (low / step).ceil() * step;
        let numbers = (0..MOST_TICKS).map(|tick| first + f64::from(tick) * step);
        for number in numbers.take_while(|&number| number <= low + size) {
            let at = (number - low) * canvas.scale;
            // Sums of a step such as 0.1 are not round.
            let label = format!("{name} {}", Short(number));
            let (place, anchor) = match axis {
                0 => {
                    _ = write!(ticks, "M{} {}v5", Short(at), Short(height));
                    ([at, height + 5.0 + NOTE], Anchor::Middle)
                }
                _ => {
                    _ = write!(ticks, "M0 {}h-5", Short(at));
                    ([-8.0, at + NOTE * 0.35], Anchor::End)
                }
            };
            write_text(out, place, &label, NOTE * 0.85, MUTED, anchor, false);
        }
    }
    if !ticks.is_empty() {
        _ = writeln!(out, "<path d=\"{ticks}\" fill=\"none\" stroke=\"{MUTED}\"/>");
    }
}

/// Writes a bar below the canvas, as long as a round number of units: at most a quarter of the
/// canvas.
fn write_scale_bar(out: &mut String, canvas: &Canvas, unit: &str) {
    let units = round_number(canvas.size[0] / 4.0);
    let [width, height] = canvas.pixels();
    let length = units * canvas.scale;
    let (left, y) = (width - length, height + 36.0);
    _ = writeln!(
        out,
        "<path d=\"M{} {}v6h{}v-6\" fill=\"none\" stroke=\"{MUTED}\" stroke-width=\"1.2\"/>",
        Short(left),
        Short(y - 6.0),
        Short(length)
    );
    let label = format!("{units} {unit}");
    write_text(out, [left - 8.0, y + 1.0], &label, NOTE, MUTED, Anchor::End, false);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cells that the rectangles of a raster cover, and the number of rectangles.
    fn covered(canvas: &Canvas) -> (BTreeMap<(u32, u32), String>, usize) {
        let mut cells = BTreeMap::new();
        let mut rectangles = 0;
        for line in canvas.body.lines().filter(|line| line.starts_with("<path")) {
            let mut parts = line.split('"');
            let (data, colour) = (parts.nth(1).unwrap(), parts.nth(1).unwrap());
            for rectangle in data.split('M').skip(1) {
                let numbers: Vec<u32> = rectangle
                    .split(|c: char| !c.is_ascii_digit())
                    .filter_map(|number| number.parse().ok())
                    .collect();
                let [x, z, width, depth, _] = numbers[..] else { panic!("{rectangle}") };
                rectangles += 1;
                for cell in (z..z + depth).flat_map(|z| (x..x + width).map(move |x| (x, z))) {
                    assert_eq!(cells.insert(cell, colour.to_owned()), None, "cell {cell:?} is drawn twice");
                }
            }
        }
        (cells, rectangles)
    }

    #[test]
    fn a_raster_draws_every_cell_once_in_its_colour() {
        for seed in 0..40_u32 {
            // Blocks and noise, some cells without colour.
            let colour = |x: u32, z: u32| {
                let noise = (x.wrapping_mul(2_654_435_761) ^ z.wrapping_mul(40_503) ^ seed)
                    .wrapping_mul(2_246_822_519)
                    >> 28;
                let index = if seed % 2 == 0 { (x / 5 + z / 3) % 4 } else { noise % 4 };
                (index > 0).then(|| Colour::soft(index as usize))
            };
            let mut canvas = Canvas::new([0.0, 0.0], [30.0, 20.0], 300.0);
            canvas.raster([0.0, 0.0], 1.0, (30, 20), colour);
            let (cells, _) = covered(&canvas);
            for (x, z) in (0..20).flat_map(|z| (0..30).map(move |x| (x, z))) {
                assert_eq!(
                    cells.get(&(x, z)).cloned(),
                    colour(x, z).map(|c| c.to_string()),
                    "{seed}: {x} {z}"
                );
            }
        }
    }

    #[test]
    fn a_uniform_raster_is_one_rectangle() {
        let mut canvas = Canvas::new([0.0, 0.0], [1.0, 1.0], 100.0);
        canvas.raster([0.0, 0.0], 0.01, (100, 100), |_, _| Some(Colour::WHITE));
        assert_eq!(covered(&canvas).1, 1);
        canvas.raster([0.0, 0.0], 0.01, (0, 0), |_, _| Some(Colour::WHITE));
        canvas.raster([0.0, 0.0], 0.01, (10, 10), |_, _| None);
        assert_eq!(covered(&canvas).1, 1);
    }

    #[test]
    fn rounding_does_not_add_up_along_a_line() {
        let mut canvas = Canvas::new([0.0, 0.0], [1000.0, 1.0], 1000.0);
        let points = (0..=30_000).map(|step| [f64::from(step) / 30.0, 0.5]);
        canvas.polylines([points], &Style::line(Colour::INK, 1.0));
        let data = canvas.body.split('"').nth(1).unwrap();
        let end: f64 =
            data[1..].split('l').map(|step| step.split(' ').next().unwrap().parse::<f64>().unwrap()).sum();
        assert!((end - 1000.0).abs() < 1e-6, "{end}");
    }

    #[test]
    fn useless_views_and_numbers_give_a_picture_all_the_same() {
        for view in [[f64::NAN, 0.0], [f64::INFINITY, f64::NEG_INFINITY], [0.0, 0.0]] {
            let mut canvas = Canvas::new(view, view, 100.0);
            canvas.polygons([[[f64::NAN, 0.0], [1.0, f64::INFINITY], [0.0, 1.0]]], &Style::fill(Colour::RED));
            canvas.text([f64::NAN; 2], "a < b & \"c\"\u{1}", 10.0, Colour::INK, Anchor::Middle);
            let mut picture = Picture::new();
            picture.push("<title>", canvas, Some("m"));
            let svg = picture.to_svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.contains("a &lt; b &amp; &quot;c&quot;<"));
        }
        assert!(Picture::new().to_svg().ends_with("</svg>\n"));
    }
}
