//! Flights between border edges that do not face each other: past corners and at an angle.

use glam::Vec3;
use waymesh_core::saturating_u32;
use waymesh_graph::{AnyPolygon, LinkKind, Reach};

use super::{Border, Candidate, Finder, Flight, Room, is_beside};

/// Flights from one edge to another that are tried.
const TRIES: usize = 3;

/// The place of a border nearest in plan to another place.
fn closest(border: &Border, to: Vec3) -> Vec3 {
    let [a, b] = border.ends;
    let along = (b - a).with_y(0.0);
    a.lerp(b, ((to - a).dot(along) / along.length_squared()).clamp(0.0, 1.0))
}

impl<R: Room> Finder<'_, R> {
    /// Appends the shortest flight from a border to each nearby border, unless a flight between the
    /// same two polygons was found nearby. Those flights are in `out` from `first` on.
    pub(super) fn search_aslant(&mut self, border: &Border, first: usize, out: &mut Vec<Candidate>) {
        let [a, b] = border.ends;
        let (reach, config) = (self.config.reach(), self.config);
        let low = a.min(b) - Vec3::new(reach, config.max_drop.max(config.max_rise), reach);
        let high = a.max(b) + Vec3::new(reach, config.max_rise, reach);
        let mut near = std::mem::take(&mut self.near);
        self.mesh.polygons_in_box(low, high, &AnyPolygon, &mut near);
        let mut found = Vec::new();
        for &polygon in near.iter().filter(|&&polygon| polygon != border.polygon) {
            for other in self.borders(polygon) {
                self.flights(border, &other, &mut found);
            }
        }
        self.near = near;
        // Numbers of polygons are others in a mesh of tiles.
        found.sort_by(|(one, _), (other, _)| {
            let places = |flight: &Flight| flight.ends.map(|end| [end.x, end.z, end.y]);
            let [one_places, other_places] = [places(one), places(other)];
            let pairs = one_places.as_flattened().iter().zip(other_places.as_flattened());
            pairs.fold(one.length.total_cmp(&other.length), |order, (one, other)| {
                order.then_with(|| one.total_cmp(other))
            })
        });
        for (flight, other) in &found {
            out.extend(self.aslant(border, other, flight, &out[first..]));
        }
    }

    /// Adds the shortest flights between two borders, out of one and into the other.
    fn flights(&self, border: &Border, other: &Border, found: &mut Vec<(Flight, Border)>) {
        let places = border.places(self.config.spacing / 2.0).chain(border.ends);
        let there = places.map(|from| [from, closest(other, from)]);
        let back = other.ends.into_iter().map(|to| [closest(border, to), to]);
        let mut flights: Vec<Flight> = there
            .chain(back)
            .map(|[from, to]| Flight::new(from, to))
            .filter(|flight| {
                let [from, to] = flight.ends;
                let is_outward = (to - from).dot(border.out_of) > 0.0 && (to - from).dot(other.out_of) < 0.0;
                is_outward && (self.may_jump(flight) || self.may_drop(flight))
            })
            .collect();
        flights.sort_by(|one, other| one.length.total_cmp(&other.length));
        flights.truncate(TRIES);
        found.extend(flights.into_iter().map(|flight| (flight, *other)));
    }

    /// A flight between places that the agent can stand on, if nothing is in the way.
    fn aslant(
        &self,
        border: &Border,
        other: &Border,
        flight: &Flight,
        before: &[Candidate],
    ) -> Option<Candidate> {
        let size = self.mesh.frame().cell_size;
        let from = self.stand(border.polygon, flight.ends[0], -border.out_of * size)?;
        let to = self.stand(other.polygon, flight.ends[1], -other.out_of * size)?;
        let flight = Flight::new(self.position(&from), self.position(&to));
        let kind = if self.may_drop(&flight) { LinkKind::Drop } else { LinkKind::Jump };
        let Flight { ends, length, .. } = flight;
        let candidate = Candidate { from, to, ends, kind, length, is_aslant: true };
        let is_found = before
            .iter()
            .any(|found| found.to.polygon == to.polygon && is_beside(&candidate, found, self.config.spacing));
        let may_fly = kind == LinkKind::Drop || self.may_jump(&flight);
        let leads = !is_found && may_fly && !self.is_over_ground(&flight, kind);
        (leads && self.is_clear(&flight, kind)).then_some(candidate)
    }

    /// `true` if there is ground at about the height of the start below a jump, or any to land on below
    /// a drop. Near the ends it is that of the ends.
    fn is_over_ground(&self, flight: &Flight, kind: LinkKind) -> bool {
        let ([start, end], size, step) = (flight.ends, self.mesh.frame().cell_size, self.agent.max_step);
        let up = step.min(self.config.max_rise);
        let down = if kind == LinkKind::Drop { self.config.max_drop } else { up };
        let ends = (3.0 * size).min(flight.length / 2.0);
        let cells = saturating_u32(((flight.length - 2.0 * ends) / size).ceil().clamp(0.0, 65_535.0));
        (0..=cells).any(|cell| {
            let at = ends + (flight.length - 2.0 * ends) * cell as f32 / cells.max(1) as f32;
            let place = start.lerp(end, at / flight.length).with_y(start.y);
            self.mesh.nearest(place, &Reach::new(0.0, up, down)).is_some()
        })
    }
}
