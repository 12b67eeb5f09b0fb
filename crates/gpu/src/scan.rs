//! Prefix sums: the sum of all numbers before each number of a table.

use bytemuck::{Pod, Zeroable};

use crate::batch::{Batch, Load};
use crate::kernels::{Module, Use};
use crate::tables::Table;
use crate::{GpuContext, GpuError};

/// Numbers of a block, as in the shader.
const BLOCK: u32 = 1024;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Settings {
    count: u32,
    first_block: u32,
    unused: [u32; 2],
}

#[derive(Debug)]
pub(crate) struct Scan {
    module: Module,
}

/// Sums of blocks, and of blocks of blocks.
#[derive(Debug, Default)]
pub(crate) struct ScanTables(Vec<[Table; 2]>);

impl ScanTables {
    /// Reserves tables for `count` numbers.
    pub(crate) fn reserve(&mut self, context: &GpuContext, count: u32) -> Result<(), GpuError> {
        for (level, &length) in lengths(count).iter().enumerate() {
            let bytes = u64::from(length.div_ceil(BLOCK)) * 4;
            match self.0.get_mut(level) {
                Some(tables) => tables.iter_mut().try_for_each(|table| table.reserve(context, bytes))?,
                None => {
                    let table = || Table::new(context, "sums", bytes);
                    self.0.push([table()?, table()?]);
                }
            }
        }
        Ok(())
    }
}

/// Returns the lengths of a table, of its blocks, of blocks of blocks; the last is one block.
fn lengths(count: u32) -> Vec<u32> {
    let mut lengths = vec![count];
    while lengths[lengths.len() - 1] > BLOCK {
        lengths.push(lengths[lengths.len() - 1].div_ceil(BLOCK));
    }
    lengths
}

impl Scan {
    pub(crate) fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let uses = [Use::Read, Use::Write, Use::Write];
        let source = include_str!("shaders/scan.wgsl");
        let module = Module::new(context, source, size_of::<Settings>(), &uses, &["scan", "add"])?;
        Ok(Self { module })
    }

    /// Writes to `before[i]` the sum of `numbers[..i]`, for the first `count` numbers. `tables`
    /// must be reserved for them.
    pub(crate) fn run(
        &self,
        batch: &mut Batch<'_>,
        numbers: &Table,
        before: &Table,
        count: u32,
        ScanTables(levels): &ScanTables,
    ) -> Result<(), GpuError> {
        let lengths = lengths(count);
        let own = |level: usize| match level.checked_sub(1) {
            None => [numbers, before],
            Some(under) => [&levels[under][0], &levels[under][1]],
        };
        let run = |batch: &mut Batch<'_>, entry, level: usize, sums: &Table| {
            let length = lengths[level];
            let [numbers, before] = own(level);
            let bytes = u64::from(length) * 8;
            let load = Load { group: 1, ..Load::new(length.div_ceil(BLOCK), u64::from(BLOCK) / 16, bytes) };
            batch.run(&self.module, entry, &[numbers, before, sums], load, |first_block, _| Settings {
                count: length,
                first_block,
                unused: [0; 2],
            })
        };
        for (level, [sums, _]) in levels.iter().enumerate().take(lengths.len()) {
            run(batch, "scan", level, sums)?;
        }
        for level in (0..lengths.len() - 1).rev() {
            run(batch, "add", level, &levels[level][1])?;
        }
        Ok(())
    }
}
