//! Wall time, with a fallback for platforms without a clock.

use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use host::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::set_clock;

/// A stopwatch for wall time.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    ///
    /// On `wasm32-unknown-unknown` all times are 0 until the host provides a clock (`set_clock`).
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// Returns the seconds since the start.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }
}

/// Replacement for `std::time::Instant`, which panics on this target.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

    /// Sets the clock of the host: seconds since any moment, never decreasing. Later calls have no
    /// effect.
    pub fn set_clock(seconds: fn() -> f64) {
        let _ = CLOCK.set(seconds);
    }

    fn now() -> f64 {
        CLOCK.get().map_or(0.0, |seconds| seconds())
    }

    #[derive(Clone, Copy, Debug)]
    pub(super) struct Instant(f64);

    impl Instant {
        pub(super) fn now() -> Self {
            Self(now())
        }

        pub(super) fn elapsed(self) -> Duration {
            Duration::try_from_secs_f64(now() - self.0).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes() {
        let watch = Stopwatch::start();
        let first = watch.seconds();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(first >= 0.0 && watch.seconds() >= first + 0.002);
    }
}
