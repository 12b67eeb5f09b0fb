//! Crowds on small meshes: walls, overlaps, doors, streams, storeys, slopes, links, threads.
#![expect(clippy::unwrap_used, reason = "tests")]

mod api;
mod changes;
mod ground;
mod links;
mod random;
mod scenes;
mod support;
mod wide;
