//! Positions of the agents of small crowds, to the last bit: a change that alters any walk shows
//! here. The package for JavaScript is compared with the same page. `cargo xtask bless` rewrites
//! it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write;
use std::path::Path;

use glam::Vec3;
use waymesh::Baker;
use waymesh::io::{LoadOptions, load_with};
use waymesh_core::Random;
use waymesh_crowd::{AgentId, AgentParams, AgentStatus, Crowd, CrowdConfig};
use waymesh_graph::{ClearanceNavMesh, MeshSource, NavMesh};

const LEVELS: [&str; 2] = ["court.obj", "hills.obj"];
const AGENTS: u16 = 40;
const STEPS: u32 = 600;

fn bake(level: &str) -> NavMesh {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/levels").join(level);
    let soup = load_with(&[file], &LoadOptions::default()).unwrap();
    Baker::voxels().bake(&soup).unwrap()
}

/// Returns the FNV-1a hash of the bits of all positions.
fn checksum(positions: impl Iterator<Item = Vec3>) -> u32 {
    let bytes = positions.flat_map(|position| position.to_array()).flat_map(|number| number.to_le_bytes());
    bytes.fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Lets agents walk between random places, every fourth one a wide one.
fn walk(ground: &impl MeshSource, page: &mut String) {
    let mesh = ground.nav_mesh();
    let (sampler, mut random) = (mesh.query().sampler(), Random::new(7));
    let mut place = || sampler.sample(&mesh, &mut random).unwrap().unwrap().position;
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let starts: Vec<Vec3> = (0..AGENTS).map(|_| place()).collect();
    let agents: Vec<AgentId> = (0_u16..)
        .zip(starts)
        .map(|(index, start)| {
            let radius = if index % 4 == 3 { 0.7 } else { 0.3 };
            crowd.add(ground, AgentParams::default().with_radius(radius), start).unwrap()
        })
        .collect();
    for &agent in &agents {
        crowd.set_target(ground, agent, place()).unwrap();
    }
    for step in 1..=STEPS {
        crowd.step(ground, 1.0 / 30.0).unwrap();
        if step % 150 == 0 {
            let arrived = crowd.agents().filter(|(_, state)| state.status == AgentStatus::Arrived).count();
            let sum = checksum(crowd.agents().map(|(_, state)| state.position));
            let _ = writeln!(page, "  step {step}: {arrived} arrived, FNV-1a {sum:08x}");
        }
    }
}

#[test]
fn snapshot_golden_walks() {
    let mut page = String::new();
    for level in LEVELS {
        let mesh = bake(level);
        let _ = writeln!(page, "{level} plain");
        walk(&mesh, &mut page);
        let clear: ClearanceNavMesh = waymesh::with_clearance(mesh, &Default::default()).unwrap();
        let _ = writeln!(page, "{level} clearance");
        walk(&clear, &mut page);
    }
    waymesh_testkit::snapshot!("walks", page);
}
