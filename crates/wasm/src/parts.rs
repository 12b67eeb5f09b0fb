//! Parts of the module, which are loaded when they are needed.
//!
//! The build (`build/parts.mjs`) cuts the module up: functions that begin with `part_NAME_` are
//! gates, and what only gates of one part lead to is that part. They must not be inlined into the
//! core, and are called after [`need`] only.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Kind, Thrown};

#[wasm_bindgen(raw_module = "./parts.js")]
extern "C" {
    /// Loads a part if that can be done at once. Returns `true` if it is loaded.
    fn has(part: &str) -> bool;
}

/// Refuses what is in a part that is not there.
pub(crate) fn need(part: &'static str) -> Thrown<()> {
    if has(part) {
        return Ok(());
    }
    Err(Kind::Part.error(format_args!(
        "this is in the part {part:?} of the package, which is not loaded: await loadParts({part:?}) before"
    )))
}
