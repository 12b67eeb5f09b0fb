//! Tests of the double precision of the shaders against that of the processor.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bits as numbers and back")]

use waymesh_core::Random;

use crate::batch::{Batch, Load, SETTINGS_BYTES};
use crate::kernels::{DOUBLE, Module, Use};
use crate::tables::{Staging, Table};
use crate::{GpuContext, GpuOptions, GpuTimes};

/// One invocation per pair: sum, difference, product, quotient, the order and the nearest whole
/// numbers; and the single precision number in the low word of the first.
const SHADER: &str = "
@group(0) @binding(0) var<uniform> settings: vec4<u32>;
@group(0) @binding(1) var<storage, read> pairs: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<array<vec2<u32>, 8>>;

@compute @workgroup_size(64)
fn compute(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= settings.x {
        return;
    }
    let a = pairs[id.x].xy;
    let b = pairs[id.x].zw;
    results[id.x][0] = plus(a, b);
    results[id.x][1] = minus(a, b);
    results[id.x][2] = times(a, b);
    results[id.x][3] = divided(a, b);
    results[id.x][4] = vec2<u32>(select(0u, 1u, less(a, b)), bitcast<u32>(nearest(a)));
    results[id.x][5] = of_int(bitcast<i32>(a.x));
    results[id.x][6] = of_single(a.x);
    results[id.x][7] = clamped(a, b, ONE);
}
";

/// Returns pairs of numbers from the middle of the range, close to each other, of few bits, and
/// zeros.
fn numbers() -> Vec<[f64; 2]> {
    let mut random = Random::new(7);
    let mut pairs = Vec::new();
    for round in 0..200_000_u64 {
        let bits = random.bits();
        let exponent = 1023 + (random.bits() % 121) as i64 - 60;
        let a = f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (exponent as u64) << 52);
        let other = random.bits();
        let b = match round % 8 {
            // Neighbours: almost everything cancels.
            0 => f64::from_bits(a.to_bits() ^ (other & 7)),
            1 => -f64::from_bits(a.to_bits().wrapping_add(other % 3)),
            // Halves and whole numbers.
            2 => (other as i32) as f64 / 2.0,
            3 => f64::from_bits((a.to_bits() & 0x7ff << 52) + ((other % 60) << 52)),
            4 => 0.0,
            5 => f64::from(f32::from_bits((other as u32) & 0xbfff_ffff)),
            _ => {
                let exponent = 1023 + (other % 121) as i64 - 60;
                f64::from_bits(random.bits() & 0x800f_ffff_ffff_ffff | (exponent as u64) << 52)
            }
        };
        pairs.push(if round % 3 == 0 { [b, a] } else { [a, b] });
    }
    pairs
}

#[test]
fn integers_compute_as_the_processor_does_to_the_last_bit() {
    let Ok(context) = GpuContext::new(&GpuOptions::default().with_software(true)) else {
        waymesh_testkit::levels::skipped("a graphics adapter, be it in software");
        return;
    };
    let pairs = numbers();
    let times = &mut GpuTimes::default();
    let source = [DOUBLE, SHADER].concat();
    let module = Module::new(&context, &source, 16, &[Use::Read, Use::Write], &["compute"]).unwrap();
    let bits: Vec<[u64; 2]> = pairs.iter().map(|pair| pair.map(f64::to_bits)).collect();
    let mut input = Table::new(&context, "pairs", bits.len() as u64 * 16).unwrap();
    input.write(&context, &bits, times).unwrap();
    let output = Table::new(&context, "results", bits.len() as u64 * 64).unwrap();
    let settings = Table::settings(&context, SETTINGS_BYTES).unwrap();
    let count = u32::try_from(bits.len()).unwrap();
    let mut batch = Batch::new(&context, &settings, times);
    batch
        .run(&module, "compute", &[&input, &output], Load::new(count, 1, 0), |_, end| [end, 0, 0, 0])
        .unwrap();
    batch.read::<[u64; 8]>(&output, 0, bits.len() as u64);
    let reads = batch.submit(Staging::default()).unwrap().wait(&context, times).unwrap();
    let results: Vec<[u64; 8]> = reads.values(0, times);
    let same = |is: u64, should: f64, what: &str, pair: [f64; 2]| {
        // The sign of a zero is not kept.
        let is = f64::from_bits(is);
        assert!(
            is.to_bits() == should.to_bits() || (is == 0.0 && should == 0.0),
            "{what} of {pair:?} is {should:?}, not {is:?}"
        );
    };
    for (pair, result) in pairs.iter().zip(&results) {
        let [a, b] = *pair;
        same(result[0], a + b, "sum", *pair);
        same(result[1], a - b, "difference", *pair);
        same(result[2], a * b, "product", *pair);
        if a != 0.0 {
            let quotient = if b == 0.0 { f64::INFINITY.copysign(a / b) } else { a / b };
            same(result[3], quotient, "quotient", *pair);
        }
        assert_eq!(result[4] & 1 == 1, a < b, "order of {pair:?}");
        if a.abs() < waymesh_core::float::power_of_two(50) {
            let nearest = (a.round_ties_even() as i64) as i32;
            assert_eq!((result[4] >> 32) as u32 as i32, nearest, "whole number nearest to {a:?}");
        }
        same(result[5], f64::from(a.to_bits() as u32 as i32), "whole number", *pair);
        let single = f32::from_bits(a.to_bits() as u32);
        if single.is_finite() {
            same(result[6], f64::from(single), "single", *pair);
        }
        let most = if a > b { a } else { b };
        same(result[7], if most < 1.0 { most } else { 1.0 }, "clamped", *pair);
    }
}
