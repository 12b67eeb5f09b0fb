//! Agents of any radius on one mesh.

pub(crate) mod admitted;
mod bounds;
mod chain;
mod doors;
mod ends;
pub(crate) mod fit;
mod gate_places;
mod gates;
mod ground;
mod islands;
pub(crate) mod memory;
pub(crate) mod mesh;
mod near;
mod open_links;
pub(crate) mod path;
mod quick;
mod search;
mod seeds;
mod table;
mod turns;

pub use fit::ClearPlace;
pub use mesh::ClearanceNavMesh;
pub use path::ClearPathOptions;
