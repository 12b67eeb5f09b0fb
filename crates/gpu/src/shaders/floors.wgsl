// Floors of rough columns: keys of the ends of each, with slack, and of adjacent ground that can
// close a crack in it.

// Key of the area without ground: the larger key is used.
const NULL_AREA = 255u;

// Returns the highest floor of a column that contains a height.
fn floor_at(column: Column, key: u32) -> u32 {
    for (var floor = column.count; floor > 0u; floor--) {
        let range = floors[column.sheet + floor - 1u];
        if range.x <= key && key <= range.y {
            return floor - 1u;
        }
    }
    return NO_FLOOR;
}

// Returns the step of a height: heights of one step count as equal.
fn step_of(bits: u32) -> Double {
    return rounded_away(of_single(single_of(divided(of_single(bits), HEIGHT_SLACK))));
}
