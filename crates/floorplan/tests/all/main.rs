//! Plans, files of plans and their ground.

mod areas;
mod closing;
mod common;
mod dirty;
mod dxf;
mod geographic;
mod hostile;
mod maps;
mod names;
mod osm;
mod properties;
mod readers;
mod svg;
