//! Colours: a soft palette that distinguishes neighbours.
use waymesh_core::float;

/// An opaque colour, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Colour(pub [u8; 3]);

/// The first colours of the palette, chosen by eye: light enough for dark lines on top,
/// distinguishable with colour blindness.
const PALETTE: [Colour; 10] = [
    Colour([0xa9, 0xcf, 0xe8]),
    Colour([0xf6, 0xd0, 0x9b]),
    Colour([0xb5, 0xdd, 0xb0]),
    Colour([0xe9, 0xb8, 0xc8]),
    Colour([0xcb, 0xc2, 0xe8]),
    Colour([0xf3, 0xe6, 0x9e]),
    Colour([0xa6, 0xdc, 0xd4]),
    Colour([0xec, 0xbf, 0xa9]),
    Colour([0xd3, 0xdf, 0xa5]),
    Colour([0xc4, 0xcd, 0xd6]),
];

/// Turn of the hue between consecutive further colours: the golden angle, which never repeats a
/// hue.
const GOLDEN_TURN: f64 = 0.381_966_011_250_105;

impl Colour {
    /// White.
    pub const WHITE: Self = Self([0xff; 3]);
    /// Near black, for walls and text.
    pub const INK: Self = Self([0x2f, 0x36, 0x40]);
    /// A strong red, for the most important marks.
    pub const RED: Self = Self([0xd6, 0x33, 0x3f]);
    /// A strong blue, which is distinguishable from [`Colour::RED`] with colour blindness.
    pub const BLUE: Self = Self([0x26, 0x4f, 0xd6]);

    /// Returns the soft fill colour number `index`. The palette is unlimited, with decreasing
    /// differences.
    #[must_use]
    pub fn soft(index: usize) -> Self {
        if let Some(colour) = PALETTE.get(index) {
            return *colour;
        }
        // Differences are invisible beyond 2^32 colours.
        let index = f64::from(u32::try_from(index).unwrap_or(u32::MAX));
        let lightness = 0.79 + 0.04 * float::sin(index * 0.7);
        Self::from_hsl((0.55 + index * GOLDEN_TURN).fract(), 0.48, lightness)
    }

    /// Returns the colour of a value from 0 to 1 on a scale from dark blue over green to light
    /// yellow, whose lightness ascends evenly. Values outside count as the nearest end, NaN as 0.
    #[must_use]
    pub fn scale(value: f64) -> Self {
        const STOPS: [[u8; 3]; 5] = [
            [0x35, 0x3e, 0x6b],
            [0x2f, 0x6f, 0x8e],
            [0x35, 0x9e, 0x87],
            [0x8c, 0xc8, 0x6a],
            [0xf6, 0xec, 0x8f],
        ];
        let at = value.clamp(0.0, 1.0).max(0.0) * 4.0;
        for stop in 0..4 {
            let from = f64::from(u8::try_from(stop).unwrap_or(0));
            if at <= from + 1.0 {
                return Self(STOPS[stop]).mixed(Self(STOPS[stop + 1]), at - from);
            }
        }
        Self(STOPS[4])
    }

    /// Returns the mixture of two colours: this one at 0, the other at 1.
    #[must_use]
    pub fn mixed(self, other: Self, amount: f64) -> Self {
        let mix = |a: u8, b: u8| byte(f64::from(a) + (f64::from(b) - f64::from(a)) * amount);
        Self([mix(self.0[0], other.0[0]), mix(self.0[1], other.0[1]), mix(self.0[2], other.0[2])])
    }

    fn from_hsl(hue: f64, saturation: f64, lightness: f64) -> Self {
        let strength = saturation * lightness.min(1.0 - lightness);
        // The usual closed form: each channel is the hue's distance to its own sixth of the circle.
        Self([0.0, 8.0, 4.0].map(|sixth| {
            let turn = (sixth + hue * 12.0) % 12.0;
            byte(255.0 * (lightness - strength * (turn - 3.0).min(9.0 - turn).clamp(-1.0, 1.0)))
        }))
    }

    /// Returns the colour as linear light with full opacity, as glTF stores vertex colours.
    pub(crate) fn linear(self) -> [u8; 4] {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            // The sRGB transfer function, IEC 61966-2-1.
            byte(
                255.0
                    * if value <= 0.04045 {
                        value / 12.92
                    } else {
                        float::powf((value + 0.055) / 1.055, 2.4)
                    },
            )
        };
        let [red, green, blue] = self.0.map(linear);
        [red, green, blue, 0xff]
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(formatter, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, as meant")]
fn byte(value: f64) -> u8 {
    value.round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_colours_differ_and_are_light() {
        let mut colours: Vec<_> = (0..200).map(Colour::soft).collect();
        assert!(colours.iter().all(|colour| colour.0.iter().map(|&c| u32::from(c)).sum::<u32>() > 450));
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() > 190);
    }

    #[test]
    fn the_scale_has_its_ends_and_takes_any_value() {
        assert_eq!(Colour::scale(0.0), Colour::scale(-3.0));
        assert_eq!(Colour::scale(0.0), Colour::scale(f64::NAN));
        assert_eq!(Colour::scale(1.0), Colour::scale(f64::INFINITY));
        assert_eq!(Colour::scale(0.25).to_string(), "#2f6f8e");
    }

    #[test]
    fn black_and_white_stay_so_in_linear_light() {
        assert_eq!(Colour([0; 3]).linear(), [0, 0, 0, 255]);
        assert_eq!(Colour::WHITE.linear(), [255; 4]);
    }
}
