//! The half of the Python package `waymesh` that is written in Rust: bakes, meshes, queries.
//!
//! Arrays of `float32` in C order are read where they lie. Whatever may take longer than a few
//! microseconds releases the interpreter's lock, and batches run on all cores. What the classes and
//! functions mean is documented in `python/waymesh/_waymesh.pyi`, from which `doc!` takes it.

/// Text of the stubs about a class or a member.
macro_rules! doc {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

mod bake;
mod corridor;
mod crowd;
mod errors;
mod figures;
mod filter;
mod input;
mod links;
mod mesh;
mod output;
mod path;
mod paths;
mod pool;
mod query;
mod sampler;
mod settings;
mod watch;
mod world;

/// The module that `waymesh/__init__.py` imports from.
#[pyo3::pymodule]
mod _waymesh {
    #[pymodule_export]
    use crate::bake::{TileJob, bake_arrays, bake_files, bake_plans, explain_arrays, explain_files};
    #[pymodule_export]
    use crate::corridor::PyCorridor;
    #[pymodule_export]
    use crate::crowd::PyCrowd;
    #[pymodule_export]
    use crate::figures::rust_seconds;
    #[pymodule_export]
    use crate::filter::PyPolygonFilter;
    #[pymodule_export]
    use crate::mesh::PyNavMesh;
    #[pymodule_export]
    use crate::path::PyPath;
    #[pymodule_export]
    use crate::paths::PyPaths;
    #[pymodule_export]
    use crate::pool::{set_threads, threads};
    #[pymodule_export]
    use crate::sampler::{PyField, PySampler};
    #[pymodule_export]
    use crate::watch::{PyCancelToken, check_cancelled};
    #[pymodule_export]
    use crate::world::PyWorld;
}
