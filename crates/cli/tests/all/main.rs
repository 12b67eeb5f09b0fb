//! The program as a user runs it.

mod areas;
#[path = "../common/mod.rs"]
mod common;
mod diff;
mod evaluate;
mod heights;
mod hostile;
mod lost;
mod maps;
mod mistakes;
mod pictures;
mod plan;
mod program;
mod scene_files;
mod scripts;
mod view;
mod why;
