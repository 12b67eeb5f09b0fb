//! Packed data is unpacked without changes, and damaged bytes do no harm.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use common::{crop, nasty_soup, read_obj, scene, storeys};
use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::stage::BuildField;
use waymesh_core::{
    Agent, AreaId, Direction, FieldWindow, GridFrame, GridScale, GridWindow, Heightfield, NO_SPAN, Span,
    TriangleSoup, Validate,
};
use waymesh_testkit::{Random, fields};
use waymesh_voxel::{
    FieldBuilder, PackedField, PackedHeightfield, VoxelConfig, VoxelError, rasterize, rasterize_in_frame,
};

/// Compares two parts bit for bit, single-precision numbers as well.
fn same(a: &FieldWindow, b: &FieldWindow) -> bool {
    let bits =
        |part: &FieldWindow| part.field.ground.iter().map(|ground| ground.to_bits()).collect::<Vec<_>>();
    let without = |part: &FieldWindow| {
        let mut part = part.clone();
        part.field.ground.fill(0.0);
        part
    };
    bits(a) == bits(b) && without(a) == without(b)
}

fn check_field(part: &FieldWindow) -> usize {
    let packed = PackedField::pack(part).unwrap();
    let unpacked = packed.unpack().unwrap();
    assert!(same(&unpacked, part));
    unpacked.validate().unwrap();
    assert_eq!(PackedField::from_bytes(packed.as_bytes().to_vec()), packed);
    assert_eq!(PackedField::pack(&unpacked).unwrap(), packed, "the same bytes");
    packed.as_bytes().len()
}

fn check_heightfield(heightfield: &Heightfield) -> usize {
    let packed = PackedHeightfield::pack(heightfield).unwrap();
    assert!(packed.unpack().unwrap() == *heightfield);
    packed.as_bytes().len()
}

/// Returns a field that no builder makes: any area, clearance and ground, and some missing links.
fn strange(seed: u64) -> FieldWindow {
    let mut random = Random::new(seed);
    let mut field = fields::random(seed, random.below(30) + 1, random.below(30) + 1);
    for span in 0..field.len() {
        if random.chance(0.1) {
            field.area[span] = AreaId(random.bits() as u8);
        }
        if random.chance(0.1) {
            field.clearance[span] = [0, 1, 77, u32::MAX - 1, random.bits() as u32][random.index(5)];
        }
        if random.chance(0.2) {
            let any = f32::from_bits(random.bits() as u32);
            field.ground[span] =
                [-0.0, f32::NAN, f32::INFINITY, 1e30, -7.03125, 1e-40, 16_777_217.0, any][random.index(8)];
        }
        let direction = Direction::from_index(random.index(4));
        let link = field.links[span][direction.index()];
        if link != NO_SPAN && random.chance(0.1) {
            field.links[span][direction.index()] = NO_SPAN;
            field.links[link as usize][direction.opposite().index()] = NO_SPAN;
        }
    }
    let frame = GridFrame { origin: Vec3::new(1.5, f32::MIN_POSITIVE, -3e4), ..field.frame };
    field.frame = frame;
    FieldWindow::whole(field)
}

fn random_heightfield(seed: u64) -> Heightfield {
    let mut random = Random::new(seed);
    let frame = GridFrame {
        origin: Vec3::new(-1.0, 2.0, 3e7),
        cell_size: 0.1,
        level_height: 0.3,
        width: random.below(12) + 1,
        depth: random.below(12) + 1,
    };
    let mut heightfield = Heightfield::empty(frame);
    let wild = random.chance(0.3);
    for column in 0..frame.column_count() {
        let mut bottom = if wild { i32::MIN } else { -3 };
        for _ in 0..random.below(5) {
            let mut step =
                || if wild { random.bits() as u32 >> random.below(31) >> 2 } else { random.below(9) } as i32;
            let from = bottom.saturating_add(1 + step());
            let top = from.saturating_add(1 + step());
            if from >= top || from <= bottom {
                break;
            }
            let area = AreaId([0, 1, 1, 255][random.index(4)]);
            let ground_drop = [0, 3, 40, u16::MAX][random.index(4)];
            heightfield.spans.push(Span { bottom: from, top, ground_drop, area, upward: random.chance(0.6) });
            bottom = top;
        }
        heightfield.columns[column + 1] = heightfield.spans.len() as u32;
    }
    heightfield
}

/// Returns damaged bytes: bits flipped, bytes changed, removed or inserted, or the end missing.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.index(bytes.len().max(1));
        // The tables at the beginning matter most.
        let at = if random.chance(0.3) { at % 80 } else { at };
        if at >= bytes.len() {
            continue;
        }
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.bits() as u8,
            2 => bytes[at] = [0, 0xff, 0x7f, 0x80, 0xfe][random.index(5)],
            3 => bytes.truncate(at),
            4 => bytes.insert(at, random.bits() as u8),
            _ => {
                bytes.remove(at);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fields_come_back(seed in any::<u64>(), at in [0_u32..30, 0..30, 0..30, 0..30]) {
        let whole = FieldWindow::whole(fields::random(seed, 24, 19));
        check_field(&whole);
        let strange = strange(seed);
        check_field(&strange);
        for part in [whole, strange] {
            let (width, depth) = (part.window.width, part.window.depth);
            check_field(&part.cut(GridWindow::new(at[0] % width, at[1] % depth, at[2], at[3])));
        }
    }

    #[test]
    fn built_fields_and_heightfields_come_back(seed in any::<u64>(), radius in 0.0_f32..0.7, soup in nasty_soup()) {
        let soup_of_storeys = storeys(seed);
        let heightfield = rasterize(&soup_of_storeys, &VoxelConfig::default(), &mut ()).unwrap();
        check_heightfield(&heightfield);
        check_heightfield(&crop(&heightfield, GridWindow::new(3, 5, 11, 7)));
        let agent = Agent::default().with_radius(radius).with_height(1.0);
        check_field(&FieldWindow::whole(FieldBuilder::new(agent).build_field(&heightfield, &mut ()).unwrap()));
        if soup.bounds().is_valid() {
            check_heightfield(&rasterize(&soup, &VoxelConfig::default(), &mut ()).unwrap());
        }
        check_heightfield(&random_heightfield(seed));
    }

    #[test]
    fn damage_is_an_error_or_does_no_harm(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let field = PackedField::pack(&strange(seed)).unwrap();
        let heightfield = PackedHeightfield::pack(&random_heightfield(seed)).unwrap();
        for _ in 0..40 {
            if let Ok(part) = PackedField::unpack_bytes(&damage(field.as_bytes(), &mut random)) {
                prop_assert!(part.validate().is_ok());
                check_field(&part);
            }
            if let Ok(heightfield) = PackedHeightfield::unpack_bytes(&damage(heightfield.as_bytes(), &mut random)) {
                prop_assert!(heightfield.validate().is_ok());
                check_heightfield(&heightfield);
            }
        }
        let noise: Vec<u8> = (0..random.below(200)).map(|_| random.bits() as u8).collect();
        let with_magic = [&field.as_bytes()[..4], &noise].concat();
        for bytes in [&noise, &with_magic] {
            prop_assert!(PackedField::unpack_bytes(bytes).is_err());
            prop_assert!(PackedHeightfield::unpack_bytes(bytes).is_err());
        }
    }
}

/// Files of this layout exist on disk: a change of these bytes needs a new version.
#[test]
fn the_layout_is_as_documented() {
    let frame = GridFrame {
        origin: Vec3::new(1.0, 0.0, -2.0),
        cell_size: 0.5,
        level_height: 0.25,
        width: 2,
        depth: 2,
    };
    let span = |bottom, top, ground_drop, area, upward| Span {
        bottom,
        top,
        ground_drop,
        area: AreaId(area),
        upward,
    };
    let spans = vec![
        span(0, 1, 4, 1, true),
        span(0, 1, 4, 1, true),
        span(8, 20, 0, 0, false),
        span(1, 2, 200, 1, true),
    ];
    let heightfield = Heightfield { frame, columns: vec![0, 1, 3, 3, 4], spans };
    let packed = PackedHeightfield::pack(&heightfield).unwrap();
    let floats: Vec<u8> =
        [1.0_f32, 0.0, -2.0, 0.5, 0.25].iter().flat_map(|value| value.to_le_bytes()).collect();
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let expected = [
        b"WHF\x01",
        &floats[..],
        &numbers(&[2, 2, 4, 4]),
        // One column of one span, one of two spans, one without spans, one of one span.
        &[1 << 6, 2 << 6, 0, 1 << 6],
        // The first span differs from the initial one in class and drop only; the second equals its
        // neighbour; the third stores all values; the fourth is one level above its mate along z,
        // with its ground five levels lower.
        &[0b1111_0000, 0b0110_0000, 0b0111_1111, 0b1110_0101],
        &[1, 1, 8],
        &[16, 38, 0, 0],
        &[0xc8, 0x02],
    ]
    .concat();
    assert_eq!(packed.as_bytes(), expected);
}

#[test]
fn what_is_not_valid_is_not_packed() {
    let part = FieldWindow::whole(fields::random(1, 9, 9));
    let refused = |change: &dyn Fn(&mut FieldWindow)| {
        let mut part = part.clone();
        change(&mut part);
        let result = PackedField::pack(&part);
        assert!(matches!(result, Err(VoxelError::NotPackable { .. })), "{result:?}");
    };
    let linked = (0..part.field.len()).find(|&span| part.field.links[span][2] != NO_SPAN).unwrap();
    refused(&|part| part.field.links[linked][2] = NO_SPAN);
    refused(&|part| part.field.links[linked][0] = u32::try_from(linked).unwrap());
    refused(&|part| part.field.links[linked][2] = 1_000_000);
    refused(&|part| part.field.frame.width = 8);
    refused(&|part| part.window.width = 8);
    refused(&|part| part.core.x = 1);
    refused(&|part| part.core.x = u32::MAX);
    refused(&|part| part.frame.cell_size = f32::NAN);
    refused(&|part| part.field.span_columns[3] = 7);
    refused(&|part| part.field.columns[3] = 70_000);
    refused(&|part| part.field.area.truncate(3));
    let mut heightfield = random_heightfield(3);
    heightfield.columns[1] = 9999;
    assert!(matches!(PackedHeightfield::pack(&heightfield), Err(VoxelError::BrokenHeightfield { .. })));
    let frame = GridFrame { width: 1, depth: 1, ..part.frame };
    let span = |bottom, top| Span { bottom, top, ground_drop: 0, area: AreaId::NULL, upward: false };
    for spans in [vec![span(0, 0)], vec![span(0, 2), span(2, 3)], vec![span(4, 5), span(0, 1)]] {
        let heightfield = Heightfield { frame, columns: vec![0, u32::try_from(spans.len()).unwrap()], spans };
        assert!(matches!(PackedHeightfield::pack(&heightfield), Err(VoxelError::NotPackable { .. })));
    }
}

/// A few bytes that claim to be a large world are refused.
#[test]
fn a_small_file_cannot_ask_for_much() {
    let huge =
        GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width: u32::MAX, depth: u32::MAX };
    let mut bytes = PackedHeightfield::pack(&Heightfield::empty(GridFrame { width: 1, depth: 1, ..huge }))
        .unwrap()
        .as_bytes()
        .to_vec();
    bytes[24..32].fill(0xff);
    assert!(matches!(
        PackedHeightfield::unpack_bytes(&bytes),
        Err(VoxelError::Damaged { what: "packed heightfield", .. })
    ));
    // The largest possible number of spans, in one column.
    let mut bytes = PackedHeightfield::pack(&Heightfield::empty(GridFrame { width: 1, depth: 1, ..huge }))
        .unwrap()
        .as_bytes()
        .to_vec();
    bytes.truncate(bytes.len() - 1);
    bytes[36..40].fill(0xfe);
    bytes.extend([0xc0, 0xfe, 0xfd, 0xfb, 0xf7, 0x0f]);
    assert!(PackedHeightfield::unpack_bytes(&bytes).is_err());
}

#[test]
fn real_levels_take_few_bytes() {
    for (name, cell) in [("nav_test", 0.3), ("dungeon", 0.1), ("undulating", 0.3)] {
        let Some(path) = scene(&format!("golden/Meshes/{name}.obj")) else { continue };
        let soup: TriangleSoup = read_obj(&path);
        let config = VoxelConfig::default().with_scale(GridScale::new(cell, 0.1));
        let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
        let heightfield = rasterize_in_frame(&soup, &frame, &config, &mut ()).unwrap();
        let bytes = check_heightfield(&heightfield);
        assert!(
            bytes < 4 * heightfield.spans.len(),
            "{name}: {bytes} bytes for {} spans",
            heightfield.spans.len()
        );
        let field = FieldBuilder::default().build_field(&heightfield, &mut ()).unwrap();
        let spans = field.len();
        let bytes = check_field(&FieldWindow::whole(field));
        assert!(bytes < 5 * spans, "{name}: {bytes} bytes for {spans} spans");
    }
}
