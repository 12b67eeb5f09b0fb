//! Walkable fields for tests.

use glam::Vec3;
use waymesh_core::{
    AreaId, Direction, GridFrame, NO_REGION, NO_SPAN, OPEN_SKY, Random, RegionMap, SlimSpans, WalkableField,
    float, saturating_i32, to_u32,
};

/// Highest step in the fields of this module, in levels.
pub const MAX_STEP_LEVELS: i32 = 4;
/// Least distance between two floors of a column, in levels.
pub const HEADROOM_LEVELS: i32 = 10;

fn frame(width: u32, depth: u32) -> GridFrame {
    GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width, depth }
}

/// One floor of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Level.
    pub level: i32,
    /// Area type of the floor.
    pub area: AreaId,
}

/// Returns the ground and the links of `field` without its other tables.
#[must_use]
pub fn slim(field: &WalkableField) -> SlimSpans {
    let near = 0.49 * HEADROOM_LEVELS as f32;
    let mut slim = SlimSpans {
        width: field.frame.width,
        columns: field.columns.clone(),
        ground: field.ground.clone(),
        areas: field.area.clone(),
        near,
        ..SlimSpans::default()
    };
    for (span, links) in (0_u32..).zip(&field.links) {
        let (x, z) = field.column_of(span);
        let mut bits = 0;
        for direction in Direction::ALL {
            let link = links[direction.index()];
            bits |= u8::from(link != NO_SPAN) << direction.index();
            if link != NO_SPAN && matches!(direction, Direction::PosX | Direction::PosZ) {
                let (dx, dz) = direction.offset();
                let there = field.column(x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
                let column = &field.ground[there.start as usize..there.end as usize];
                let place = link - there.start;
                if SlimSpans::nearest(column, field.ground[span as usize], near, 0) != place as usize {
                    slim.odd.push((SlimSpans::link_key(span, direction), place));
                }
            }
        }
        slim.links.push(bits);
    }
    slim
}

/// Makes a field from the floors of each column (row-major). Floors are linked when at most
/// [`MAX_STEP_LEVELS`] apart; a floor less than [`HEADROOM_LEVELS`] above the one below it is left
/// out.
///
/// # Panics
/// Panics if `columns` does not have `width * depth` entries.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small test grids")]
pub fn from_floors(width: u32, depth: u32, columns: &[Vec<Floor>]) -> WalkableField {
    assert_eq!(columns.len(), (width * depth) as usize, "one entry per column");
    let mut field = WalkableField::empty(frame(width, depth));
    for (column, floors) in columns.iter().enumerate() {
        let mut floors = floors.clone();
        floors.sort_by_key(|floor| floor.level);
        let first = field.floor.len();
        for floor in floors {
            if field.floor.len() > first && floor.level - field.floor[field.floor.len() - 1] < HEADROOM_LEVELS
            {
                continue;
            }
            field.span_columns.push(column as u32);
            field.floor.push(floor.level);
            field.ground.push(floor.level as f32 - 0.5);
            field.area.push(floor.area);
            field.links.push([NO_SPAN; 4]);
        }
        for span in first..field.floor.len() {
            let above =
                field.floor.get(span + 1).map_or(OPEN_SKY, |above| (above - field.floor[span] - 1) as u32);
            field.clearance.push(above);
        }
        field.columns[column + 1] = field.floor.len() as u32;
    }
    for span in 0..field.len() as u32 {
        let (x, z) = field.column_of(span);
        for direction in Direction::ALL {
            let (dx, dz) = direction.offset();
            let (Some(nx), Some(nz)) = (x.checked_add_signed(dx), z.checked_add_signed(dz)) else { continue };
            if nx >= width || nz >= depth {
                continue;
            }
            let near = |other: &u32| {
                (field.floor[*other as usize] - field.floor[span as usize]).abs() <= MAX_STEP_LEVELS
            };
            if let Some(neighbour) = field.column(nx, nz).find(near) {
                field.links[span as usize][direction.index()] = neighbour;
            }
        }
    }
    field
}

/// Makes a flat field from text: one line per z, one letter per x. `.` is plain ground, a digit
/// from 1 is the area of that number, all other letters are not walkable.
#[must_use]
pub fn from_ascii(map: &str) -> WalkableField {
    let lines: Vec<&[u8]> =
        map.lines().map(|line| line.trim().as_bytes()).filter(|line| !line.is_empty()).collect();
    let width = lines.iter().map(|line| line.len()).max().unwrap_or(1);
    let mut columns = Vec::new();
    for line in &lines {
        for x in 0..width {
            let area = match line.get(x) {
                Some(b'.') => AreaId::GROUND,
                Some(digit @ b'1'..=b'9') => AreaId(digit - b'0'),
                _ => AreaId::NULL,
            };
            columns.push(if area.is_walkable() { vec![Floor { level: 1, area }] } else { Vec::new() });
        }
    }
    from_floors(to_u32(width), to_u32(lines.len()), &columns)
}

/// Makes a field of several storeys: rough flat floors with holes, tilted planes that cross them, a
/// spiral ramp of several turns, single blocked spans, patches of a second area, and spans that
/// exist but are not walkable.
#[must_use]
pub fn random(seed: u64, width: u32, depth: u32) -> WalkableField {
    let mut random = Random::new(seed);
    let storeys = random.below(3) + 1;
    let spiral = random.chance(0.6);
    let tilt = random.chance(0.5);
    let salt = random.unit() * 0.15;
    let patches = random.chance(0.5);
    let blocks: Vec<Vec<bool>> =
        (0..storeys).map(|_| (0..64).map(|_| random.chance(0.75)).collect::<Vec<bool>>()).collect();
    let (centre_x, centre_z) = (width as f32 * random.unit(), depth as f32 * random.unit());
    let mut columns = Vec::with_capacity((width * depth) as usize);
    for z in 0..depth {
        for x in 0..width {
            let mut levels = Vec::new();
            for (storey, blocks) in (0_i32..).zip(&blocks) {
                let block = (z * 8 / depth) * 8 + x * 8 / width;
                if blocks[block as usize] {
                    levels.push(storey * 24 + random.below(3) as i32);
                }
            }
            if tilt {
                levels.push(5 + (x * 50 / width) as i32);
            }
            if spiral {
                let (dx, dz) = (x as f64 + 0.5 - f64::from(centre_x), z as f64 + 0.5 - f64::from(centre_z));
                if float::hypot(dx, dz) > 1.0 && float::hypot(dx, dz) < width as f64 * 0.4 {
                    let turn = float::atan2(dz, dx) / std::f64::consts::TAU + 0.5;
                    levels.extend((0..3).map(|whole| 12 + saturating_i32(24.0 * (turn + f64::from(whole)))));
                }
            }
            let floors = levels.into_iter().filter_map(|level| {
                let area = if patches && (x / 5 + z / 7) % 3 == 0 { AreaId(2) } else { AreaId::GROUND };
                if random.chance(salt) {
                    return random.chance(0.5).then_some(Floor { level, area: AreaId::NULL });
                }
                Some(Floor { level, area })
            });
            columns.push(floors.collect());
        }
    }
    from_floors(width, depth, &columns)
}

/// Makes a partition that keeps the contract of a region map but is as difficult as possible:
/// pieces of random size and shape, many of them of a single span.
#[must_use]
pub fn random_regions(field: &WalkableField, seed: u64) -> RegionMap {
    let mut random = Random::new(seed);
    let mut labels = vec![NO_REGION; field.len()];
    let mut count = 0;
    for start in 0..to_u32(field.len()) {
        if !field.is_walkable(start) || labels[start as usize] != NO_REGION {
            continue;
        }
        let target = match random.below(4) {
            0 => 1,
            1 => random.below(6) + 1,
            2 => random.below(60) + 1,
            _ => random.below(600) + 1,
        };
        let mut frontier = vec![start];
        let mut size = 0;
        while size < target && !frontier.is_empty() {
            let span = frontier.swap_remove(random.index(frontier.len()));
            let (x, z) = field.column_of(span);
            if labels[span as usize] != NO_REGION
                || field.column(x, z).any(|other| labels[other as usize] == count)
                || touches_without_link(field, span, |other| labels[other as usize] == count)
            {
                continue;
            }
            labels[span as usize] = count;
            size += 1;
            for direction in Direction::ALL {
                if let Some(neighbour) = field.walkable_neighbour(span, direction)
                    && labels[neighbour as usize] == NO_REGION
                    && field.area[neighbour as usize] == field.area[start as usize]
                {
                    frontier.push(neighbour);
                }
            }
        }
        count += 1;
    }
    RegionMap { labels, count }
}

/// Returns `true` if a span of the region (tested by `is_in`) lies beside `span` in plan, but is
/// not linked to it.
fn touches_without_link(field: &WalkableField, span: u32, is_in: impl Fn(u32) -> bool) -> bool {
    let (x, z) = field.column_of(span);
    Direction::ALL.into_iter().any(|direction| {
        let (dx, dz) = direction.offset();
        let (Some(nx), Some(nz)) = (x.checked_add_signed(dx), z.checked_add_signed(dz)) else { return false };
        let link = field.links[span as usize][direction.index()];
        nx < field.frame.width
            && nz < field.frame.depth
            && field.column(nx, nz).any(|other| other != link && is_in(other))
    })
}

/// Number of spans of each region.
#[must_use]
pub fn region_sizes(regions: &RegionMap) -> Vec<u32> {
    let mut sizes = vec![0; regions.count as usize];
    for &label in regions.labels.iter().filter(|&&label| label != NO_REGION) {
        sizes[label as usize] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use waymesh_core::{Validate, ViolationList};

    use super::*;

    #[test]
    fn random_fields_and_regions_keep_their_contracts() {
        let mut storeys = 0;
        for seed in 0..200 {
            let field = random(seed, 24, 19);
            field.validate().expect("a valid field");
            let mut violations = ViolationList::default();
            random_regions(&field, seed).violations_over(&field, &mut violations);
            assert!(violations.is_empty(), "seed {seed}: {violations}");
            storeys = storeys.max(field.columns.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0));
        }
        assert!(storeys >= 3, "some columns have several storeys");
    }

    #[test]
    fn ascii_maps_read_as_drawn() {
        let field = from_ascii(
            "..#
             .2.",
        );
        assert_eq!((field.frame.width, field.frame.depth, field.len()), (3, 2, 5));
        assert_eq!(field.area[3], AreaId(2));
        assert_eq!(field.links[0], [NO_SPAN, 2, 1, NO_SPAN]);
    }
}
