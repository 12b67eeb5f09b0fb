//! Notches: the closest visible vertex of each, found for all at once.

use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable};
use waymesh_convex::{Closest, NotchSearch, NotchTables, Partner};
use waymesh_core::PlanPoint;

use crate::batch::{Batch, Load, SETTINGS_BYTES};
use crate::kernels::{DOUBLE, Module, Use};
use crate::tables::{Pool, Staging, Table};
use crate::{GpuContext, GpuError, GpuTimes, constants};

/// Steps of a notch, which visits at most 256 triangles.
const STEPS: u64 = 256;
/// Words of a result, as in the shader: two and a number, then triangles or partners.
const WORDS: usize = 28;
const HEAD: usize = 3;
/// Words of a partner.
const PARTNER: usize = 3;
/// Factor of the cost of a narrow portal, and the tangent of a narrow angle (`measure.rs` of
/// `waymesh-convex`).
const NARROW: [(&str, f64); 2] = [("NARROW", 4.0), ("NARROW_TANGENT", 0.18)];

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Settings {
    begin: u32,
    end: u32,
    bounded: u32,
    unused: u32,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Notch {
    vertex: u32,
    next: u32,
    sector: [u32; 2],
    before: [i32; 2],
    after: [i32; 2],
}

/// The search from all notches at once on a device (Oliva and Pelechano 2012, section 4.1): the
/// closest vertex in the area of interest of each notch that no edge hides.
///
/// # Method
/// The paper renders the scene from each notch. Here one invocation visits the triangles from a
/// notch, the closest first, with the coordinates and rounding of the processor. The moving far
/// plane of the paper is a bound: triangles farther away than the best vertex so far are not
/// visited.
///
/// The second pass runs on the processor: it searches again from notches whose view a portal has
/// changed, and from the few that see more than 24 triangles ([`waymesh_convex::PortalCounts`]).
///
/// If the device fails, the processor does all work; [`GpuNotches::last_error`] returns the reason.
#[derive(Debug)]
pub struct GpuNotches {
    context: GpuContext,
    module: Module,
    pool: Pool<Tables>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct Tables {
    settings: Table,
    inputs: [Table; 4],
    results: Table,
    staging: Staging,
}

impl Tables {
    fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let table = |what| Table::new(context, what, 1 << 10);
        Ok(Self {
            settings: Table::settings(context, SETTINGS_BYTES)?,
            inputs: [
                table("vertices")?,
                table("half-edges")?,
                table("notches")?,
                table("notches at vertices")?,
            ],
            results: table("results")?,
            staging: Staging::default(),
        })
    }
}

#[derive(Debug, Default)]
struct State {
    times: GpuTimes,
    error: Option<GpuError>,
}

impl GpuNotches {
    /// Translates the shaders.
    ///
    /// # Errors
    /// Those of a device that fails.
    pub fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let uses = [Use::Read, Use::Read, Use::Read, Use::Read, Use::Write];
        let source = [DOUBLE, &constants(&NARROW), include_str!("shaders/notches.wgsl")].concat();
        let entries = ["closest", "partners"];
        let module = Module::new(context, &source, size_of::<Settings>(), &uses, &entries)?;
        let (pool, state) = (Pool::default(), Mutex::default());
        Ok(Self { context: context.clone(), module, pool, state })
    }

    /// Returns the work of the device so far.
    #[must_use]
    pub fn times(&self) -> GpuTimes {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).times.clone()
    }

    /// Takes the error because of which the last search was left to the processor.
    pub fn last_error(&self) -> Option<GpuError> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).error.take()
    }

    /// Returns the number of triangles that all notches visit until each has its closest vertex:
    /// with the shrinking bound, or without it (then at most 256 per notch).
    ///
    /// # Errors
    /// Those of a device that fails.
    pub fn triangles_seen(&self, tables: &NotchTables, bounded: bool) -> Result<u64, GpuError> {
        let mut times = GpuTimes::default();
        let results = self.run(tables, "closest", bounded, &mut times)?;
        Ok(results.iter().map(|result| u64::from(result[2])).sum())
    }

    fn run(
        &self,
        tables: &NotchTables,
        shader: &'static str,
        bounded: bool,
        times: &mut GpuTimes,
    ) -> Result<Vec<[u32; WORDS]>, GpuError> {
        let context = &self.context;
        let count = u32::try_from(tables.notches.len()).unwrap_or(u32::MAX);
        if count == 0 {
            return Ok(Vec::new());
        }
        let plain = |point: PlanPoint| [point.x, point.z];
        let points: Vec<[i32; 2]> = tables.points.iter().copied().map(plain).collect();
        let edges: Vec<[u32; 4]> =
            tables.edges.iter().map(|edge| [edge.origin, edge.twin, u32::from(edge.fixed), 0]).collect();
        let notch = |row: &waymesh_convex::NotchRow| Notch {
            vertex: row.vertex,
            next: row.next,
            sector: row.sector,
            before: plain(row.before),
            after: plain(row.after),
        };
        let notches: Vec<Notch> = tables.notches.iter().map(notch).collect();
        let mut own = self.pool.take(|| Tables::new(context))?;
        own.inputs[0].write(context, &points, times)?;
        own.inputs[1].write(context, &edges, times)?;
        own.inputs[2].write(context, &notches, times)?;
        own.inputs[3].write(context, &tables.first_notches, times)?;
        let uploads = context.upload(times)?;
        own.results.reserve(context, u64::from(count) * 4 * WORDS as u64)?;
        let staging = std::mem::take(&mut own.staging);
        let mut batch = Batch::new(context, &own.settings, times);
        let [points, edges, notches, first] = &own.inputs;
        let all = [points, edges, notches, first, &own.results];
        // The bytes of the notches; the number of visited triangles is unknown.
        let bytes = u64::from(count) * (size_of::<Notch>() + 4 * WORDS) as u64;
        let settings = |begin, end| Settings { begin, end, bounded: bounded.into(), unused: 0 };
        batch.run(&self.module, shader, &all, Load::new(count, STEPS, bytes), settings)?;
        batch.read::<[u32; WORDS]>(&own.results, 0, u64::from(count));
        let reads = batch.submit(staging)?.after(Some(uploads)).wait(context, times)?;
        let results = reads.values(0, times);
        self.pool.give(Tables { staging: reads.into_staging(), ..own });
        Ok(results)
    }

    /// Returns the results of a shader for each notch; `None` if the device fails.
    fn results<T>(
        &self,
        tables: &NotchTables,
        shader: &'static str,
        result: impl Fn(&[u32; WORDS]) -> T,
    ) -> Option<Vec<Option<T>>> {
        let mut times = GpuTimes::default();
        let results = self.run(tables, shader, true, &mut times);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.times.add(&times);
        match results {
            Ok(results) => Some(results.iter().map(|words| (words[1] == 0).then(|| result(words))).collect()),
            Err(error) => {
                state.error = Some(error);
                None
            }
        }
    }
}

impl NotchSearch for GpuNotches {
    fn partners(&self, tables: &NotchTables) -> Option<Vec<Option<Vec<Partner>>>> {
        self.results(tables, "partners", |words| {
            let partner = |words: &[u32]| Partner {
                cost: f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0])),
                notch: words[2],
            };
            words[HEAD..].chunks_exact(PARTNER).take(words[0] as usize).map(partner).collect()
        })
    }

    fn closest(&self, tables: &NotchTables) -> Option<Vec<Option<Closest>>> {
        self.results(tables, "closest", |words| Closest {
            vertex: (words[0] != NotchTables::NO_INDEX).then_some(words[0]),
            visited: words[HEAD..].iter().take(words[2] as usize).copied().collect(),
        })
    }
}
