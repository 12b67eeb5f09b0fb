// Floors of rough columns: keys of the ends of each, with slack, and of ground beside it that can
// close a crack in it.

// The area that is no ground: the larger key counts.
const NULL_AREA = 255u;

// The highest floor of a column that has room for a height.
fn floor_at(column: Column, key: u32) -> u32 {
    for (var floor = column.count; floor > 0u; floor--) {
        let range = floors[column.sheet + floor - 1u];
        if range.x <= key && key <= range.y {
            return floor - 1u;
        }
    }
    return NO_FLOOR;
}

// The step of a height: heights of one step count as equal.
fn step_of(bits: u32) -> Double {
    return rounded_away(of_single(single_of(divided(of_single(bits), HEIGHT_SLACK))));
}
