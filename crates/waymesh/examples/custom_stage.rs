//! A stage of one's own: a partition that makes every connected piece of at most 40 x 40 cells a
//! region, checked by the contract that the built-in partitions keep.
//!
//! `cargo run --release --package waymesh --example custom_stage`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::collections::HashMap;
use std::error::Error;

use waymesh::core::stage::{Partition, StageError};
use waymesh::core::{Direction, NO_REGION, Observer, RegionMap, WalkableField};
use waymesh::{BakeConfig, Baker};
use waymesh_scenes::{Scene, SceneConfig};

/// Regions end at the lines of a coarse grid.
struct Squares {
    side_cells: u32,
}

impl Partition for Squares {
    fn partition(&self, field: &WalkableField, _: &mut dyn Observer) -> Result<RegionMap, StageError> {
        let square = |span: u32| {
            let (x, z) = field.column_of(span);
            (x / self.side_cells, z / self.side_cells)
        };
        let spans = u32::try_from(field.len()).map_err(|error| StageError::new("squares", error))?;
        let mut regions = RegionMap { labels: vec![NO_REGION; field.len()], count: 0 };
        // Spans of the region by their columns.
        let mut spans_by_column = HashMap::new();
        let mut open = Vec::new();
        for seed in 0..spans {
            if !field.is_walkable(seed) || regions.labels[seed as usize] != NO_REGION {
                continue;
            }
            let label = regions.count;
            regions.count += 1;
            spans_by_column.clear();
            open.push(seed);
            while let Some(span) = open.pop() {
                let column = field.column_of(span);
                // A region has one span over a cell, and is connected to each of its spans in adjacent
                // cells: else it would overlap or touch itself in plan.
                let touches_itself = Direction::ALL.into_iter().any(|side| {
                    let (x, z) = side.offset();
                    let beside = (column.0.wrapping_add_signed(x), column.1.wrapping_add_signed(z));
                    spans_by_column
                        .get(&beside)
                        .is_some_and(|&other| field.walkable_neighbour(span, side) != Some(other))
                });
                if regions.labels[span as usize] != NO_REGION
                    || spans_by_column.contains_key(&column)
                    || touches_itself
                {
                    continue;
                }
                spans_by_column.insert(column, span);
                regions.labels[span as usize] = label;
                let neighbours = Direction::ALL.into_iter();
                open.extend(neighbours.filter_map(|side| field.walkable_neighbour(span, side)).filter(
                    |&next| {
                        square(next) == square(seed) && field.area[next as usize] == field.area[seed as usize]
                    },
                ));
            }
        }
        Ok(regions)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    // With `validate_stages` the bake checks what each stage promises, and names the one that
    // broke it.
    let config = BakeConfig::default().with_validate_stages(true);
    let own = Baker::voxels().with_config(config.clone()).with_partition(Squares { side_cells: 40 });
    let [own, built_in] = [
        own.bake_observed(&soup, &mut ())?,
        Baker::voxels().with_config(config).bake_observed(&soup, &mut ())?,
    ];
    for (name, bake) in [("squares", &own), ("built in", &built_in)] {
        println!("{name}: {} regions, {} polygons", bake.report.regions, bake.report.polygons);
    }
    assert!(own.report.regions > built_in.report.regions);
    assert!((own.mesh.area() - built_in.mesh.area()).abs() < 0.05 * built_in.mesh.area());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The suite that the built-in partitions run; outside of this workspace it is
    /// `waymesh_contract::partition`.
    #[test]
    fn squares_keep_the_contract_of_a_partition() {
        for side_cells in [1, 2, 5, 40] {
            waymesh_testkit::contracts::partition(&Squares { side_cells });
        }
    }
}
