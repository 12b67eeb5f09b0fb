//! Storeys of a small house stage by stage: rough voxels, layers, fine ground.

use std::fmt::Write;

use waymesh_core::{GridFrame, GridScale, GridWindow};
use waymesh_storeys::{StoreysConfig, flood_layers, refine_window, voxelize_roughly};
use waymesh_testkit::{small, snapshot, text};

#[test]
fn snapshot_storeys() {
    let (soup, config) = (small::house(), StoreysConfig::default().with_scale(GridScale::new(0.2, 0.1)));
    let bounds = soup.bounds();
    let frame = GridFrame::fit(&bounds, &config.scale).expect("a frame");
    let height = bounds.max.y - bounds.min.y;
    let (voxels, _) = voxelize_roughly(&soup, &frame, height, &config).expect("voxels");
    let positive = |x, z| (0..voxels.levels).filter(|&level| voxels.is_positive(x, z, level)).count();
    snapshot!("storeys_1_rough", text::map([voxels.width, voxels.depth], |x, z| text::count(positive(x, z))));
    let layers = flood_layers(&voxels, &config).expect("layers");
    let mut page = String::new();
    for layer in 0..layers.count {
        let _ = writeln!(page, "layer {}", text::letter(layer));
        page += &text::map([layers.width, layers.depth], |x, z| {
            let floor = layers.column(x, z).iter().find(|floor| floor.layer == layer);
            floor.map_or('.', |floor| if floor.accessible { text::letter(layer) } else { '-' })
        });
    }
    snapshot!("storeys_2_layers", page);
    let whole = GridWindow::whole(&frame);
    let refined = refine_window(soup.finite_triangles(), &frame, whole, &layers, &config).expect("ground");
    let ground = refined.ground.to_walkable().field;
    snapshot!("storeys_3_ground", text::field(&ground));
    let mut page = String::new();
    for ends in &refined.ends {
        let _ = writeln!(page, "{} {} {}: {:?}", ends.span.z, ends.span.x, ends.span.floor, ends.steps);
    }
    snapshot!("storeys_4_ends", page);
}
