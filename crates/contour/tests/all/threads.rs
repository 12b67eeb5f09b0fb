//! The number of threads does not show in the borders.

use waymesh_contour::trace_contours;
use waymesh_testkit::fields;

#[test]
fn borders_are_the_same_on_any_number_of_threads() {
    for seed in 0..3 {
        let field = fields::random(seed, 330, 290);
        assert!(field.len() > 2 * 65_536 || seed > 0, "{} spans", field.len());
        let regions = fields::random_regions(&field, seed);
        let trace = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| trace_contours(&field, &regions)).expect("a valid region map")
        };
        let expected = trace(1);
        assert!(expected.loop_count() > 100, "{} loops", expected.loop_count());
        for threads in [2, 3, 8] {
            assert!(trace(threads) == expected, "seed {seed} on {threads} threads");
        }
    }
}
