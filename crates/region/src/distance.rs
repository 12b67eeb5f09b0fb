//! Distance of every span to the nearest border, along the surface, and its blur.

use waymesh_core::{WalkableField, checkpoint_every};

/// Number of distance units of a [`DistanceField`] per side of a cell.
pub const UNITS_PER_CELL: u16 = 2;

/// Length of a step to the adjacent cell, in units.
const STRAIGHT: u16 = UNITS_PER_CELL;
/// Length of a step to the diagonal neighbour, in units. The two steps form the 2-3 chamfer
/// distance (Borgefors 1986), which Recast uses as well.
const DIAGONAL: u16 = 3;

/// Distance of each span of a field to the nearest border.
///
/// A *border span* is a walkable span that lacks one of its four neighbours, or has a neighbour
/// that is not walkable or is of another [`AreaId`](waymesh_core::AreaId). Border spans and spans
/// that are not walkable have distance 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceField {
    /// Distance of each span in units of [`UNITS_PER_CELL`] to a cell. Saturates at `u16::MAX`,
    /// which is 32,767 cells.
    pub distances: Vec<u16>,
    /// The largest distance.
    pub max: u16,
}

/// Returns the four neighbours of an inner span, which are all present, walkable and of the same
/// area. `None` for all other spans.
#[inline]
fn inner_links(field: &WalkableField, span: usize) -> Option<[usize; 4]> {
    let area = field.area[span];
    let links = field.links[span].map(|link| link as usize);
    // A missing link is out of range, so one lookup checks both that the neighbour exists and that
    // it has this area.
    let inner = area.is_walkable() && links.iter().all(|&link| field.area.get(link) == Some(&area));
    inner.then_some(links)
}

/// Computes the distance of every span to the nearest border span, by two passes over the field.
///
/// Paths follow links: straight steps count 2, and diagonal steps (along z, then along x) count 3.
///
/// # Guarantees
/// - Where a disc of that radius around the span is a plain sheet, the distance is never less than
///   the Euclidean distance to the nearest border span, measured between cell centres, and never
///   more than `sqrt(5) / 2` (1.118) times it.
/// - On a plain sheet the distance is exact for the chamfer metric. Where the four cells around a
///   corner lie on different storeys (the axis of a spiral), it is the length of some path to a
///   border, not always the shortest.
///
/// # Cost
/// Linear: two passes over the spans, two bytes per span.
///
/// # References
/// - Borgefors 1986, Distance transformations in digital images, <https://doi.org/10.1016/S0734-189X(86)80047-0>.
/// - Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 3.
#[must_use]
pub fn distance_field(field: &WalkableField) -> DistanceField {
    let mut distances = vec![0_u16; field.len()];
    // Spans are in row-major order, so the neighbours at smaller x and z are processed before their
    // span. No initial "infinite" distance is needed.
    for span in 0..distances.len() {
        checkpoint_every(1 << 16, span);
        let Some([west, _, _, north]) = inner_links(field, span) else { continue };
        let [north_west, _, north_east, _] = field.links[north];
        let best = nearer(&distances, west, north, north_west, north_east);
        distances[span] = best;
    }
    let mut max = 0;
    for span in (0..distances.len()).rev() {
        checkpoint_every(1 << 16, span);
        let here = distances[span];
        if here == 0 {
            continue;
        }
        // Only inner spans have a distance above zero at this point.
        let [_, south, east, _] = field.links[span];
        let [south_west, _, south_east, _] = field.links[south as usize];
        let best = here.min(nearer(&distances, east as usize, south as usize, south_west, south_east));
        distances[span] = best;
        max = max.max(best);
    }
    DistanceField { distances, max }
}

/// Returns the smallest of four distances plus the step to them. The diagonal neighbours may be
/// missing.
#[inline]
fn nearer(distances: &[u16], side: usize, row: usize, diagonal: u32, other_diagonal: u32) -> u16 {
    let straight = distances[side].min(distances[row]).saturating_add(STRAIGHT);
    let slant = |link: u32| distances.get(link as usize).copied().unwrap_or(u16::MAX);
    straight.min(slant(diagonal).min(slant(other_diagonal)).saturating_add(DIAGONAL))
}

/// Averages every distance with its eight neighbours. This removes basins that are only noise of
/// the grid.
///
/// Spans within one cell of a border keep their distance, so borders do not move. The mean is
/// rounded to the nearest unit.
///
/// # Guarantees
/// - Each result lies between the smallest and the largest of the nine distances.
///
/// # Cost
/// Linear, one pass, one new table.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 3, "search
/// neighbourhood".
#[must_use]
pub fn blur(field: &WalkableField, distance: &DistanceField) -> DistanceField {
    let source = &distance.distances;
    // A span more than one step from the border has four inner neighbours, so all eight neighbours
    // exist.
    let row = |middle: u32, west: u32, east: u32| {
        u32::from(source[west as usize])
            + u32::from(source[middle as usize])
            + u32::from(source[east as usize])
    };
    let mut max = 0;
    let mut distances = source.clone();
    for (span, (smooth, &[west, south, east, north])) in distances.iter_mut().zip(&field.links).enumerate() {
        checkpoint_every(1 << 16, span);
        let here = *smooth;
        if here > STRAIGHT {
            let [north_west, _, north_east, _] = field.links[north as usize];
            let [south_west, _, south_east, _] = field.links[south as usize];
            let sides = u32::from(source[west as usize]) + u32::from(source[east as usize]);
            let sum = u32::from(here)
                + sides
                + row(north, north_west, north_east)
                + row(south, south_west, south_east);
            #[expect(clippy::cast_possible_truncation, reason = "a mean of numbers of 16 bits")]
            {
                *smooth = ((sum + 4) / 9) as u16;
            }
        }
        max = max.max(*smooth);
    }
    DistanceField { distances, max }
}

#[cfg(test)]
mod tests {
    use waymesh_core::{Direction, float, to_u32};
    use waymesh_testkit::fields;

    use super::*;

    fn draw(field: &WalkableField, distance: &DistanceField) -> String {
        let mut lines = String::new();
        for z in 0..field.frame.depth {
            for x in 0..field.frame.width {
                let letter = field
                    .column(x, z)
                    .next_back()
                    .map_or("#".to_owned(), |span| distance.distances[span as usize].to_string());
                lines += &letter;
            }
            lines.push('\n');
        }
        lines
    }

    /// Computes shortest distances by relaxing all eight steps of every span until nothing changes.
    fn slow_distances(field: &WalkableField) -> Vec<u32> {
        let inner = |span: usize| {
            field.is_walkable(to_u32(span))
                && Direction::ALL.iter().all(|&direction| {
                    field
                        .walkable_neighbour(to_u32(span), direction)
                        .is_some_and(|neighbour| field.area[neighbour as usize] == field.area[span])
                })
        };
        let mut distances: Vec<u32> =
            (0..field.len()).map(|span| if inner(span) { u32::MAX / 2 } else { 0 }).collect();
        loop {
            let mut changed = false;
            for span in 0..field.len() {
                let mut best = distances[span];
                for direction in Direction::ALL {
                    let Some(next) = field.walkable_neighbour(to_u32(span), direction) else { continue };
                    best = best.min(distances[next as usize] + 2);
                    for side in [direction.next(), direction.previous()] {
                        if let Some(slant) = field.walkable_neighbour(next, side) {
                            best = best.min(distances[slant as usize] + 3);
                        }
                    }
                }
                changed |= std::mem::replace(&mut distances[span], best) != best;
            }
            if !changed {
                return distances;
            }
        }
    }

    #[test]
    fn distances_count_from_the_border_inwards() {
        let field = fields::from_ascii(
            ".......
             .......
             .......
             ...#...
             .......
             .......",
        );
        let distance = distance_field(&field);
        // The spans above and below the pillar also lack a neighbour.
        assert_eq!(draw(&field, &distance), "0000000\n0222220\n0220220\n020#020\n0220220\n0000000\n");
        assert_eq!(distance.max, 2);
    }

    #[test]
    fn another_area_is_a_border() {
        let field = fields::from_ascii(
            ".....222
             .....222
             .....222
             .....222
             .....222",
        );
        let distance = distance_field(&field);
        assert_eq!(draw(&field, &distance), "00000000\n02220020\n02420020\n02220020\n00000000\n");
    }

    #[test]
    fn two_passes_find_the_shortest_chamfer_distance() {
        for seed in 0..80 {
            let field = fields::random(seed, 40, 33);
            let slow = slow_distances(&field);
            let fast = distance_field(&field);
            for (span, (&slow, &fast)) in slow.iter().zip(&fast.distances).enumerate() {
                assert!(u32::from(fast) >= slow, "seed {seed}, span {span}: {fast} < {slow}");
            }
            if field.columns.windows(2).all(|pair| pair[1] - pair[0] <= 1) {
                assert!(slow.iter().zip(&fast.distances).all(|(&slow, &fast)| slow == u32::from(fast)));
            }
        }
    }

    #[test]
    fn distances_keep_the_stated_error() {
        let (width, depth) = (61_u32, 47_u32);
        let mut map = String::new();
        for z in 0..depth {
            for x in 0..width {
                map.push(if (x * 7 + z * 13) % 211 == 0 { '#' } else { '.' });
            }
            map.push('\n');
        }
        let field = fields::from_ascii(&map);
        let distance = distance_field(&field);
        let borders: Vec<(f64, f64)> = (0..to_u32(field.len()))
            .filter(|&span| distance.distances[span as usize] == 0)
            .map(|span| field.column_of(span))
            .map(|(x, z)| (f64::from(x), f64::from(z)))
            .collect();
        for span in 0..to_u32(field.len()) {
            let (x, z) = field.column_of(span);
            let true_distance = borders
                .iter()
                .map(|&(bx, bz)| float::hypot(bx - f64::from(x), bz - f64::from(z)))
                .fold(f64::INFINITY, f64::min);
            let ours = f64::from(distance.distances[span as usize]) / f64::from(UNITS_PER_CELL);
            assert!(ours >= true_distance - 1e-9 && ours <= true_distance * 1.25_f64.sqrt() + 1e-9);
        }
    }

    #[test]
    fn blur_stays_within_the_neighbourhood_and_keeps_borders() {
        for seed in 0..40 {
            let field = fields::random(seed, 40, 33);
            let distance = distance_field(&field);
            let smooth = blur(&field, &distance);
            for (span, (&before, &after)) in distance.distances.iter().zip(&smooth.distances).enumerate() {
                if before <= STRAIGHT {
                    assert_eq!(before, after, "seed {seed}, span {span}");
                }
                // A chamfer distance changes by at most 3 between any two of the eight neighbours.
                assert!(before.abs_diff(after) <= DIAGONAL, "seed {seed}, span {span}");
            }
            assert_eq!(smooth.max, smooth.distances.iter().copied().max().unwrap_or(0));
        }
    }
}
