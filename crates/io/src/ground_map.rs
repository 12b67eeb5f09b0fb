//! The ground of a mesh as a map of square cells, as ROS has them: a grey picture and its
//! description (`nav2_map_server`).

use std::io::Write;

use glam::Vec3;
use waymesh_core::{BadField, Bounds, nearest_f32, threads};
use waymesh_graph::{NavMesh, QueryScratch, Reach};

/// Most cells of a map, as readers of maps take them.
const MOST_CELLS: f64 = (1 << 26) as f64;

/// Grey of ground in a map without distances, and far from walls in one with them.
const FREE: u8 = 254;
/// Grey of ground at a wall. Darker cells are not ground.
const AT_WALL: f32 = 3.0;

/// Options of a [`GroundMap`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroundMapOptions {
    /// Side of a cell in metres. Default 0.05.
    pub resolution: f32,
    /// Height of a storey in metres: of the ground at most the agent's height above or below it, the
    /// map has the nearest. Default: the uppermost ground.
    pub height: Option<f32>,
    /// Distance from walls in metres at which ground is brightest; nearer to them it is darker, in
    /// proportion. Default: all ground is equally bright.
    pub distance: Option<f32>,
}

impl Default for GroundMapOptions {
    fn default() -> Self {
        Self { resolution: 0.05, height: None, distance: None }
    }
}

waymesh_core::setters! {
    impl GroundMapOptions {
        /// Sets the side of a cell.
        with_resolution(resolution: f32);
        /// Sets the height of the storey.
        with_height(height: Some(f32));
        /// Sets the distance at which ground is brightest.
        with_distance(distance: Some(f32));
    }
}

/// A map of cells.
///
/// The x of the map is that of the mesh, its y points north: -z. So a map that was read as a floor
/// plan is written where it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroundMap {
    /// Cells along x.
    pub width: usize,
    /// x and y of the lower left corner in metres.
    pub origin: [f32; 2],
    /// Side of a cell in metres.
    pub resolution: f32,
    /// Brightness of each cell, row by row, the northern row first. 0 is not ground.
    pub grey: Vec<u8>,
    has_distances: bool,
}

impl GroundMap {
    /// Makes the map of a mesh. A cell is ground where its middle is on the mesh, which is where the
    /// centre of the agent may be: a mesh baked for radius 0 gives the map of all ground.
    ///
    /// Takes a query for each cell, on all threads.
    ///
    /// # Errors
    /// A resolution or distance that is not above 0, a height that is not finite, and a map of more
    /// than 67,108,864 cells.
    pub fn new(mesh: &NavMesh, options: &GroundMapOptions) -> Result<Self, BadField> {
        let GroundMapOptions { resolution, height, distance } = *options;
        let is_length = |length: f32| length.is_finite() && length > 0.0;
        BadField::unless(is_length(resolution), "resolution", resolution, "finite and above 0 m")?;
        BadField::unless(
            distance.is_none_or(is_length),
            "distance",
            distance.unwrap_or_default(),
            "finite and above 0 m",
        )?;
        BadField::unless(height.is_none_or(f32::is_finite), "height", height.unwrap_or_default(), "finite")?;
        let bounds = mesh.world_bounds().unwrap_or(Bounds { min: Vec3::ZERO, max: Vec3::ZERO });
        let (min, max, side) = (bounds.min.as_dvec3(), bounds.max.as_dvec3(), f64::from(resolution));
        // Half a hundredth of a cell is rounding.
        let cells = |metres: f64| (metres / side - 0.005).ceil().max(1.0);
        let (width, rows) = (cells(max.x - min.x), cells(max.z - min.z));
        BadField::unless(
            width * rows <= MOST_CELLS,
            "resolution",
            resolution,
            "so large that the map has at most 67108864 cells",
        )?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
        let (width, rows) = (width as usize, rows as usize);
        let slack = mesh.position_slack();
        let (at, reach) = match height {
            Some(height) => (height, Reach::new(slack, mesh.agent().height, mesh.agent().height)),
            None => (bounds.max.y, Reach::new(slack, f32::INFINITY, f32::INFINITY)),
        };
        let north = max.z - rows as f64 * side;
        let row = |scratch: &mut QueryScratch, row: usize| -> Vec<u8> {
            let mut query = mesh.query().memory(scratch);
            let mut cell = |column: usize| {
                let middle = [min.x + (column as f64 + 0.5) * side, north + (row as f64 + 0.5) * side];
                let [x, z] = middle.map(nearest_f32);
                let Some(place) = mesh.nearest(Vec3::new(x, at, z), &reach) else { return 0 };
                let Some(distance) = distance else { return FREE };
                let wall = query.wall(place, distance).ok().flatten();
                grey(wall.map_or(distance, |wall| wall.distance) / distance)
            };
            (0..width).map(&mut cell).collect()
        };
        let grey = threads::map_with(0..rows, row).concat();
        let has_distances = distance.is_some();
        Ok(Self { width, origin: [bounds.min.x, -bounds.max.z], resolution, grey, has_distances })
    }

    /// Writes the picture: a portable grey map in bytes (`P5`).
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_picture(&self, writer: &mut dyn Write) -> std::io::Result<()> {
        write!(writer, "P5\n{} {}\n255\n", self.width, self.grey.len() / self.width)?;
        writer.write_all(&self.grey)
    }

    /// Returns the description: the file in YAML that names the picture. Ground is free in it; with
    /// distances the occupancy falls from 98 % at walls to 0.
    #[must_use]
    pub fn description(&self, picture: &str) -> String {
        let [x, y] = self.origin;
        let (mode, occupied, free) =
            if self.has_distances { ("scale", 0.99, 0.005) } else { ("trinary", 0.65, 0.25) };
        format!(
            "image: {picture:?}\nmode: {mode}\nresolution: {}\norigin: [{x}, {y}, 0]\nnegate: 0\n\
             occupied_thresh: {occupied}\nfree_thresh: {free}\n",
            self.resolution
        )
    }
}

/// Brightness of ground at a share of the distance at which it is brightest.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 3 to 254")]
fn grey(share: f32) -> u8 {
    (AT_WALL + (f32::from(FREE) - AT_WALL) * share.clamp(0.0, 1.0)).round() as u8
}
