//! The depth maps of storeys: floors, normals and walls of every layer, below its cutting shape.

use bytemuck::{Pod, Zeroable};
use waymesh_core::{AreaId, checkpoint_every};
use waymesh_storeys::{DepthJob, DepthNumbers, DepthSheet, DepthTables, DepthTriangle, PlaceEnds, Post};

use crate::batch::{Batch, Load, SETTINGS_BYTES};
use crate::kernels::{DOUBLE, ITEMS, Module, SINGLE, Use};
use crate::scan::{Scan, ScanTables};
use crate::tables::{Pool, Staging, Table};
use crate::{GpuContext, GpuError, GpuTimes, constants};

/// Cells of a line that one item processes, as in the shaders.
const SEGMENT: i32 = 64;
/// Largest number of floors of a column: one invocation compares the floors of two columns.
const MOST_FLOORS: u16 = 512;
/// Largest number of floors of a column in software: Mesa's llvmpipe ends the loops of an
/// invocation after 65,535 iterations.
const MOST_FLOORS_IN_SOFTWARE: u16 = 100;
/// Words of a sheet, a post, the head of all posts and a border, as in the shaders.
const SHEET: usize = 8;
const POST: usize = 9;
const FIRST_POST: usize = 4;
const BORDER: usize = 3;
/// Bytes of a triangle whose corners have been placed, as in the shaders.
const PLACED_BYTES: u64 = 112;
/// Initial capacity for posts.
const FEW_POSTS: u64 = 4096;
/// Largest number of items of a pass.
const MOST_ITEMS: u64 = 1 << 31;

const IS_CUT: u32 = 1;

/// Error margin of rough tests of heights, in metres. The tests skip triangles that would not
/// change the result.
const ROUGH_ERROR: f32 = 0.01;

/// Steps of a triangle, of 64 cells of a line for each floor, and of a pixel for each two floors.
const PLACE_STEPS: u64 = 16;
const LINE_STEPS: u64 = 256;
const POST_STEPS: u64 = 128;
const PIXEL_STEPS: u64 = 8;

/// The settings of the shaders.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Settings {
    /// Origin, cells per metre, the steepest slope.
    numbers: [f64; 5],
    rise: f32,
    height: f32,
    near: f32,
    has_areas: u32,
    window: [u32; 4],
    side: u32,
    across: u32,
    first_block: [u32; 2],
    triangles: u32,
    axis: u32,
    posts: u32,
    begin: u32,
    end: u32,
    unused: u32,
}

impl Settings {
    fn of(job: &DepthJob<'_>, posts: u32) -> Self {
        let (numbers, window, side) = (job.numbers(), job.window(), job.side());
        let [x, y, z] = numbers.origin;
        let across = (window.end_x() - 1) / side - window.x / side + 1;
        Self {
            numbers: [x, y, z, numbers.per_cell, numbers.cos_squared],
            rise: numbers.rise,
            height: numbers.height,
            near: numbers.near,
            has_areas: job.has_areas().into(),
            window: [window.x, window.z, window.width, window.depth],
            side,
            across,
            first_block: [window.x / side, window.z / side],
            triangles: u32::try_from(job.len()).unwrap_or(u32::MAX),
            posts,
            ..Self::zeroed()
        }
    }
}

/// The lines that cut a triangle, along one axis.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Lines {
    first: i32,
    segment: u32,
    segments: u32,
    first_item: u32,
}

/// A triangle, as the shaders read it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Input {
    corners: [[f32; 3]; 3],
    area: u32,
    lines: [Lines; 2],
}

/// The triangles of a job, and the number of their items for lines along x and along z.
struct Inputs {
    all: Vec<Input>,
    items: [u64; 2],
}

impl Inputs {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clipped to the window")]
    fn of(job: &DepthJob<'_>) -> Self {
        let window = job.window();
        let (mut all, mut items) = (Vec::with_capacity(job.len()), [0_u64; 2]);
        for index in 0..job.len() {
            checkpoint_every(1 << 12, index);
            let DepthTriangle { corners, area, lines, cells, .. } = job.triangle(index);
            let mut of_axis = |axis: usize| {
                // Rows of cells are lines along x.
                let (first, count) = [(window.z, window.depth), (window.x, window.width)][axis];
                let [from, to] = lines[1 - axis];
                let (from, to) = (from.max(first as i32), to.min((first + count) as i32 - 1));
                let (first, count) = [(window.x, window.width), (window.z, window.depth)][axis];
                let cell = |cell: i32| cell.saturating_sub(first as i32).clamp(-1, count as i32 - 1);
                let [low, high] = cells[axis];
                let is_outside = high < first as i32 - 1 || low >= (first + count) as i32;
                let segment = |cell: i32| ((cell + 1) / SEGMENT) as u32;
                let (low, high) = (segment(cell(low)), segment(cell(high)));
                let lines = Lines {
                    first: from,
                    segment: low,
                    segments: high - low + 1,
                    first_item: items[axis] as u32,
                };
                if !is_outside && from <= to {
                    items[axis] += (to - from + 1) as u64 * u64::from(lines.segments);
                }
                lines
            };
            let lines = [of_axis(0), of_axis(1)];
            let corners = corners.map(|corner| corner.to_array());
            // The area with the largest key is used; blocked ground has the largest key.
            all.push(Input { corners, area: u32::from(area.0.wrapping_sub(1)), lines });
        }
        Self { all, items }
    }
}

/// A block, as the shaders read it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Block {
    x: u32,
    z: u32,
    width: u32,
    depth: u32,
    place: u32,
    sheet: u32,
    floors: u32,
    unused: u32,
}

/// Returns an unsigned key with the order of the numbers of single precision. No key is 0.
fn key_of(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn of_key(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & (u32::MAX >> 1) } else { !key })
}

/// The tables of a window.
#[derive(Debug)]
struct Tables {
    settings: Table,
    inputs: Table,
    placed: Table,
    blocks: Table,
    floors: Table,
    ground: Table,
    cracks: Table,
    areas: Table,
    sheets: Table,
    extents: Table,
    links: Table,
    counts: Table,
    offsets: Table,
    borders: Table,
    posts: Table,
    scan: ScanTables,
    staging: Staging,
}

impl Tables {
    fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let table = |what| Table::new(context, what, 1 << 10);
        Ok(Self {
            settings: Table::settings(context, SETTINGS_BYTES)?,
            inputs: table("triangles")?,
            placed: table("placed triangles")?,
            blocks: table("blocks")?,
            floors: table("floors")?,
            ground: table("ground")?,
            cracks: table("cracks")?,
            areas: table("areas")?,
            sheets: table("sheets")?,
            extents: table("extents")?,
            links: table("links")?,
            counts: table("counts")?,
            offsets: table("offsets")?,
            borders: table("borders")?,
            posts: table("posts")?,
            scan: ScanTables::default(),
            staging: Staging::default(),
        })
    }
}

/// The depth maps of `waymesh-storeys` on a device, with equal ground, links, borders and posts
/// (Oliva 2012, section 6.2.3).
///
/// # Method
/// The thesis renders each layer from above, with a texture that cuts it off, a shader that drops
/// fragments of steep normals, and again for the faces that such a view does not show. Here one
/// invocation tests the normal of a triangle, one cuts a triangle by a line through 64 cells and
/// raises the ground of the floors that the heights belong to, and one per pixel closes cracks and
/// removes ground without head room. Walls are the same cuts along both axes: the nearest one of
/// each place and direction is a maximum. One invocation per pixel links places, and cuts and ends
/// links.
///
/// All computations use double precision made of integers, operation by operation as on the
/// processor, and round to single precision at the same operations.
///
/// # Work of the processor
/// It measures the distances to borders and cuts the spans out of the maps: see
/// [`DepthJob::finish`].
///
/// # Limits
/// A column has up to 512 floors (in software 100). A window whose tables do not fit is refused.
#[derive(Debug)]
pub struct GpuDepth {
    context: GpuContext,
    ground: Module,
    settle: Module,
    walls: Module,
    links: Module,
    scan: Scan,
    pool: Pool<Tables>,
}

/// Returns the source of a module: the constants, and the parts after the arithmetic.
fn source(parts: &[&str]) -> String {
    let numbers = [
        ("REACH", DepthNumbers::REACH),
        // A finite bound for the heights of single precision in rough tests.
        ("LARGEST", 1e30),
        ("PLACE_SLACK", DepthNumbers::PLACE_SLACK),
        ("PLACE_SLACK_AND_HALF", 0.5 + DepthNumbers::PLACE_SLACK),
        ("HEIGHT_SLACK", DepthNumbers::HEIGHT_SLACK.into()),
        ("FLAT", DepthNumbers::FLAT),
        // Relative excess of the heights of a cut over those of its ends: far more than the
        // rounding error.
        ("HEIGHT_ERROR", 1e-12),
        ("STEPS_OF_ENDS", DepthNumbers::STEPS_OF_ENDS),
        ("ONE_OVER_STEPS_OF_ENDS", DepthNumbers::STEPS_OF_ENDS.recip()),
        ("STEPS_OF_HEIGHTS", DepthNumbers::STEPS_OF_HEIGHTS.into()),
        ("ONE_OVER_STEPS_OF_HEIGHTS", f64::from(DepthNumbers::STEPS_OF_HEIGHTS).recip()),
    ];
    let mut source = [DOUBLE, SINGLE, &constants(&numbers)].concat();
    for (name, value) in [("TOUCHING", DepthNumbers::TOUCHING), ("HALFWAY", DepthNumbers::HALFWAY)] {
        source.push_str(&format!("const {name} = {:#x}u;\n", value.to_bits()));
    }
    source.push_str(&format!("const ROUGH_ERROR = {ROUGH_ERROR};\n"));
    source.push_str(&format!("const WHOLE_CELL = {}u;\n", DepthNumbers::STEPS_OF_ENDS));
    source.push_str(include_str!("shaders/depth.wgsl"));
    source.push_str(&parts.concat());
    source
}

impl GpuDepth {
    /// Compiles the shaders.
    ///
    /// # Cost
    /// Up to seconds, the first time on a machine.
    ///
    /// # Errors
    /// Those of a device that fails.
    pub fn new(context: &GpuContext) -> Result<Self, GpuError> {
        const FLOORS: &str = include_str!("shaders/floors.wgsl");
        const CUT: &str = include_str!("shaders/cut.wgsl");
        let module = |parts: &[&str], uses: &[Use], entries: &[&'static str]| {
            Module::new(context, &source(parts), size_of::<Settings>(), uses, entries)
        };
        let (read, write) = (Use::Read, Use::Write);
        Ok(Self {
            context: context.clone(),
            ground: module(
                &[FLOORS, CUT, ITEMS, include_str!("shaders/ground.wgsl")],
                &[read, write, read, read, write, write],
                &["place", "floors_of", "areas_of"],
            )?,
            settle: module(
                &[FLOORS, include_str!("shaders/settle.wgsl")],
                &[read, read, write, write, write, write],
                &["close", "settle", "bounds"],
            )?,
            walls: module(
                &[CUT, ITEMS, include_str!("shaders/walls.wgsl")],
                &[read, read, read, read, read, write, read, write],
                &["walls_of", "ends_of", "posts_of"],
            )?,
            links: module(
                &[include_str!("shaders/links.wgsl")],
                &[read, write, write, write, read, write, read, write],
                &["link", "cut", "ends"],
            )?,
            scan: Scan::new(context)?,
            pool: Pool::default(),
        })
    }

    /// Returns the device that it runs on.
    #[must_use]
    pub fn context(&self) -> &GpuContext {
        &self.context
    }

    /// Draws the maps of `job`. The result is that of [`DepthJob::tables`], except for the order of
    /// the posts.
    ///
    /// # Cost
    /// 72 bytes to the device for each triangle; back come twelve bytes for each place, another
    /// twelve for each place that lacks a link, and 36 for each post.
    ///
    /// # Errors
    /// - [`GpuError::TooLarge`] for a window that fits no table, and for more than 512 floors in a
    ///   column (in software 100); [`GpuError::OutOfMemory`] if the device has too little memory.
    /// - [`GpuError::Lost`], [`GpuError::TimedOut`], [`GpuError::Failed`] for a device that fails.
    pub fn run(&self, job: &DepthJob<'_>) -> Result<(DepthTables, GpuTimes), GpuError> {
        let mut times = GpuTimes::default();
        if job.place_count() == 0 {
            return Ok((DepthTables::default(), times));
        }
        let most = job.blocks().map(|block| block.floors).max().unwrap_or(0);
        let limit = if self.context.adapter().software { MOST_FLOORS_IN_SOFTWARE } else { MOST_FLOORS };
        if most > limit {
            let (needed, has) = (u64::from(most), u64::from(limit));
            return Err(GpuError::TooLarge { what: "floors of a column", needed, limit: "the shader", has });
        }
        let inputs = Inputs::of(job);
        let items = inputs.items[0].max(inputs.items[1]);
        if items > MOST_ITEMS {
            let (needed, has) = (items, MOST_ITEMS);
            return Err(GpuError::TooLarge { what: "lines of triangles", needed, limit: "the shader", has });
        }
        let mut posts = FEW_POSTS + 2 * job.len() as u64;
        loop {
            let mut tables = self.pool.take(|| Tables::new(&self.context))?;
            match self.draw(job, &inputs, u64::from(most), posts, &mut tables, &mut times)? {
                Drawn::All(drawn) => {
                    self.pool.give(tables);
                    times.parts += 1;
                    times.most_in_flight = 1;
                    return Ok((drawn, times));
                }
                Drawn::MorePosts(needed) => {
                    self.pool.give(tables);
                    posts = needed;
                }
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "limits of tables and items")]
    fn draw(
        &self,
        job: &DepthJob<'_>,
        inputs: &Inputs,
        most_floors: u64,
        posts: u64,
        tables: &mut Tables,
        times: &mut GpuTimes,
    ) -> Result<Drawn, GpuError> {
        let context = &self.context;
        let (places, sheets) = (u64::from(job.place_count()), u64::from(job.sheet_count()));
        self.upload(job, inputs, posts, tables, times)?;
        let uploads = context.upload(times)?;
        let staging = std::mem::take(&mut tables.staging);
        let settings = Settings::of(job, posts as u32);
        let has_areas = settings.has_areas != 0;
        let with = |axis: u32| move |begin, end| Settings { axis, begin, end, ..settings };
        let window = job.window();
        let (pixels, triangles) = (window.column_count() as u32, inputs.all.len() as u32);
        let items = inputs.items.map(|items| items as u32);
        let of_lines = |axis: usize, bytes: u64| {
            let bytes = u64::from(items[axis]) * (PLACED_BYTES + bytes);
            Load::new(items[axis], LINE_STEPS * most_floors, bytes)
        };
        let of_pixels =
            |bytes: u64| Load::new(pixels, PIXEL_STEPS * (1 + most_floors * most_floors), bytes * places);
        let Tables { inputs, placed, blocks, floors, ground, cracks, areas, sheets: sheet_table, .. } =
            &*tables;
        let Tables { extents, links, counts, offsets, borders, posts: post_table, scan, .. } = &*tables;
        let mut batch = Batch::new(context, &tables.settings, times);
        for table in [ground, areas, sheet_table, extents, links, post_table] {
            batch.clear(table);
        }
        let own = [inputs, placed, blocks, floors, ground, areas];
        let load = Load::new(triangles, PLACE_STEPS, u64::from(triangles) * (72 + PLACED_BYTES));
        batch.run(&self.ground, "place", &own, load, with(0))?;
        batch.run(&self.ground, "floors_of", &own, of_lines(0, 64 * 4), with(0))?;
        if has_areas {
            batch.run(&self.ground, "areas_of", &own, of_lines(0, 64 * 8), with(0))?;
        }
        let own = [blocks, floors, ground, cracks, areas, sheet_table];
        batch.run(&self.settle, "close", &own, of_pixels(24), with(0))?;
        batch.run(&self.settle, "settle", &own, of_pixels(12), with(0))?;
        let load = Load::new(sheets as u32, 1, sheets * 4 * SHEET as u64);
        batch.run(&self.settle, "bounds", &own, load, with(0))?;
        let own = [inputs, placed, blocks, ground, sheet_table, extents, links, post_table];
        for axis in [0, 1] {
            let load = of_lines(axis as usize, 0);
            batch.run(&self.walls, "walls_of", &own, load, with(axis))?;
        }
        let load = Load::new(triangles, POST_STEPS * most_floors, u64::from(triangles) * PLACED_BYTES);
        batch.run(&self.walls, "posts_of", &own, load, with(0))?;
        let of_links = [blocks, ground, sheet_table, links, extents, counts, offsets, borders];
        batch.run(&self.links, "link", &of_links, of_pixels(28), with(0))?;
        batch.run(&self.links, "cut", &of_links, of_pixels(36), with(0))?;
        for axis in [0, 1] {
            let load = of_lines(axis as usize, 0);
            batch.run(&self.walls, "ends_of", &own, load, with(axis))?;
        }
        self.scan.run(&mut batch, counts, offsets, places as u32 + 1, scan)?;
        batch.run(&self.links, "ends", &of_links, of_pixels(16), with(0))?;
        batch.read::<u32>(post_table, 0, FIRST_POST as u64);
        batch.read::<u32>(offsets, places, 1);
        batch.read::<u32>(ground, 0, places);
        batch.read::<[u16; 4]>(links, 0, places);
        batch.read::<[u32; SHEET]>(sheet_table, 0, sheets);
        if has_areas {
            batch.read::<u32>(areas, 0, places);
        }
        let reads = batch.submit(staging)?.after(Some(uploads)).wait(context, times)?;
        let head: Vec<u32> = reads.values(0, times);
        let [found, has_too_many] = [head.first(), head.get(1)].map(|word| word.copied().unwrap_or(0));
        if has_too_many != 0 {
            let (needed, has) = (33, 32);
            return Err(GpuError::TooLarge { what: "grounds at a post", needed, limit: "the shader", has });
        }
        if u64::from(found) > posts {
            tables.staging = reads.into_staging();
            return Ok(Drawn::MorePosts(found.into()));
        }
        let mut drawn = DepthTables {
            ground: reads.values::<u32>(2, times).into_iter().map(ground_of).collect(),
            links: reads.values(3, times),
            sheets: sheets_of(job, &reads.values::<[u32; SHEET]>(4, times)),
            areas: reads.values::<u32>(5, times).into_iter().map(area_of).collect(),
            ..DepthTables::default()
        };
        let border_count = reads.values::<u32>(1, times).first().copied().unwrap_or(0);
        let mut batch = Batch::new(context, &tables.settings, times);
        batch.read::<[u32; BORDER]>(borders, 0, border_count.into());
        batch.read::<u32>(post_table, FIRST_POST as u64, u64::from(found) * POST as u64);
        let reads = batch.submit(reads.into_staging())?.wait(context, times)?;
        drawn.ends = reads.values(0, times).into_iter().map(ends_of).collect();
        drawn.posts = reads.values::<u32>(1, times).chunks_exact(POST).map(post_of).collect();
        tables.staging = reads.into_staging();
        Ok(Drawn::All(drawn))
    }

    /// Reserves the tables for a window, and uploads its triangles, blocks and floors.
    fn upload(
        &self,
        job: &DepthJob<'_>,
        inputs: &Inputs,
        posts: u64,
        tables: &mut Tables,
        times: &mut GpuTimes,
    ) -> Result<(), GpuError> {
        let context = &self.context;
        let (places, sheets) = (u64::from(job.place_count()), u64::from(job.sheet_count()));
        let areas = if job.has_areas() { places } else { 4 };
        for (table, words) in [
            (&mut tables.placed, inputs.all.len() as u64 * PLACED_BYTES / 4),
            (&mut tables.ground, places),
            (&mut tables.cracks, places),
            (&mut tables.areas, areas),
            (&mut tables.sheets, SHEET as u64 * sheets),
            (&mut tables.extents, 8 * places),
            (&mut tables.links, 2 * places),
            (&mut tables.counts, places + 1),
            (&mut tables.offsets, places + 1),
            (&mut tables.borders, BORDER as u64 * places),
            (&mut tables.posts, FIRST_POST as u64 + POST as u64 * posts),
        ] {
            table.reserve(context, 4 * words)?;
        }
        tables.scan.reserve(context, job.place_count().saturating_add(1))?;
        let block = |block: waymesh_storeys::DepthBlock| Block {
            x: block.pixels.x,
            z: block.pixels.z,
            width: block.pixels.width,
            depth: block.pixels.depth,
            place: block.place,
            sheet: block.sheet,
            floors: block.floors.into(),
            unused: 0,
        };
        let (slack, rise) = (DepthNumbers::HEIGHT_SLACK, job.numbers().rise);
        // Operation by operation as the processor computes them.
        let floor = |[low, high]: [f32; 2]| {
            [low - slack, high + slack, low - slack - rise, high + slack + rise].map(key_of)
        };
        tables.blocks.write(context, &job.blocks().map(block).collect::<Vec<_>>(), times)?;
        tables.floors.write(context, &job.sheets().map(floor).collect::<Vec<_>>(), times)?;
        tables.inputs.write(context, &inputs.all, times)
    }
}

/// The result of a window.
enum Drawn {
    All(DepthTables),
    /// The number of posts, which exceeds the capacity.
    MorePosts(u64),
}

fn ground_of(key: u32) -> f32 {
    if key == 0 { f32::NAN } else { of_key(key) }
}

#[expect(clippy::cast_possible_truncation, reason = "keys of areas have eight bits")]
fn area_of(key: u32) -> AreaId {
    AreaId((key as u8).wrapping_add(1))
}

fn sheets_of(job: &DepthJob<'_>, words: &[[u32; SHEET]]) -> Vec<DepthSheet> {
    let near = job.numbers().near;
    let areas = job
        .blocks()
        .flat_map(|block| std::iter::repeat_n(block.pixels.column_count(), usize::from(block.floors)));
    let sheet = |(&[low, high, count, flags, ..], area): (&[u32; SHEET], u64)| {
        if high == 0 {
            let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
            return DepthSheet { low, high, is_full: false, is_linked: false };
        }
        let (low, high, is_full) = (of_key(!low), of_key(high), u64::from(count) == area);
        DepthSheet { low, high, is_full, is_linked: is_full && high - low <= near && flags & IS_CUT == 0 }
    };
    words.iter().zip(areas).map(sheet).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "the parts of words")]
fn ends_of([place, one, two]: [u32; BORDER]) -> PlaceEnds {
    PlaceEnds { place, steps: [one as u16, (one >> 16) as u16, two as u16, (two >> 16) as u16] }
}

fn post_of(words: &[u32]) -> Post {
    let double =
        |index: usize| f64::from_bits(u64::from(words[2 * index + 1]) << 32 | u64::from(words[2 * index]));
    Post { ends: [[double(0), double(1)], [double(2), double(3)]], ground: f32::from_bits(words[8]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that the tables of both sides have equal layouts.
    #[test]
    fn tables_have_the_sizes_of_the_shaders() {
        assert_eq!((size_of::<Input>(), size_of::<Block>(), size_of::<Settings>()), (72, 32, 112));
    }

    #[test]
    fn keys_are_in_order() {
        let values = [f32::NEG_INFINITY, -3e38, -1.0, -1e-45, 0.0, 1e-45, 1.0, 3e38, f32::INFINITY];
        assert!(values.map(key_of).is_sorted() && key_of(values[0]) > 0);
        assert_eq!(values.map(key_of).map(of_key).map(f32::to_bits), values.map(f32::to_bits));
    }
}
