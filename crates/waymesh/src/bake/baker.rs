//! A front end with its settings and stages, ready to bake.

use waymesh_core::{Observer, Stopwatch, TriangleSource};
use waymesh_graph::NavMesh;

use super::back::{Bake, finish};
use super::config::BakeConfig;
use super::error::BakeError;
use super::ground::Ground;
use super::report::Recorder;
use super::stages::{Refused, StageSet};

/// A front end, which makes [`Ground`] of an input: triangles or a floor plan. All later stages are
/// the same for all front ends.
///
/// # Contract
/// The same input and settings give the same ground, whatever the number of threads, and the order
/// of triangles or shapes.
pub trait FrontEnd: Sync {
    /// The input of a bake.
    type Input: ?Sized + Sync;

    /// Name in errors.
    const NAME: &'static str;

    /// Settings and replaced stages that this front end does not use, and why. They are refused
    /// where they differ from [`FrontEnd::defaults`].
    const REFUSED: Refused;

    /// The settings that it is made for.
    fn defaults() -> BakeConfig;

    /// Refuses settings and stages that it does not use with the options that it has. Default: none
    /// but [`FrontEnd::REFUSED`].
    ///
    /// # Errors
    /// [`BakeError::OptionNotSupported`], which names the first one.
    fn check(&self, _stages: &StageSet) -> Result<(), BakeError> {
        Ok(())
    }

    /// Makes the ground.
    ///
    /// # Errors
    /// For input that cannot be used, and where nothing is walkable.
    fn ground<'a>(
        &'a self,
        input: &'a Self::Input,
        stages: &'a StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Ground<'a>, BakeError>;

    /// The triangles of an input, in which the back end looks for jumps; `None` if it has none.
    fn triangles(input: &Self::Input) -> Option<&dyn TriangleSource>;
}

/// A bake, ready to run on any number of inputs. Most stages can be replaced.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let mesh = waymesh::Baker::voxels().bake(&soup)?;
/// assert!(mesh.polygon_count() > 0);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Baker<F> {
    pub(crate) front: F,
    pub(crate) stages: StageSet,
}

impl<F: FrontEnd> Baker<F> {
    /// A baker of the built-in stages.
    #[must_use]
    pub fn new(front: F, config: BakeConfig) -> Self {
        Self { front, stages: StageSet::new(config) }
    }

    /// The front end with its options.
    #[must_use]
    pub fn front(&self) -> &F {
        &self.front
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &BakeConfig {
        self.stages.config()
    }

    /// Sets the front end's options.
    #[must_use]
    pub fn with_front(mut self, front: F) -> Self {
        self.front = front;
        self
    }

    /// Replaces all settings, those that the front end is made for too. Methods such as
    /// [`Baker::agent_radius`] set one and leave the others.
    #[must_use]
    pub fn with_config(mut self, config: BakeConfig) -> Self {
        self.stages.config = config;
        self
    }

    /// Makes a navigation mesh.
    ///
    /// # Guarantees
    /// The same input and settings give the same mesh, whatever the number of threads and the order
    /// of the triangles or shapes.
    ///
    /// # Errors
    /// For settings out of range, or that this front end does not have; for an input without a
    /// usable triangle or shape, or without a place to stand; for a grid beyond the memory allowed.
    pub fn bake(&self, input: &F::Input) -> Result<NavMesh, BakeError> {
        Ok(self.bake_observed(input, &mut ())?.mesh)
    }

    /// Bakes as [`Baker::bake`] does, with figures, and reports every stage to an observer.
    ///
    /// # Errors
    /// See [`Baker::bake`].
    pub fn bake_observed(&self, input: &F::Input, observer: &mut dyn Observer) -> Result<Bake, BakeError> {
        self.check()?;
        self.run(F::triangles(input), observer, |recorder| self.front.ground(input, &self.stages, recorder))
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Names the first one that is out of its range or that this front end does not have.
    pub fn check(&self) -> Result<(), BakeError> {
        self.config().validate()?;
        self.stages.refuse(F::NAME, &F::defaults(), F::REFUSED)?;
        self.front.check(&self.stages)
    }

    /// Makes the mesh from ground, on the number of threads in the settings.
    pub(crate) fn run<'a>(
        &'a self,
        triangles: Option<&dyn TriangleSource>,
        observer: &mut dyn Observer,
        ground: impl FnOnce(&mut Recorder<'_>) -> Result<Ground<'a>, BakeError> + Send,
    ) -> Result<Bake, BakeError> {
        let start = Stopwatch::start();
        let mut recorder = Recorder::new(observer);
        // Cancellation is also checked between stages.
        let token = recorder.cancel_token();
        let run = || {
            let ground = ground(&mut recorder)?;
            finish(&self.stages, ground, triangles, &mut recorder)
        };
        let mut bake = token.run(|| self.stages.in_pool(run))???;
        let is_bounded = F::REFUSED.iter().all(|(option, _)| *option != "max_memory_bytes");
        bake.report.memory_limit_bytes = is_bounded.then_some(self.config().max_memory_bytes);
        bake.report.front_end = F::NAME;
        bake.report.finish(recorder, start);
        bake.report.device = self.stages.device_usage().map(Into::into);
        Ok(bake)
    }
}
