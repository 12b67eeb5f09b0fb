//! Measures of meshes.

mod closed_form;
mod common;
mod nav_mesh;
mod sabotage;
