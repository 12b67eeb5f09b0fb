//! Queries: settings and memory in one object.

mod disc;
mod point;
pub(crate) mod route;
mod searcher;
mod sliced;

pub use disc::ClearQuery;
pub use point::Query;
pub use searcher::PathSearcher;
pub use sliced::SlicedPath;
