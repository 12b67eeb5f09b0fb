//! Floor plans that the tests of discs share.

use waymesh::floorplan::{Door, EXAMPLE, FloorPlan, Outline, PlanFormat, ReadOptions, Shape, parse_plan};
use waymesh::{Agent, Baker, NavMesh};

pub(crate) fn bake(plan: &FloorPlan) -> NavMesh {
    let baker = Baker::plans();
    let config = baker.config().clone().with_agent(Agent::default().with_radius(0.0));
    baker.with_config(config.with_validate_stages(true)).bake(plan).unwrap()
}

pub(crate) fn example() -> NavMesh {
    bake(&parse_plan("example", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default()).unwrap())
}

/// Rooms of 4 m by 4 m, with a door of 1 m between any two neighbours, and perhaps a pillar
/// in front of each door.
pub(crate) fn rooms(across: u8, down: u8, has_pillars: bool) -> NavMesh {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    let [wide, deep] = [across, down].map(|count| 4.0 * f64::from(count));
    let outline = vec![[0.0, 0.0], [wide, 0.0], [wide, deep], [0.0, deep]];
    storey.walkable.push(Shape::polygon("floor", outline));
    for (count, is_across) in [(across, true), (down, false)] {
        for wall in 1..count {
            let at = 4.0 * f64::from(wall);
            let along = |t: f64| if is_across { [at, t] } else { [t, at] };
            let line = vec![along(-1.0), along(if is_across { deep } else { wide } + 1.0)];
            storey.blocked.push(Shape::new("wall", Outline::Wall { line, width: 0.2 }));
            for room in 0..if is_across { down } else { across } {
                let from = 4.0 * f64::from(room) + 0.7 + 0.4 * f64::from((room + wall) % 4);
                let line = [along(from), along(from + 1.0)];
                if has_pillars {
                    let [near, far] = [along(from + 0.3), along(from + 0.6)];
                    let [dx, dz] = if is_across { [0.55, 0.0] } else { [0.0, 0.55] };
                    let [low, high] = [[near[0] + dx, near[1] + dz], [far[0] + dx, far[1] + dz]];
                    let [dx, dz] = if is_across { [0.2, 0.0] } else { [0.0, 0.2] };
                    let pillar = vec![
                        low,
                        [high[0], high[1]],
                        [high[0] + dx, high[1] + dz],
                        [low[0] + dx, low[1] + dz],
                    ];
                    storey.blocked.push(Shape::polygon("pillar", pillar));
                }
                storey.doors.push(Door { name: "door".into(), line, depth: 0.4, cost: 0.0 });
            }
        }
    }
    bake(&plan)
}
