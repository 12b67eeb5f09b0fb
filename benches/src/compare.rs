//! Engines in turns, so that whatever slows the machine down slows all of them.

use crate::{Bake, Counts, Engine, STAGES, Scene, Settings, Stage, StageTimes, Time};

/// Medians of one engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which engine.
    pub engine: &'static str,
    /// Median time of each stage, beside [`STAGES`].
    pub stages: [Time; STAGES.len()],
    /// Median time of the whole bake. Not the sum of the stages' medians.
    pub total: Time,
    /// Time of the fastest bake.
    pub best: Time,
    /// What came out.
    pub counts: Counts,
}

impl Measured {
    /// Sum of the medians of two stages.
    #[must_use]
    pub fn sum(&self, pair: [Stage; 2]) -> Time {
        let mut sum = Time::default();
        for stage in pair {
            sum += self.stages[stage as usize];
        }
        sum
    }
}

/// The engines on one scene at one scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Which scene.
    pub scene: String,
    /// Its triangles.
    pub triangles: usize,
    /// With which settings.
    pub settings: Settings,
    /// In how many rounds.
    pub rounds: usize,
    /// One entry per engine that could do it.
    pub measured: Vec<Measured>,
    /// Why the others could not.
    pub missing: Vec<String>,
}

/// Bakes `scene` `rounds` times with every engine, in turns, after one round that does not count.
///
/// An engine that fails is left out and named in [`Comparison::missing`].
#[must_use]
pub fn compare(
    engines: &[Box<dyn Engine + Send + Sync>],
    scene: &Scene,
    settings: &Settings,
    rounds: usize,
) -> Comparison {
    let mut missing = Vec::new();
    let mut runs: Vec<(&dyn Engine, Counts, Vec<StageTimes>)> = Vec::new();
    for engine in engines {
        match engine.bake(scene, settings) {
            Ok(bake) => runs.push((engine.as_ref(), bake.counts, Vec::new())),
            Err(error) => missing.push(error.to_string()),
        }
    }
    for _ in 0..rounds.max(1) {
        for (engine, _, times) in &mut runs {
            match engine.bake(scene, settings) {
                Ok(Bake { times: taken, .. }) => times.push(taken),
                Err(error) => missing.push(error.to_string()),
            }
        }
    }
    let measured = runs
        .into_iter()
        .filter(|(_, _, times)| !times.is_empty())
        .map(|(engine, counts, times)| Measured {
            engine: engine.name(),
            stages: STAGES.map(|stage| median(times.iter().map(|time| time.get(stage)))),
            total: median(times.iter().map(StageTimes::total)),
            best: times
                .iter()
                .map(StageTimes::total)
                .min_by(|a, b| a.cpu.total_cmp(&b.cpu))
                .unwrap_or_default(),
            counts,
        })
        .collect();
    Comparison {
        scene: scene.name.clone(),
        triangles: scene.soup.triangles().len(),
        settings: settings.clone(),
        rounds,
        measured,
        missing,
    }
}

/// Medians of both clocks, each by itself.
fn median(times: impl Iterator<Item = Time> + Clone) -> Time {
    let middle = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    Time {
        cpu: middle(times.clone().map(|time| time.cpu).collect()),
        wall: middle(times.map(|time| time.wall).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_takes_each_clock_by_itself() {
        let time = |cpu, wall| Time { cpu, wall };
        let times = [time(3.0, 1.0), time(1.0, 2.0), time(2.0, 30.0)];
        assert_eq!(median(times.iter().copied()), time(2.0, 2.0));
    }
}
