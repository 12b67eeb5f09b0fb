//! Files of scenes and meshes.

mod cityjson;
mod common;
mod detour;
mod fuzz_scenes;
mod gltf;
mod outputs;
mod real_scenes;
mod scenes;
mod versions;
mod wmesh;
