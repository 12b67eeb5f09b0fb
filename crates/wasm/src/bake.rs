//! Runs bakes, and reports their progress to a function of JavaScript.

use std::cell::RefCell;

use js_sys::Function;
use wasm_bindgen::JsValue;
use waymesh::core::Stopwatch;
use waymesh::{BakeError, Observer};

use crate::error::{Kind, OrThrow, Thrown};

/// Shortest time between two calls within a stage, in seconds.
const PACE: f64 = 0.03;

thread_local! {
    /// The function, and what it threw. An observer may be sent to other threads, which a function
    /// may not; there is one thread.
    static CALLBACK: RefCell<(Option<Function>, Option<JsValue>)> = const { RefCell::new((None, None)) };
}

struct Reporter {
    stage: &'static str,
    last: Stopwatch,
    is_stopped: bool,
}

impl Reporter {
    fn report(&mut self, done: f64) {
        self.last = Stopwatch::start();
        let callback = CALLBACK.with_borrow(|(callback, _)| callback.clone());
        let Some(callback) = callback.filter(|_| !self.is_stopped) else { return };
        match callback.call2(&JsValue::NULL, &self.stage.into(), &done.into()) {
            Ok(answer) => self.is_stopped = answer.as_bool() == Some(false),
            Err(thrown) => {
                self.is_stopped = true;
                CALLBACK.with_borrow_mut(|(_, kept)| *kept = Some(thrown));
            }
        }
    }
}

impl Observer for Reporter {
    fn stage_started(&mut self, stage: &'static str) {
        self.stage = stage;
        self.report(0.0);
    }

    fn progress(&mut self, done: u64, total: u64) {
        if done < total && self.last.seconds() >= PACE {
            self.report(done as f64 / total as f64);
        }
    }

    fn stage_finished(&mut self, stage: &'static str, _seconds: f64) {
        self.stage = stage;
        self.report(1.0);
    }

    fn is_cancelled(&mut self) -> bool {
        self.is_stopped
    }
}

/// Gives all that measures times the clock of the host.
pub(crate) fn set_clock() {
    // Other targets have a clock; only the lints compile this crate for them.
    #[cfg(target_family = "wasm")]
    waymesh::core::set_clock(|| js_sys::Date::now() / 1000.0);
}

/// Runs `bake` with an observer that calls the function with a stage and the part of it that is
/// done. The bake ends after the stage in which the function returns `false` or throws; what it
/// threw is thrown then.
pub(crate) fn watched<T>(
    progress: Option<Function>,
    bake: impl FnOnce(&mut dyn Observer) -> Result<T, BakeError>,
) -> Thrown<T> {
    // Types are not checked at run time.
    if progress.as_ref().is_some_and(|progress| !progress.is_function()) {
        return Err(Kind::Input.error("progress must be a function"));
    }
    set_clock();
    let before = CALLBACK.replace((progress, None));
    let mut reporter = Reporter { stage: "", last: Stopwatch::start(), is_stopped: false };
    let result = bake(&mut reporter);
    let (_, thrown) = CALLBACK.replace(before);
    match thrown {
        Some(thrown) => Err(thrown),
        None => result.or_throw(),
    }
}
