//! Tests of the contract of both partitions.

use waymesh_region::{Monotone, MonotoneConfig, Watershed, WatershedConfig};
use waymesh_testkit::contracts;

#[test]
fn watershed_keeps_the_contract() {
    contracts::partition(&Watershed::default());
    contracts::partition(&Watershed {
        config: WatershedConfig::default().with_merge_region(0.0).with_blur(false),
    });
    contracts::partition(&Watershed { config: WatershedConfig::default().with_merge_region(1e6) });
}

#[test]
fn monotone_keeps_the_contract() {
    contracts::partition(&Monotone::default());
    contracts::partition(&Monotone { config: MonotoneConfig::default().with_merge_region(0.0) });
    contracts::partition(&Monotone { config: MonotoneConfig::default().with_merge_region(1e6) });
}
