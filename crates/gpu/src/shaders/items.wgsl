// Returns the triangle of an item: the last one whose first item is not after it.
fn triangle_of(item: u32) -> u32 {
    var low = 0u;
    var high = settings.triangles;
    while high - low > 1u {
        let middle = low + (high - low) / 2u;
        if first_item_of(middle) <= item {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
