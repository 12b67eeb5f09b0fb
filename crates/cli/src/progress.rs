//! Shows a bake while it runs: the stage and how far it is on a terminal, log lines with `-v`,
//! nothing in a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use waymesh::core::{Counter, rounded};
use waymesh::io::{LoadOptions, UpAxis};
use waymesh::{Observer, Warning};

use crate::files;

/// Style for a stage without a known progress; some stages never report one.
const SPINNER: &str = "{spinner} {elapsed_precise} {msg}";
/// Style for a stage with a known progress.
const BAR: &str = "{spinner} {elapsed_precise} {msg} {wide_bar} {percent:>3} %";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Draws to stderr when that is a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    load: LoadOptions,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self::of_scene(LoadOptions::default())
    }

    /// Shows the bake of a scene that was read with these options.
    pub(crate) fn of_scene(load: LoadOptions) -> Self {
        let bar = if files::is_quiet() { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        bar.set_style(style(SPINNER));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar, load }
    }

    /// Returns the options that may help against a warning.
    fn remedy(&self, warning: &Warning) -> Option<String> {
        Some(match warning {
            Warning::UnlikelyUnit { scale, .. } => format!("--scale {}", self.load.scale * scale),
            Warning::UnlikelyAxis { axis, .. } => match (self.load.up, *axis) {
                (UpAxis::Y, "z") => "--up z".to_owned(),
                (UpAxis::Z, "-z") => "--up y".to_owned(),
                _ => return None,
            },
            Warning::UpsideDown { .. } => "--flip, or --two-sided".to_owned(),
            Warning::LongBake { cell_size, max_step, .. } => {
                let step = max_step.map(|step| format!(" --max-step {}", rounded(step, 2)));
                format!("--cell-size {}{}", rounded(*cell_size, 2), step.unwrap_or_default())
            }
            Warning::MixedWinding { .. } => "--two-sided".to_owned(),
            Warning::SlopesLost { finer, max_step, level_height, .. } => finer.map_or_else(
                || format!("--max-step {} --level-height {level_height}", rounded(*max_step, 6)),
                |finer| format!("--cell-size {} --level-height {}", finer.cell_size, finer.level_height),
            ),
            Warning::FarFromOrigin { centre: [x, y, z], .. } => {
                let of_file = if self.load.up == UpAxis::Z { [*x, -z, *y] } else { [*x, *y, *z] };
                let [x, y, z] = [0, 1, 2].map(|axis| {
                    (f64::from(of_file[axis] / self.load.scale) + self.load.origin[axis]).round()
                });
                format!("--origin {x},{y},{z}")
            }
            _ => return None,
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn stage_started(&mut self, stage: &'static str) {
        self.bar.set_style(style(SPINNER));
        self.bar.set_message(stage);
        self.bar.unset_length();
    }

    fn progress(&mut self, done: u64, total: u64) {
        if self.bar.length() != Some(total) {
            self.bar.set_style(style(BAR));
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }

    fn stage_finished(&mut self, stage: &'static str, seconds: f64) {
        tracing::info!(stage, milliseconds = seconds * 1e3, "stage done");
    }

    fn count(&mut self, counter: Counter, amount: u64) {
        tracing::debug!(counter = counter.name(), amount, "counted");
    }

    fn wants_advice(&self) -> bool {
        true
    }

    fn warn(&mut self, warning: Warning) {
        let remedy = self.remedy(&warning).map(|remedy| format!(": try {remedy}")).unwrap_or_default();
        self.bar.suspend(|| tracing::warn!("{warning}{remedy}"));
    }
}
