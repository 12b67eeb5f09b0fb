//! Detour's tree of boxes (`dtBVNode`), in depth-first order.

/// A box in units of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeBox {
    pub(super) low: [u16; 3],
    pub(super) high: [u16; 3],
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeNode {
    pub(super) bounds: TreeBox,
    /// The number of a box, or the negated number of nodes to skip if the query misses this node.
    pub(super) index: i32,
}

/// Builds a tree over boxes, with twice as many nodes minus one.
pub(super) fn build(boxes: &[TreeBox]) -> Vec<TreeNode> {
    let mut items: Vec<(TreeBox, i32)> = boxes.iter().copied().zip(0..).collect();
    let mut nodes = Vec::with_capacity(2 * boxes.len());
    divide(&mut items, &mut nodes);
    nodes
}

/// Adds the nodes of some boxes. It halves them, so the depth is the logarithm of their number.
fn divide(items: &mut [(TreeBox, i32)], nodes: &mut Vec<TreeNode>) {
    let Some(&(first, index)) = items.first() else { return };
    if items.len() == 1 {
        nodes.push(TreeNode { bounds: first, index });
        return;
    }
    let bounds = items.iter().fold(first, |sum, (item, _)| TreeBox {
        low: [0, 1, 2].map(|axis| sum.low[axis].min(item.low[axis])),
        high: [0, 1, 2].map(|axis| sum.high[axis].max(item.high[axis])),
    });
    let extent = |axis: usize| bounds.high[axis] - bounds.low[axis];
    let longest = [0, 2, 1].into_iter().max_by_key(|&axis| (extent(axis), axis != 1)).unwrap_or(0);
    items.sort_by_key(|(item, index)| (u32::from(item.low[longest]) + u32::from(item.high[longest]), *index));
    let place = nodes.len();
    nodes.push(TreeNode { bounds, index: 0 });
    let (low, high) = items.split_at_mut(items.len() / 2);
    divide(low, nodes);
    divide(high, nodes);
    let skip = i32::try_from(nodes.len() - place).unwrap_or(i32::MAX);
    nodes[place].index = -skip;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_as_detours_finds_the_boxes_that_overlap() {
        let boxes: Vec<TreeBox> = (0..57_u16)
            .map(|index| {
                let low = [index * 791 % 500, index * 31 % 40, index * 104 % 300];
                TreeBox { low, high: low.map(|low| low + index % 13) }
            })
            .collect();
        let nodes = build(&boxes);
        assert_eq!(nodes.len(), 2 * boxes.len() - 1);
        let overlaps = |a: &TreeBox, b: &TreeBox| {
            (0..3).all(|axis| a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis])
        };
        for wanted in &boxes {
            let (mut at, mut found) = (0, Vec::new());
            while let Some(node) = nodes.get(at) {
                let (is_leaf, overlaps) = (node.index >= 0, overlaps(&node.bounds, wanted));
                if is_leaf && overlaps {
                    found.push(usize::try_from(node.index).unwrap());
                }
                at += if overlaps || is_leaf { 1 } else { node.index.unsigned_abs() as usize };
            }
            found.sort_unstable();
            let expected: Vec<usize> =
                (0..boxes.len()).filter(|&index| overlaps(&boxes[index], wanted)).collect();
            assert_eq!(found, expected);
        }
        assert!(build(&[]).is_empty());
    }
}
