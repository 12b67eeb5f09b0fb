// Single precision on top of double precision: a sum or a quotient of single precision is that of
// double precision, rounded again, to the last bit (Figueroa 1995, When is double rounding
// innocuous?). Zero is never negative.

// Returns the unsigned key of a number; no key is 0.
fn key_of(bits: u32) -> u32 {
    return select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
}

fn bits_of(key: u32) -> u32 {
    return select(~key, key & 0x7fffffffu, (key >> 31u) != 0u);
}

fn single_of(a: Double) -> u32 {
    let sign = a.y & 0x80000000u;
    let exponent = i32((a.y >> 20u) & 0x7ffu) - 896;
    if exponent == -896 {
        return 0u;
    }
    if exponent >= 255 {
        return sign | 0x7f800000u;
    }
    let high = (a.y & 0xfffffu) | 0x100000u;
    // Bits to lose: 29, and more for a subnormal number.
    let lost = u32(29 + max(1 - exponent, 0));
    if lost >= 54u {
        return 0u;
    }
    var whole = 0u;
    var half = 0u;
    var below = 0u;
    if lost < 32u {
        whole = (high << (32u - lost)) | (a.x >> lost);
        half = (a.x >> (lost - 1u)) & 1u;
        below = a.x << (33u - lost);
    } else if lost == 32u {
        whole = high;
        half = a.x >> 31u;
        below = a.x << 1u;
    } else {
        let by = lost - 32u;
        whole = high >> by;
        half = (high >> (by - 1u)) & 1u;
        below = a.x | select(high << (33u - by), 0u, by == 1u);
    }
    whole += half & (select(0u, 1u, below != 0u) | (whole & 1u));
    if whole == 0u {
        return 0u;
    }
    // The highest bit of a normal number adds one to the exponent, and so does a carry.
    return (sign | (u32(max(exponent, 1) - 1) << 23u)) + whole;
}

fn single_plus(a: u32, b: u32) -> u32 {
    return single_of(plus(of_single(a), of_single(b)));
}

fn single_minus(a: u32, b: u32) -> u32 {
    return single_of(minus(of_single(a), of_single(b)));
}

// Returns the distance of the heights of two keys.
fn apart(a: u32, b: u32) -> u32 {
    if a == b {
        return 0u;
    }
    return single_minus(bits_of(max(a, b)), bits_of(min(a, b)));
}

// Returns the nearest whole number, halves away from zero.
fn rounded_away(a: Double) -> Double {
    let sign = a.y & 0x80000000u;
    let size = vec2<u32>(a.x, a.y & 0x7fffffffu);
    let exponent = i32(size.y >> 20u) - 1023;
    if exponent >= 52 {
        return a;
    }
    var whole = ZERO;
    if exponent >= 20 {
        whole = vec2<u32>(size.x & (0xffffffffu << u32(52 - exponent)), size.y);
        if exponent == 20 {
            // A shift by 32 is no shift in WGSL.
            whole.x = 0u;
        }
    } else if exponent >= 0 {
        whole = vec2<u32>(0u, size.y & (0xffffffffu << u32(20 - exponent)));
    }
    if !less(minus(size, whole), HALF) {
        whole = plus(whole, ONE);
    }
    if is_zero(whole) {
        return ZERO;
    }
    return vec2<u32>(whole.x, whole.y | sign);
}
