//! Slopes of a scene, and grids that are fine enough for them.

use glam::Vec3;
use rustc_hash::FxHashMap;

use crate::{Agent, GridScale, Observer, TriangleSoup, Warning, float, nearest_f32, triangle_normal};

/// Slopes are counted together whose steepness differs by less than a 128th: a key of the table
/// drops this many bits of it.
const KEY_SHIFT: u32 = 16;
/// Largest share of the ground that may be lost without a warning, and area in square metres.
const MOST_LOST: f64 = 0.01;
const LEAST_LOST: f64 = 0.5;
/// Part of a level that rounding may take.
const LEVEL_SLACK: f64 = 1e-3;

/// Areas of the triangles on which an agent can walk, by their steepness.
///
/// In voxels, a place is a ledge if the floors of its cell and of the neighbours on both sides
/// differ by more than the agent's step. So a slope is ground if it rises by no more than the step
/// over two cells, in whole levels.
#[derive(Clone, Debug)]
pub struct SlopeAreas {
    agent: Agent,
    /// Least cosine of a slope on which the agent can walk.
    least_up: f64,
    /// Sums by the upper bits of the rise per metre along x or z, whichever is larger.
    sums: FxHashMap<u32, SlopeSum>,
}

/// Triangles of nearly one steepness.
#[derive(Clone, Copy, Debug, Default)]
struct SlopeSum {
    /// The largest steepness.
    steepness: f32,
    /// Area in the plan.
    area: f64,
}

impl SlopeAreas {
    /// Returns the sums over no triangles.
    #[must_use]
    pub fn new(agent: Agent) -> Self {
        let least_up = float::cos(f64::from(agent.max_slope));
        Self { agent, least_up, sums: FxHashMap::default() }
    }

    /// Returns the sums over the finite triangles of a soup.
    #[must_use]
    pub fn of(soup: &TriangleSoup, agent: Agent) -> Self {
        let mut slopes = Self::new(agent);
        soup.finite_triangles().for_each(|corners| slopes.add(corners));
        slopes
    }

    /// Adds a triangle. Those that face down, are too steep for the agent or have no finite area are
    /// left out.
    pub fn add(&mut self, corners: [Vec3; 3]) {
        let normal = triangle_normal(corners);
        let length = normal.length();
        if length.is_finite() && normal.y > 0.0 && normal.y >= self.least_up * length {
            let steepness = nearest_f32(normal.x.abs().max(normal.z.abs()) / normal.y);
            let sum = self.sums.entry(steepness.to_bits() >> KEY_SHIFT).or_default();
            sum.steepness = sum.steepness.max(steepness);
            sum.area += normal.y / 2.0;
        }
    }

    /// Returns all sums, the steepest first.
    fn steepest_first(&self) -> Vec<SlopeSum> {
        let mut sums: Vec<SlopeSum> = self.sums.values().copied().collect();
        sums.sort_by(|a, b| b.steepness.total_cmp(&a.steepness));
        sums
    }

    /// Returns the steepness that ground of any importance does not exceed.
    fn steepest(&self) -> f32 {
        let sums = self.steepest_first();
        let mut left = (MOST_LOST * sums.iter().map(|sum| sum.area).sum::<f64>()).max(LEAST_LOST);
        let mut important = sums.into_iter().skip_while(|sum| {
            left -= sum.area;
            left >= 0.0
        });
        important.next().map_or(0.0, |sum| sum.steepness)
    }

    /// Levels by which the neighbours of a cell may differ on a slope.
    fn levels(scale: &GridScale, steepness: f32) -> f64 {
        let rise = 2.0 * f64::from(scale.cell_size) * f64::from(steepness);
        (rise / f64::from(scale.level_height) - LEVEL_SLACK).ceil()
    }

    /// Returns `true` if such a grid keeps a slope.
    fn is_kept(&self, scale: &GridScale, steepness: f32) -> bool {
        Self::levels(scale, steepness) <= f64::from(self.agent.max_step_levels(scale.level_height))
    }

    /// Returns `true` if such a grid may lose a slope on which the agent can walk. Else all triangles
    /// are kept, and sums are not needed.
    #[must_use]
    pub fn may_lose(&self, scale: &GridScale) -> bool {
        // The steepest slope of the agent, along x or z.
        let steepest = (1.0 - self.least_up * self.least_up).sqrt() / self.least_up;
        !self.is_kept(scale, nearest_f32(steepest))
    }

    /// Returns the least step in metres with which a grid keeps the ground; `None` if the agent's
    /// own does.
    #[must_use]
    pub fn needed_step(&self, scale: &GridScale) -> Option<f32> {
        let steepest = self.steepest();
        let step = Self::levels(scale, steepest) * f64::from(scale.level_height);
        (!self.is_kept(scale, steepest)).then(|| nearest_f32(step))
    }

    /// Returns the grid with the largest cells, in whole centimetres above one size and below
    /// another, that keeps the ground; `None` if none does.
    #[must_use]
    pub fn coarsest(&self, above: f32, below: f32) -> Option<GridScale> {
        let steepest = self.steepest();
        let centimetres = |cell: u16| {
            let scale = GridScale::new(f32::from(cell) / 100.0, 0.0).with_levels_for(&self.agent);
            // The message shows four decimals.
            GridScale { level_height: (scale.level_height * 1e4).floor() / 1e4, ..scale }
        };
        let between = (1..u16::MAX).map(centimetres).skip_while(|scale| scale.cell_size <= above);
        let between = between.take_while(|scale| scale.cell_size < below);
        between.filter(|scale| self.is_kept(scale, steepest)).last()
    }

    /// Warns of a grid on which ground is lost.
    pub fn warn(&self, scale: &GridScale, observer: &mut dyn Observer) {
        let Some(max_step) = self.needed_step(scale) else { return };
        let lost = self.steepest_first().into_iter();
        let area = lost.take_while(|sum| !self.is_kept(scale, sum.steepness)).map(|sum| sum.area).sum();
        let finer = self.coarsest(0.0, scale.cell_size);
        let level_height = scale.level_height;
        observer.warn(Warning::SlopesLost { area, finer, max_step, level_height });
    }
}
