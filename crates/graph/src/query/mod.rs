//! Queries: settings and memory in one object.

mod batch;
mod disc;
mod find;
mod memory;
mod point;
mod searcher;

pub use disc::ClearQuery;
pub use point::Query;
pub use searcher::PathSearcher;
