//! Commands on a world, against a fresh world of the same state.

use arbitrary::Arbitrary;
use waymesh::core::Validate;
use waymesh::glam::Vec3;
use waymesh::tile::{Tile, tile_to_bytes};
use waymesh::voxel::{Mark, MarkShape, Obstacle};
use waymesh::{AreaId, BakeConfig, Baker, Bounds, TriangleSoup, World};

use crate::Soup;

/// One command. Places are in half metres.
#[derive(Arbitrary, Clone, Debug)]
pub enum Step {
    /// Adds a box.
    Block([i8; 3], [u8; 3], bool),
    /// Adds a cylinder.
    Pillar([i8; 3], u8, u8),
    /// Gives ground an area.
    Mark([i8; 3], [u8; 3], u8),
    /// Removes the obstacle with this number.
    RemoveObstacle(u8),
    /// Removes the mark with this number.
    RemoveMark(u8),
    /// Removes a tile.
    RemoveTile(u8, u8),
    /// Puts a tile back.
    SetTile(u8, u8),
    /// Bakes what changed.
    Update,
}

/// A scene and what happens to it.
#[derive(Arbitrary, Debug)]
pub struct Story {
    soup: Soup,
    steps: Vec<Step>,
}

fn half_metres(at: [i8; 3]) -> Vec3 {
    Vec3::from(at.map(f32::from)) * 0.5
}

fn cuboid(at: [i8; 3], size: [u8; 3]) -> MarkShape {
    let min = half_metres(at);
    MarkShape::Box {
        bounds: Bounds { min, max: min + Vec3::from(size.map(|side| f32::from(side % 12))) * 0.5 },
    }
}

fn obstacle(step: &Step) -> Option<Obstacle> {
    match *step {
        Step::Block(at, size, walkable) => Some(Obstacle::solid(cuboid(at, size)).with_walkable(walkable)),
        Step::Pillar(at, radius, height) => Some(Obstacle::solid(MarkShape::Cylinder {
            base: half_metres(at),
            radius: f32::from(radius % 8) * 0.5,
            height: f32::from(height % 8) * 0.5,
        })),
        _ => None,
    }
}

fn world(soup: &TriangleSoup) -> Option<World> {
    let config = BakeConfig::default().with_scale(0.5, 0.25).with_threads(1).with_validate_stages(true);
    let mut world = World::new(Baker::voxels().with_config(config), &soup.bounds(), 16).ok()?;
    world.add_triangles(soup, &mut ()).expect("triangles are added");
    Some(world)
}

/// However a world came to its state, its mesh is that of a fresh world of this state.
pub fn worlds(story: &Story) {
    let Some(soup) = story.soup.triangles() else { return };
    let Some(mut changed) = world(&soup) else { return };
    let tiles: Vec<Tile> = changed.tiles().collect();
    let tile = |row: u8, column: u8| {
        let index = usize::from(row) * 16 + usize::from(column);
        (!tiles.is_empty()).then(|| tiles[index % tiles.len()])
    };
    let (mut obstacles, mut marks, mut gone) = (Vec::new(), Vec::new(), std::collections::BTreeSet::new());
    for step in story.steps.iter().take(24) {
        match step {
            Step::Block(..) | Step::Pillar(..) => {
                let added = obstacle(step).expect("an obstacle");
                if let Ok(id) = changed.add_obstacle(added.clone()) {
                    obstacles.push((id, added));
                }
            }
            Step::Mark(at, size, area) => {
                let mark = Mark::new(cuboid(*at, *size), AreaId(area % 4));
                if let Ok(id) = changed.add_mark(mark.clone()) {
                    marks.push((id, mark));
                }
            }
            Step::RemoveObstacle(index) if !obstacles.is_empty() => {
                let (id, _) = obstacles.remove(usize::from(*index) % obstacles.len());
                assert!(changed.remove_obstacle(id));
            }
            Step::RemoveMark(index) if !marks.is_empty() => {
                let (id, _) = marks.remove(usize::from(*index) % marks.len());
                assert!(changed.remove_mark(id));
            }
            Step::RemoveTile(row, column) => {
                if let Some(tile) = tile(*row, *column) {
                    assert_eq!(changed.remove_tile(tile), gone.insert(tile));
                }
            }
            Step::SetTile(row, column) => {
                if let Some(tile) = tile(*row, *column) {
                    changed.set_tile(tile, &soup).expect("a tile is set");
                    gone.remove(&tile);
                }
            }
            Step::Update => {
                changed.update(&mut ()).expect("an update");
            }
            Step::RemoveObstacle(_) | Step::RemoveMark(_) => {}
        }
    }
    changed.update(&mut ()).expect("an update");
    let mut fresh = world(&soup).expect("a world as before");
    for tile in gone {
        fresh.remove_tile(tile);
    }
    for (_, obstacle) in obstacles {
        fresh.add_obstacle(obstacle).expect("an obstacle as before");
    }
    for (_, mark) in marks {
        fresh.add_mark(mark).expect("a mark as before");
    }
    fresh.update(&mut ()).expect("an update");
    let [changed, fresh] = [changed.handle().mesh(), fresh.handle().mesh()];
    changed.validate().expect("sound");
    assert!(*changed == *fresh, "the way to a state shows");
}

/// The content of a prebaked tile, with the right checksum, among tiles that were baked.
pub fn tile_worlds(content: &[u8]) {
    let points = [(-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let floor = TriangleSoup::new(points.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).expect("a floor");
    let mut world = world(&floor).expect("a world");
    world.update(&mut ()).expect("an update");
    let tile = Tile { row: 0, column: 1 };
    let mut own = Vec::new();
    world.write_tile(tile, &mut own).expect("a tile");
    let fingerprint = u64::from_le_bytes(own[8..16].try_into().expect("eight bytes"));
    if world.read_tile(&tile_to_bytes(tile, fingerprint, content)).is_err() {
        return;
    }
    if world.update(&mut ()).is_ok() {
        world.handle().mesh().validate().expect("sound");
    }
    world.read_tile(&own).expect("its own tile");
    world.update(&mut ()).expect("an update");
}
