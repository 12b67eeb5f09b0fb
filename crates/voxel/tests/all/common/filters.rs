//! The filters of the walkable field by their definitions, one pass each.

use waymesh_core::{Agent, AreaId, Heightfield, Span};

/// An agent in levels.
#[derive(Clone, Copy)]
pub(crate) struct Levels {
    /// Height in 64ths of a level: half a step of the rounding of the ground.
    height: i64,
    step: i64,
}

/// Ceiling of a column's highest span, and floor of the gap below its lowest span.
const SKY: i64 = 10_000;
const VOID: i64 = -10_000;

impl Levels {
    pub(crate) fn new(agent: &Agent, level_height: f32) -> Self {
        let height = f64::from(agent.height) / f64::from(level_height) + 1e-4;
        Self { height: (64.0 * height).floor() as i64, step: agent.max_step_levels(level_height).into() }
    }

    /// Returns `true` if the highest surfaces under a top and the ceiling over a bottom may lie the
    /// agent's height apart.
    pub(crate) fn may_have_room(self, ceiling: i64, floors: &[(i64, i64)]) -> bool {
        let lowest = |&(top, drop): &(i64, i64)| (64 * top - 2 * drop - 1).max(64 * (top - 1));
        let lowest = floors.iter().map(lowest).max().unwrap();
        64 * (ceiling + 1) - lowest > self.height
    }

    /// Returns `true` if a span is a ledge, by a test of every gap of every neighbour.
    fn is_ledge(self, span: &Span, ceiling: i64, neighbours: &[&[Span]]) -> bool {
        let (floor, drop) = surface(span);
        let mut floors = vec![floor];
        for column in neighbours {
            let gaps = [(VOID, 0)].into_iter().chain(column.iter().map(surface));
            let bottoms = column.iter().map(|span| i64::from(span.bottom)).chain([SKY]);
            for (gap, gap_ceiling) in gaps.zip(bottoms) {
                let has_room = self.may_have_room(ceiling.min(gap_ceiling), &[(floor, drop), gap]);
                if has_room && gap.0 <= floor + self.step {
                    floors.push(gap.0);
                }
            }
        }
        let [lowest, highest] = [floors.iter().min(), floors.iter().max()].map(|floor| *floor.unwrap());
        lowest < floor - self.step || highest - lowest > self.step
    }
}

/// Returns the top and the drop of a span.
fn surface(span: &Span) -> (i64, i64) {
    (span.top.into(), span.ground_drop.into())
}

fn ceiling(column: &[Span], index: usize) -> i64 {
    column.get(index + 1).map_or(SKY, |above| above.bottom.into())
}

/// Changes the area of each span to the result of `judge`, which sees the heightfield before.
/// Returns the number of spans that changed.
fn change(
    heightfield: &mut Heightfield,
    judge: impl Fn(&Heightfield, [u32; 2], usize, &Span) -> AreaId,
) -> u64 {
    let before = heightfield.clone();
    let mut spans = heightfield.spans.iter_mut();
    let mut changed = 0;
    for (x, z) in (0..before.frame.depth).flat_map(|z| (0..before.frame.width).map(move |x| (x, z))) {
        for (index, (span, after)) in before.column(x, z).iter().zip(&mut spans).enumerate() {
            after.area = judge(&before, [x, z], index, span);
            changed += u64::from(after.area != span.area);
        }
    }
    changed
}

/// Makes low obstacles walkable: an upward span on a walkable one takes its area.
pub(crate) fn low_obstacles(heightfield: &mut Heightfield, levels: Levels) -> u64 {
    change(heightfield, |before, [x, z], index, span| {
        let below = index.checked_sub(1).map(|below| before.column(x, z)[below]);
        let is_low = |below: &Span| {
            below.area.is_walkable() && i64::from(span.top) - i64::from(below.top) <= levels.step
        };
        let obstacle = below.filter(is_low).filter(|_| span.upward && !span.area.is_walkable());
        obstacle.map_or(span.area, |below| below.area)
    })
}

/// Removes walkable spans at ledges and at the edge of the grid.
pub(crate) fn ledges(heightfield: &mut Heightfield, levels: Levels) -> u64 {
    change(heightfield, |before, [x, z], index, span| {
        let (width, depth) = (before.frame.width, before.frame.depth);
        let is_edge = x == 0 || z == 0 || x + 1 == width || z + 1 == depth;
        let is_ledge = || {
            let beside = [(x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)].map(|(x, z)| before.column(x, z));
            levels.is_ledge(span, ceiling(before.column(x, z), index), &beside)
        };
        if is_edge || span.area.is_walkable() && is_ledge() { AreaId::NULL } else { span.area }
    })
}

/// Removes walkable spans with too little headroom.
pub(crate) fn low_ceilings(heightfield: &mut Heightfield, levels: Levels) -> u64 {
    change(heightfield, |before, [x, z], index, span| {
        let has_room = levels.may_have_room(ceiling(before.column(x, z), index), &[surface(span)]);
        if has_room { span.area } else { AreaId::NULL }
    })
}
