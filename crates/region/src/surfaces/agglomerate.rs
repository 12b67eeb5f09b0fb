//! Agglomeration of pieces to sheets that are as large as possible.

#![expect(clippy::cast_possible_truncation, reason = "numbers of pieces, which fit 32 bits")]

use waymesh_core::{DisjointSets, checkpoint, checkpoint_every};

use super::BLOCK_CELLS;
use super::dissolve::dissolve_sheets;
use super::graph::{Edge, PieceGraph, sum_edges};
use super::improve::shorten_seams;
use super::sheets::Sheets;
use crate::stacks::Occupied;

/// Divisor of the side of a square that gives the minimum length of a long contact: in a square of
/// the grid, only contacts of at least this length are joined, and shorter ones wait. Two floors
/// that fill the halves of a square have a contact of half its side or more.
const LONG_CONTACT: u32 = 3;

/// Largest number of rounds in which seams are shortened and sheets joined again.
const ROUNDS: u32 = 4;

/// Returns the sheet of every piece, named after one of its pieces. Sheets are connected, contain
/// no conflicting pieces, and no two touching sheets could be joined.
pub(super) fn join_pieces(graph: &PieceGraph) -> Vec<u32> {
    let count = graph.blocks.len();
    let mut surfaces = DisjointSets::new(count);
    for edge in &graph.edges {
        surfaces.unite(edge.one, edge.two);
    }
    // A connected surface without a conflict is a single sheet.
    let mut is_tangled = vec![false; count];
    graph.stacks.torn(count, |piece| surfaces.find(piece), |surface| is_tangled[surface as usize] = true);
    let mut tangled = Vec::new();
    let mut place = vec![u32::MAX; count];
    for piece in 0..count as u32 {
        if is_tangled[surfaces.find(piece) as usize] {
            place[piece as usize] = tangled.len() as u32;
            tangled.push(piece);
        }
    }
    let mut result: Vec<u32> = (0..count as u32).map(|piece| surfaces.find(piece)).collect();
    let at = |piece: u32| place[piece as usize];
    let part = PieceGraph {
        blocks: tangled.iter().map(|&piece| graph.blocks[piece as usize]).collect(),
        edges: graph
            .edges
            .iter()
            .filter(|edge| at(edge.one) != u32::MAX)
            .map(|edge| Edge { one: at(edge.one), two: at(edge.two), links: edge.links })
            .collect(),
        stacks: graph.stacks.regrouped(|piece| (at(piece) != u32::MAX).then_some(0), at),
    };
    for (&piece, sheet) in tangled.iter().zip(untangle(&part)) {
        result[piece as usize] = tangled[sheet as usize];
    }
    result
}

fn untangle(graph: &PieceGraph) -> Vec<u32> {
    improve(graph, join_squares_first(graph))
}

fn improve(graph: &PieceGraph, mut sheets: Vec<u32>) -> Vec<u32> {
    let beside = graph.neighbours();
    for _ in 0..ROUNDS {
        let mut occupied = Occupied::by(sheets.iter().copied(), &graph.stacks);
        let gained = shorten_seams(graph, &beside, &mut occupied, &mut sheets);
        let gone = dissolve_sheets(graph, &beside, &mut occupied, &mut sheets);
        if gained == 0 && gone == 0 {
            break;
        }
        sheets = join_sheets(graph, &sheets);
    }
    sheets
}

/// Returns the lowest level at which two blocks lie in one square: 0 for the same block, 1 for the
/// same two by two blocks, and so on.
fn level(one: [u32; 2], two: [u32; 2]) -> u32 {
    u32::BITS - ((one[0] ^ two[0]) | (one[1] ^ two[1])).leading_zeros()
}

/// Number of levels of squares in which whole sheets are joined at once.
const WHOLE_LEVELS: u32 = 3;

/// Joins pieces like [`join_by_squares`], but first joins the pieces that become one sheet in a
/// small square, in any order. These are most pieces of every storey. Contacts of equal length may
/// be joined in another order.
fn join_squares_first(graph: &PieceGraph) -> Vec<u32> {
    let mut names: Vec<u32> = (0..graph.blocks.len() as u32).collect();
    let mut smaller = None;
    for square in 1..=WHOLE_LEVELS {
        let (next, places) = join_whole(smaller.as_ref().unwrap_or(graph), square);
        names.iter_mut().for_each(|name| *name = places[*name as usize]);
        smaller = Some(next);
    }
    let sheets = join_by_squares(smaller.as_ref().unwrap_or(graph));
    // A sheet is named after one of its pieces.
    let mut first = vec![u32::MAX; sheets.len()];
    for (piece, name) in (0_u32..).zip(&mut names) {
        let sheet = sheets[*name as usize];
        let first = &mut first[sheet as usize];
        *first = (*first).min(piece);
        *name = *first;
    }
    names
}

/// Contracts each connected group in a square of this level to one piece, if the group has no
/// conflict and all its contacts are of this level and long for it. [`join_by_squares`] would join
/// the group in any order. Also returns the new number of each piece.
fn join_whole(graph: &PieceGraph, square: u32) -> (PieceGraph, Vec<u32>) {
    let count = graph.blocks.len();
    let level_of = |one: u32, two: u32| level(graph.blocks[one as usize], graph.blocks[two as usize]);
    let mut sets = DisjointSets::new(count);
    let (mut short, mut is_whole) = (Vec::new(), vec![true; count]);
    for edge in &graph.edges {
        let level = level_of(edge.one, edge.two);
        if level <= square {
            sets.unite(edge.one, edge.two);
            if level < square || edge.links < least_contact(square) {
                short.push(edge.one);
            }
        }
    }
    for piece in short {
        is_whole[sets.find(piece) as usize] = false;
    }
    graph.stacks.torn(count, |piece| sets.find(piece), |set| is_whole[set as usize] = false);
    // In the order of first pieces, because names are compared.
    let mut blocks = Vec::new();
    let mut places: Vec<u32> = Vec::with_capacity(count);
    for piece in 0..count as u32 {
        let set = sets.find(piece);
        if set != piece && is_whole[set as usize] {
            places.push(places[set as usize]);
        } else {
            places.push(blocks.len() as u32);
            blocks.push(graph.blocks[piece as usize]);
        }
    }
    let pair = |one: u32, two: u32| {
        let (one, two) = (places[one as usize], places[two as usize]);
        (one.min(two), one.max(two))
    };
    let edges = graph.edges.iter().map(|edge| (pair(edge.one, edge.two), edge.links));
    let edges = edges.filter(|((one, two), _)| one != two);
    let mut edges: Vec<Edge> = edges.map(|((one, two), links)| Edge { one, two, links }).collect();
    sum_edges(&mut edges);
    let stacks = graph.stacks.regrouped(|_| Some(0), |piece| places[piece as usize]);
    (PieceGraph { blocks, edges, stacks }, places)
}

/// Returns the minimum number of links of a long contact in a square of this level.
fn least_contact(square: u32) -> u32 {
    u32::try_from((u64::from(BLOCK_CELLS) << square) / u64::from(LONG_CONTACT)).unwrap_or(u32::MAX)
}

fn join_by_squares(graph: &PieceGraph) -> Vec<u32> {
    let count = graph.blocks.len();
    let mut sheets = Sheets::new(graph, |piece| piece);
    let level_of = |one: u32, two: u32| level(graph.blocks[one as usize], graph.blocks[two as usize]);
    let mut by_level: Vec<Vec<u32>> = vec![Vec::new(); u32::BITS as usize + 1];
    for (number, edge) in (0_u32..).zip(&graph.edges) {
        by_level[level_of(edge.one, edge.two) as usize].push(number);
    }
    let propose = |sheets: &mut Sheets, edges: &mut dyn Iterator<Item = u32>, least: u32| {
        for (index, number) in edges.enumerate() {
            checkpoint_every(1 << 14, index);
            let edge = &graph.edges[number as usize];
            let (one, two) = (sheets.find(edge.one), sheets.find(edge.two));
            sheets.propose(one, two, least);
        }
    };
    for (square, edges) in (0_u32..).zip(by_level).filter(|(_, edges)| !edges.is_empty()) {
        checkpoint();
        let least = least_contact(square);
        propose(&mut sheets, &mut edges.into_iter(), least);
        // A sheet lies in one square of the previous level, so any of its blocks identifies the
        // square.
        sheets.join_proposed(|links, one, two| links >= least && level_of(one, two) <= square);
    }
    propose(&mut sheets, &mut (0..graph.edges.len() as u32), 1);
    sheets.join_proposed(|_, _, _| true);
    (0..count as u32).map(|piece| sheets.find(piece)).collect()
}

/// Joins whole sheets until no more can be joined. Parts of a sheet that are not connected count as
/// separate sheets.
fn join_sheets(graph: &PieceGraph, sheets: &[u32]) -> Vec<u32> {
    let count = graph.blocks.len();
    let mut parts = DisjointSets::new(count);
    for edge in &graph.edges {
        if sheets[edge.one as usize] == sheets[edge.two as usize] {
            parts.unite(edge.one, edge.two);
        }
    }
    let mut joined = Sheets::new(graph, |piece| parts.find(piece));
    for edge in &graph.edges {
        joined.propose(parts.find(edge.one), parts.find(edge.two), 1);
    }
    joined.join_proposed(|_, _, _| true);
    (0..count as u32).map(|piece| joined.lowest(parts.find(piece))).collect()
}

#[cfg(test)]
mod tests {
    use waymesh_core::Random;

    use super::*;
    use crate::stacks::Stacks;

    /// Storeys over a grid of blocks, mostly whole, with irregular contacts and conflicts in some
    /// places.
    fn storeys(random: &mut Random) -> PieceGraph {
        let (side, most) = (4 + random.below(12), 1 + random.below(4));
        let flaws = random.below(12);
        let mut blocks = Vec::new();
        // First piece of each block.
        let mut starts = vec![0];
        for block in 0..side * side {
            let count = if random.below(100) < flaws { random.below(most + 1) } else { most };
            blocks.extend((0..count).map(|_| [block % side, block / side]));
            starts.push(blocks.len() as u32);
        }
        let (mut edges, mut stacks) = (Vec::new(), Stacks::default());
        let mut conflict = |one: u32, two: u32| stacks.push([[one; 2], [two; 2]].into_iter());
        let pieces = |block: u32| starts[block as usize]..starts[block as usize + 1];
        for block in 0..side * side {
            let own = pieces(block);
            own.clone().for_each(|one| (one + 1..own.end).for_each(|two| conflict(one, two)));
            let beside = [(block % side + 1 < side).then_some(block + 1), Some(block + side)];
            for there in beside.into_iter().flatten().filter(|&there| there < side * side) {
                for (storey, one) in (0..).zip(own.clone()) {
                    for (other, two) in (0..).zip(pieces(there)) {
                        let is_flawed = random.below(100) < flaws;
                        match (storey == other, is_flawed, random.below(3)) {
                            (true, false, _) => edges.push(Edge { one, two, links: BLOCK_CELLS }),
                            (_, true, 0) => edges.push(Edge { one, two, links: 1 + random.below(15) }),
                            (true, true, 1) => {}
                            _ => conflict(one, two),
                        }
                    }
                }
            }
        }
        PieceGraph { blocks, edges, stacks }
    }

    /// Checks the guarantees of sheets, then returns the number of sheets and of links over seams.
    fn measure(graph: &PieceGraph, sheets: &[u32]) -> [u32; 2] {
        let of = |piece: u32| sheets[piece as usize];
        let mut parts = DisjointSets::new(sheets.len());
        let (mut seams, mut touching) = (0, Vec::new());
        for edge in &graph.edges {
            if of(edge.one) == of(edge.two) {
                parts.unite(edge.one, edge.two);
            } else {
                seams += edge.links;
                touching.push((of(edge.one).min(of(edge.two)), of(edge.one).max(of(edge.two))));
            }
        }
        let rivals: std::collections::HashSet<(u32, u32)> =
            graph.stacks.pairs().map(|(one, two)| (of(one).min(of(two)), of(one).max(of(two)))).collect();
        assert!(rivals.iter().all(|(one, two)| one != two), "a sheet over itself");
        assert!(touching.iter().all(|pair| rivals.contains(pair)), "two sheets that could be one");
        let count = (0..sheets.len() as u32).filter(|&piece| parts.find(piece) == piece).count();
        let names: std::collections::HashSet<u32> = sheets.iter().copied().collect();
        assert_eq!(count, names.len(), "a sheet in pieces");
        assert!(names.iter().all(|&name| of(name) == name), "a sheet named after a piece of another");
        [count as u32, seams]
    }

    #[test]
    fn joining_whole_squares_first_is_no_worse_than_weighing_all() {
        let mut random = Random::new(21);
        let (mut found, mut weighed) = ([0; 2], [0; 2]);
        for _ in 0..120 {
            let graph = storeys(&mut random);
            let sheets = join_squares_first(&graph);
            for (sum, sheets) in [(&mut found, sheets), (&mut weighed, join_by_squares(&graph))] {
                measure(&graph, &sheets);
                let [count, seams] = measure(&graph, &improve(&graph, sheets));
                *sum = [sum[0] + count, sum[1] + seams];
            }
        }
        assert!(found[0] > 500, "{found:?}: nothing had to be cut");
        for (found, weighed) in found.into_iter().zip(weighed) {
            assert!(found * 100 <= weighed * 101, "{found} and {weighed}");
        }
    }
}
