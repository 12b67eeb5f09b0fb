//! Sums of all numbers before each number of a table.

use crate::kernels::{Module, Table, Use};
use crate::{GpuContext, GpuError, GpuTimes};

/// Numbers of a block, as in the shader.
const BLOCK: u32 = 1024;

#[derive(Debug)]
pub(crate) struct Scan {
    module: Module,
}

/// Sums of blocks, and of blocks of blocks.
#[derive(Debug)]
pub(crate) struct ScanTables {
    settings: Table,
    levels: Vec<[Table; 2]>,
}

impl ScanTables {
    pub(crate) fn new(context: &GpuContext) -> Result<Self, GpuError> {
        Ok(Self { settings: Table::settings(context, 16)?, levels: Vec::new() })
    }
}

impl Scan {
    pub(crate) fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let uses = [Use::Settings, Use::Read, Use::Write, Use::Write];
        let module = Module::new(context, include_str!("shaders/scan.wgsl"), &uses, &["scan", "add"])?;
        Ok(Self { module })
    }

    /// Writes to `before[i]` the sum of `numbers[..i]`, for the first `count` of them.
    pub(crate) fn run(
        &self,
        context: &GpuContext,
        numbers: &Table,
        before: &Table,
        count: u32,
        tables: &mut ScanTables,
        times: &mut GpuTimes,
    ) -> Result<(), GpuError> {
        // Lengths of the table, of its blocks, of blocks of blocks; the last is one block.
        let mut lengths = vec![count];
        while lengths[lengths.len() - 1] > BLOCK {
            lengths.push(lengths[lengths.len() - 1].div_ceil(BLOCK));
        }
        let ScanTables { settings, levels } = tables;
        for (level, &length) in lengths.iter().enumerate() {
            let bytes = u64::from(length.div_ceil(BLOCK)) * 4;
            if level == levels.len() {
                levels.push([Table::new(context, "sums", bytes)?, Table::new(context, "sums", bytes)?]);
            }
            let [sums, sums_before] = &mut levels[level];
            sums.reserve(context, bytes)?;
            sums_before.reserve(context, bytes)?;
            settings.write(context, &[length], times)?;
            let (own, own_before, sums) = match level.checked_sub(1) {
                None => (numbers, before, &levels[0][0]),
                Some(under) => (&levels[under][0], &levels[under][1], &levels[level][0]),
            };
            let groups = length.div_ceil(BLOCK);
            self.module.dispatch(context, "scan", &[settings, own, own_before, sums], groups, times)?;
        }
        for level in (0..lengths.len() - 1).rev() {
            settings.write(context, &[lengths[level]], times)?;
            let (own, own_before) = match level.checked_sub(1) {
                None => (numbers, before),
                Some(under) => (&levels[under][0], &levels[under][1]),
            };
            let tables = [&*settings, own, own_before, &levels[level][1]];
            self.module.dispatch(context, "add", &tables, lengths[level].div_ceil(BLOCK), times)?;
        }
        Ok(())
    }
}
