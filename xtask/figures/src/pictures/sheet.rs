//! A sheet of panels, and the views that bring metres onto it.

use anyhow::Result;
use waymesh::glam::{DVec2, DVec3, Vec3};
use waymesh::io;
use waymesh::io::svg::{Anchor, Canvas, Colour, Picture, Style};

/// Pixels between panels, and above them for their captions.
const GAP: f64 = 18.0;
const CAPTION: f64 = 20.0;
/// Letters of captions and labels.
pub(crate) const LETTERS: f64 = 12.5;
pub(crate) const GREY: Colour = Colour([0x8a, 0x93, 0x9c]);
pub(crate) const GREEN: Colour = Colour([0x3c, 0x9a, 0x5f]);

/// Projection of space.
#[derive(Clone, Copy)]
pub(crate) enum Eye {
    /// From above.
    Plan,
    /// From above and the corner where x and z are largest.
    Corner,
    /// Along z.
    Side,
}

impl Eye {
    fn project(self, point: DVec3) -> DVec2 {
        match self {
            Self::Plan => DVec2::new(point.x, point.z),
            Self::Corner => {
                DVec2::new((point.x - point.z) * 0.87, (point.x + point.z) * 0.45 - point.y * 0.9)
            }
            Self::Side => DVec2::new(point.x, -point.y),
        }
    }
}

/// A view that fits a box of space into a panel.
#[derive(Clone, Copy)]
pub(crate) struct View {
    eye: Eye,
    pub(crate) scale: f64,
    shift: DVec2,
}

impl View {
    /// The place on the sheet of a point in metres.
    pub(crate) fn at(&self, point: Vec3) -> [f64; 2] {
        (self.eye.project(point.as_dvec3()) * self.scale + self.shift).to_array()
    }

    /// Returns the view moved by `by`.
    pub(crate) fn lifted(mut self, by: Vec3) -> Self {
        self.shift += self.eye.project(by.as_dvec3()) * self.scale;
        self
    }

    /// The place on the sheet of a point of the plan.
    pub(crate) fn plan(&self, x: f64, z: f64) -> [f64; 2] {
        (self.eye.project(DVec3::new(x, 0.0, z)) * self.scale + self.shift).to_array()
    }
}

/// A picture in the making: rows of panels of one size.
pub(crate) struct Sheet {
    title: &'static str,
    pub(crate) canvas: Canvas,
    panel: DVec2,
    columns: usize,
    used: usize,
    /// Marks and what they mean.
    pub(crate) notes: Vec<(Style, &'static str)>,
}

impl Sheet {
    pub(crate) fn new(title: &'static str, [columns, rows]: [usize; 2], panel: [f64; 2]) -> Self {
        let side = |count: usize, length: f64| count as f64 * (length + GAP) - GAP;
        let size = [side(columns, panel[0]), side(rows, panel[1] + CAPTION)];
        let canvas = Canvas::new([0.0; 2], size, size[0].max(size[1]));
        Self { title, canvas, panel: panel.into(), columns, used: 0, notes: Vec::new() }
    }

    /// The upper left corner of the next panel, with its caption written.
    pub(crate) fn panel(&mut self, caption: &str) -> DVec2 {
        let (column, row) = (self.used % self.columns, self.used / self.columns);
        self.used += 1;
        let corner = DVec2::new(column as f64, row as f64) * (self.panel + DVec2::new(GAP, GAP + CAPTION));
        let below = corner + DVec2::Y * CAPTION;
        self.label((corner + DVec2::new(0.0, LETTERS)).to_array(), caption, Colour::INK);
        below
    }

    /// The next panel, as a view of the box between two corners.
    pub(crate) fn view(&mut self, caption: &str, eye: Eye, low: Vec3, high: Vec3) -> View {
        let corner = self.panel(caption);
        let corners = (0..8u8).map(|bits| {
            let pick = |bit: u8, low: f32, high: f32| f64::from(if bits & bit == 0 { low } else { high });
            eye.project(DVec3::new(pick(1, low.x, high.x), pick(2, low.y, high.y), pick(4, low.z, high.z)))
        });
        let (least, most) = corners.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(least, most), corner| {
            (least.min(corner), most.max(corner))
        });
        let scale = (self.panel / (most - least)).min_element();
        let shift = corner + (self.panel - (most - least) * scale) / 2.0 - least * scale;
        View { eye, scale, shift }
    }

    pub(crate) fn label(&mut self, at: [f64; 2], text: &str, colour: Colour) {
        self.canvas.text(at, text, LETTERS, colour, Anchor::Start);
    }

    pub(crate) fn finish(self) -> String {
        let mut picture = Picture::new();
        picture.push(self.title, self.canvas, None);
        self.notes.iter().for_each(|(style, meaning)| picture.note(*style, meaning));
        picture.to_svg()
    }
}

/// Writes a picture below the root folder and says how large it is.
pub(crate) fn save(path: &str, svg: &str) -> Result<()> {
    /// Largest picture of a README in bytes.
    const MAX_BYTES: usize = 60_000;
    let file = crate::root().join(path);
    io::write_file(&file, |writer| std::io::Write::write_all(writer, svg.as_bytes()))?;
    eprintln!("{path}: {} bytes", svg.len());
    anyhow::ensure!(svg.len() <= MAX_BYTES, "{path} has {} bytes, the limit is {MAX_BYTES}", svg.len());
    Ok(())
}
