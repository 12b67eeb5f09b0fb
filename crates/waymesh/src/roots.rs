//! Vertices of several meshes that are one where the meshes meet.

/// A count or index in 32 bits; meshes with more are refused elsewhere.
pub(crate) fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Which vertices are one: each leads to the lowest of those that it is one with.
#[derive(Debug)]
pub(crate) struct Roots(Vec<u32>);

impl Roots {
    /// As many vertices, each by itself.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..number(count)).collect())
    }

    /// One more vertex, by itself.
    pub(crate) fn push(&mut self) -> u32 {
        let vertex = number(self.0.len());
        self.0.push(vertex);
        vertex
    }

    /// The lowest vertex that this one is one with.
    pub(crate) fn find(&mut self, mut vertex: u32) -> u32 {
        while self.0[vertex as usize] != vertex {
            let above = self.0[self.0[vertex as usize] as usize];
            self.0[vertex as usize] = above;
            vertex = above;
        }
        vertex
    }

    /// Makes two vertices one.
    pub(crate) fn unite(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}
