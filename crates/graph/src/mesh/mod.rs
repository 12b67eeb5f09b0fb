//! The tables of a navigation mesh, and how they are made, changed, stored and read.

pub(crate) mod bounds;
pub(crate) mod box_index;
pub(crate) mod bridges;
pub(crate) mod check;
pub(crate) mod costs;
pub(crate) mod crossings;
pub(crate) mod data;
pub(crate) mod error;
pub(crate) mod fans;
pub(crate) mod filter;
pub(crate) mod format;
pub(crate) mod ground;
pub(crate) mod height_tables;
pub(crate) mod islands;
pub(crate) mod link;
pub(crate) mod link_edits;
pub(crate) mod link_turns;
pub(crate) mod links;
mod named_sets;
pub(crate) mod nav_mesh;
pub(crate) mod oracle;
pub(crate) mod packed;
pub(crate) mod polygon;
pub(crate) mod squares;
pub(crate) mod table;
pub(crate) mod tiles;
pub(crate) mod wmesh;
