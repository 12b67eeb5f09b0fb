//! An observer that keeps the reports of stages.

use std::collections::BTreeMap;

use waymesh_core::{Counter, Observer, Warning};

/// Keeps counts, summed up, and warnings, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Sum of each count.
    pub counts: BTreeMap<Counter, u64>,
    /// All warnings.
    pub warnings: Vec<Warning>,
}

impl Observer for Recording {
    fn count(&mut self, counter: Counter, amount: u64) {
        *self.counts.entry(counter).or_default() += amount;
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}
