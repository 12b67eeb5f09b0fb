//! Names, costs and colours of areas.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::{AreaId, BadField, HeadRooms};

/// An area with its name, cost and colour.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Area {
    /// Name of the area, 1 to 255 bytes.
    pub name: String,
    /// Cost of a metre relative to plain ground: finite, at least 0. Default 1.
    pub cost: f32,
    /// Red, green and blue in pictures. Default: the picture chooses a colour.
    pub colour: Option<[u8; 3]>,
}

impl Area {
    /// Returns an area with a cost of 1 per metre.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), cost: 1.0, colour: None }
    }
}

crate::setters! {
    impl Area {
        with_cost(cost: f32);
        with_colour(colour: Some([u8; 3]));
    }
}

/// The reason why an area cannot be added to a table.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AreaError {
    /// A name that is empty or too long.
    #[error("the name of an area has 1 to 255 bytes, {name:?} has {}", name.len())]
    BadName {
        /// The name.
        name: String,
    },
    /// Two areas have the same name.
    #[error("there are two areas named {name:?}")]
    SameName {
        /// The name.
        name: String,
    },
    /// [`AreaId::NULL`] cannot have a name, because it is not ground.
    #[error("area 0 is not walkable and has no name")]
    Null,
    /// All ids are in use.
    #[error("there can be at most 254 areas besides plain ground")]
    Full,
    /// A cost is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A text does not name an area.
    #[error("{text:?} is not NAME, NAME:COST or blocked")]
    Malformed {
        /// The text.
        text: String,
    },
    /// An area was given two different costs.
    #[error("{text:?} gives the area another cost than before")]
    OtherCost {
        /// The text.
        text: String,
    },
}

/// Names, costs and colours of areas, and the headroom classes of the ground. Areas without a name
/// are absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts", into = "Parts"))]
pub struct AreaTable {
    areas: BTreeMap<AreaId, Area>,
    rooms: HeadRooms,
}

/// The form of an [`AreaTable`] in the formats of serde.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Parts {
    areas: BTreeMap<AreaId, Area>,
    #[serde(default)]
    height_classes: Vec<f32>,
}

#[cfg(feature = "serde")]
impl From<AreaTable> for Parts {
    fn from(table: AreaTable) -> Self {
        Self { height_classes: table.rooms.heights().to_vec(), areas: table.areas }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for AreaTable {
    type Error = AreaError;

    fn try_from(parts: Parts) -> Result<Self, AreaError> {
        let mut table = Self::default().with_head_rooms(HeadRooms::new(&parts.height_classes)?);
        parts.areas.into_iter().try_for_each(|(id, area)| table.insert(id, area))?;
        Ok(table)
    }
}

impl AreaTable {
    /// Adds or replaces an area.
    ///
    /// # Errors
    /// For [`AreaId::NULL`], a name that another area has or that is empty or too long, and a cost
    /// that is not finite or negative. The table is then unchanged.
    pub fn insert(&mut self, id: AreaId, area: Area) -> Result<(), AreaError> {
        if !id.is_walkable() {
            return Err(AreaError::Null);
        }
        if !(1..=255).contains(&area.name.len()) {
            return Err(AreaError::BadName { name: area.name });
        }
        if self.by_name(&area.name).is_some_and(|other| other != id) {
            return Err(AreaError::SameName { name: area.name });
        }
        BadField::unless(
            area.cost.is_finite() && area.cost >= 0.0,
            "cost",
            area.cost,
            "finite and 0 or more",
        )?;
        self.areas.insert(id, area);
        Ok(())
    }

    /// Adds an area with the lowest free id from 2 on, and returns the id.
    ///
    /// # Errors
    /// See [`AreaTable::insert`]; [`AreaError::Full`] if no id is free.
    pub fn add(&mut self, area: Area) -> Result<AreaId, AreaError> {
        let id = (2..=u8::MAX).map(AreaId).find(|id| !self.areas.contains_key(id)).ok_or(AreaError::Full)?;
        self.insert(id, area)?;
        Ok(id)
    }

    /// Returns the area that a text names: `NAME`, `NAME:COST`, or `blocked` for [`AreaId::NULL`].
    /// Adds an unknown area, with a cost of 1 if the text has none; `ground` is [`AreaId::GROUND`].
    ///
    /// # Errors
    /// [`AreaError::Malformed`] for any other text, [`AreaError::OtherCost`] if the area already
    /// has another cost, and the errors of [`AreaTable::add`].
    pub fn named(&mut self, text: &str) -> Result<AreaId, AreaError> {
        let malformed = || AreaError::Malformed { text: text.to_owned() };
        let (name, cost) = match text.rsplit_once(':') {
            Some((name, cost)) => (name, Some(cost.trim().parse::<f32>().map_err(|_| malformed())?)),
            None => (text, None),
        };
        let name = match name.trim() {
            "" => return Err(malformed()),
            "blocked" if cost.is_some() => return Err(malformed()),
            "blocked" => return Ok(AreaId::NULL),
            name => name,
        };
        let known = self.iter().find(|(_, area)| area.name == name);
        if let (Some((_, area)), Some(cost)) = (known, cost)
            && area.cost.to_bits() != cost.to_bits()
        {
            return Err(AreaError::OtherCost { text: text.to_owned() });
        }
        match known {
            Some((id, _)) => Ok(id),
            None => self.add_named(Area::new(name).with_cost(cost.unwrap_or(1.0))),
        }
    }

    /// Adds an area like [`AreaTable::add`], except that `ground` gets [`AreaId::GROUND`].
    ///
    /// # Errors
    /// See [`AreaTable::add`].
    pub fn add_named(&mut self, area: Area) -> Result<AreaId, AreaError> {
        if area.name != "ground" {
            return self.add(area);
        }
        self.insert(AreaId::GROUND, area)?;
        Ok(AreaId::GROUND)
    }

    /// Returns the area with this id.
    #[must_use]
    pub fn get(&self, id: AreaId) -> Option<&Area> {
        self.areas.get(&id)
    }

    /// Returns the id of the area with this name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<AreaId> {
        self.iter().find(|(_, area)| area.name == name).map(|(id, _)| id)
    }

    /// Returns all areas in ascending order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (AreaId, &Area)> {
        self.areas.iter().map(|(&id, area)| (id, area))
    }

    /// Returns `true` if no area has a name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.areas.is_empty()
    }

    /// Returns the headroom classes.
    #[must_use]
    pub fn head_rooms(&self) -> &HeadRooms {
        &self.rooms
    }

    /// Sets the headroom classes.
    #[must_use]
    pub fn with_head_rooms(mut self, rooms: HeadRooms) -> Self {
        self.rooms = rooms;
        self
    }

    /// Returns the table as bytes: for each area its id, the length of its name, 1 if it has a
    /// colour, red, green, blue (one byte each), the cost (`f32`, little-endian) and the name
    /// (UTF-8). Headroom classes come first: 0, their number (one byte each) and their heights
    /// (`f32`).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(count @ 1..) = u8::try_from(self.rooms.heights().len()) {
            bytes.extend([AreaId::NULL.0, count]);
            bytes.extend(self.rooms.heights().iter().flat_map(|height| height.to_le_bytes()));
        }
        for (id, area) in self.iter() {
            let [red, green, blue] = area.colour.unwrap_or_default();
            let length = u8::try_from(area.name.len()).unwrap_or(u8::MAX);
            bytes.extend([id.0, length, u8::from(area.colour.is_some()), red, green, blue]);
            bytes.extend(area.cost.to_le_bytes());
            bytes.extend(area.name.as_bytes());
        }
        bytes
    }

    /// Reads the bytes of [`AreaTable::to_bytes`]. Returns `None` for any other bytes.
    #[must_use]
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut table = Self::default();
        if let [0, count, rest @ ..] = bytes {
            let (heights, rest) = rest.split_at_checked(4 * usize::from(*count))?;
            let heights: Vec<f32> =
                heights.as_chunks::<4>().0.iter().map(|&height| f32::from_le_bytes(height)).collect();
            table.rooms = HeadRooms::new(&heights).ok().filter(|rooms| !rooms.is_empty())?;
            bytes = rest;
        }
        while !bytes.is_empty() {
            let (&[id, length, has_colour, red, green, blue], rest) = bytes.split_first_chunk()?;
            let (&cost, rest) = rest.split_first_chunk()?;
            let (name, rest) = rest.split_at_checked(usize::from(length))?;
            bytes = rest;
            let mut area = Area::new(str::from_utf8(name).ok()?).with_cost(f32::from_le_bytes(cost));
            area.colour = (has_colour == 1).then_some([red, green, blue]);
            if table.get(AreaId(id)).is_some() {
                return None;
            }
            table.insert(AreaId(id), area).ok()?;
        }
        Some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_back_from_its_bytes() {
        let mut table = AreaTable::default();
        let river = table.add(Area::new("river").with_cost(5.0).with_colour([1, 2, 3])).unwrap();
        table.insert(AreaId::GROUND, Area::new("grass")).unwrap();
        assert_eq!((river, table.by_name("grass")), (AreaId(2), Some(AreaId::GROUND)));
        let bytes = table.to_bytes();
        assert_eq!(AreaTable::from_bytes(&bytes), Some(table));
        for end in 1..bytes.len() {
            assert!(end == 15 || AreaTable::from_bytes(&bytes[..end]).is_none(), "{end} bytes");
        }
        assert_eq!(AreaTable::from_bytes(&[bytes.clone(), bytes].concat()), None);
    }

    #[test]
    fn a_table_keeps_classes_of_head_room() {
        for name in [None, Some("mud")] {
            let mut table = AreaTable::default().with_head_rooms(HeadRooms::new(&[0.9, 1.8]).unwrap());
            if let Some(name) = name {
                table.add(Area::new(name)).unwrap();
            }
            let bytes = table.to_bytes();
            assert_eq!(AreaTable::from_bytes(&bytes), Some(table));
            assert_eq!(AreaTable::from_bytes(&bytes[..9]), None);
            assert_eq!(AreaTable::from_bytes(&[bytes.clone(), bytes].concat()), None);
        }
    }

    #[test]
    fn what_cannot_be_an_area_is_refused() {
        let mut table = AreaTable::default();
        assert_eq!(table.insert(AreaId::NULL, Area::new("a")), Err(AreaError::Null));
        assert!(matches!(table.add(Area::new("")), Err(AreaError::BadName { .. })));
        assert!(matches!(table.add(Area::new("x".repeat(256))), Err(AreaError::BadName { .. })));
        for cost in [-1.0, f32::NAN, f32::INFINITY] {
            assert!(
                matches!(table.add(Area::new("a").with_cost(cost)), Err(AreaError::BadField(_))),
                "{cost}"
            );
        }
        for number in 0..254 {
            table.add(Area::new(number.to_string())).unwrap();
        }
        assert_eq!(table.add(Area::new("more")), Err(AreaError::Full));
        let again = table.insert(AreaId::GROUND, Area::new("7"));
        assert_eq!(again, Err(AreaError::SameName { name: "7".into() }));
    }
}
