// Double precision in integers: numbers of 64 bits in two words (x low, y high), rounded to the
// nearest, ties to even, as required by IEEE 754 and done by every processor. WGSL has no such
// type, and the results of drivers in single precision (contraction, division) are not defined to
// the bit.
//
// Not supported: NaN, and subnormal numbers, which become zero. The sign of a zero is not kept.

alias Double = vec2<u32>;

const ZERO = vec2<u32>(0u, 0u);
const HALF = vec2<u32>(0u, 0x3fe00000u);
const ONE = vec2<u32>(0u, 0x3ff00000u);
const INFINITE = vec2<u32>(0u, 0x7ff00000u);

fn negated(a: Double) -> Double {
    return vec2<u32>(a.x, a.y ^ 0x80000000u);
}

fn is_zero(a: Double) -> bool {
    return ((a.y << 1u) | a.x) == 0u;
}

fn less(a: Double, b: Double) -> bool {
    // Bits in the order of unsigned numbers.
    let p = ordered_bits(a);
    let q = ordered_bits(b);
    return p.y < q.y || (p.y == q.y && p.x < q.x);
}

fn ordered_bits(a: Double) -> vec2<u32> {
    if (a.y >> 31u) == 0u {
        return vec2<u32>(a.x, a.y | 0x80000000u);
    }
    if is_zero(a) {
        return vec2<u32>(0u, 0x80000000u);
    }
    return ~a;
}

fn lower(a: Double, b: Double) -> Double {
    return select(b, a, less(a, b));
}

fn higher(a: Double, b: Double) -> Double {
    return select(b, a, less(b, a));
}

fn clamped(a: Double, least: Double, most: Double) -> Double {
    return lower(higher(a, least), most);
}

// Rounds `m`, a number of 56 bits, by its lowest three (guard, round and sticky bit), and assembles
// the result. `exponent` is that of its highest bit, with the offset.
fn rounded(sign: u32, exponent: i32, m: vec2<u32>) -> Double {
    if exponent <= 0 {
        return ZERO;
    }
    let rest = m.x & 7u;
    var low = (m.x >> 3u) | (m.y << 29u);
    var high = m.y >> 3u;
    if rest > 4u || (rest == 4u && (low & 1u) == 1u) {
        low += 1u;
        high += select(0u, 1u, low == 0u);
    }
    // The highest bit adds one to the exponent, and so does a carry.
    return vec2<u32>(low, (sign | (u32(exponent - 1) << 20u)) + high);
}

fn plus(a: Double, b: Double) -> Double {
    let size_a = a.y & 0x7fffffffu;
    let size_b = b.y & 0x7fffffffu;
    let swap = size_b > size_a || (size_b == size_a && b.x > a.x);
    let large = select(a, b, swap);
    let small = select(b, a, swap);
    let exponent = i32((large.y >> 20u) & 0x7ffu);
    let small_exponent = i32((small.y >> 20u) & 0x7ffu);
    if small_exponent == 0 {
        return large;
    }
    var m = vec2<u32>(large.x << 3u, (((large.y & 0xfffffu) | 0x100000u) << 3u) | (large.x >> 29u));
    var n = vec2<u32>(small.x << 3u, (((small.y & 0xfffffu) | 0x100000u) << 3u) | (small.x >> 29u));
    let shift = u32(exponent - small_exponent);
    if shift >= 56u {
        n = vec2<u32>(1u, 0u);
    } else if shift >= 32u {
        let by = shift - 32u;
        // A shift by 32 is no shift in WGSL.
        let lost = n.x | select(n.y << (32u - by), 0u, by == 0u);
        n = vec2<u32>((n.y >> by) | select(0u, 1u, lost != 0u), 0u);
    } else if shift > 0u {
        let lost = n.x << (32u - shift);
        n = vec2<u32>((n.x >> shift) | (n.y << (32u - shift)) | select(0u, 1u, lost != 0u), n.y >> shift);
    }
    let sign = large.y & 0x80000000u;
    if ((a.y ^ b.y) >> 31u) == 0u {
        let low = m.x + n.x;
        m = vec2<u32>(low, m.y + n.y + select(0u, 1u, low < m.x));
        if (m.y >> 24u) != 0u {
            m = vec2<u32>((m.x >> 1u) | (m.y << 31u) | (m.x & 1u), m.y >> 1u);
            return rounded(sign, exponent + 1, m);
        }
        return rounded(sign, exponent, m);
    }
    m = vec2<u32>(m.x - n.x, m.y - n.y - select(0u, 1u, m.x < n.x));
    if (m.x | m.y) == 0u {
        return ZERO;
    }
    // The highest of 56 bits is bit 23 of the high word.
    var up = 0u;
    if m.y != 0u {
        up = countLeadingZeros(m.y) - 8u;
        if up > 0u {
            m = vec2<u32>(m.x << up, (m.y << up) | (m.x >> (32u - up)));
        }
    } else {
        up = 24u + countLeadingZeros(m.x);
        if up >= 32u {
            m = vec2<u32>(0u, m.x << (up - 32u));
        } else {
            m = vec2<u32>(m.x << up, m.x >> (32u - up));
        }
    }
    return rounded(sign, exponent - i32(up), m);
}

fn minus(a: Double, b: Double) -> Double {
    return plus(a, negated(b));
}

// Returns the 64 bits of a product of words.
fn wide(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let one = ah * bl + (low >> 16u);
    let two = al * bh + (one & 0xffffu);
    return vec2<u32>((two << 16u) | (low & 0xffffu), ah * bh + (one >> 16u) + (two >> 16u));
}

fn times(a: Double, b: Double) -> Double {
    let ea = i32((a.y >> 20u) & 0x7ffu);
    let eb = i32((b.y >> 20u) & 0x7ffu);
    if ea == 0 || eb == 0 {
        return ZERO;
    }
    let ah = (a.y & 0xfffffu) | 0x100000u;
    let bh = (b.y & 0xfffffu) | 0x100000u;
    let p0 = wide(a.x, b.x);
    let p1 = wide(a.x, bh);
    let p2 = wide(ah, b.x);
    let p3 = wide(ah, bh);
    // The words of the product, of 105 or 106 bits.
    let part = p1.x + p2.x;
    let word1 = part + p0.y;
    // No sum here has more than two carries.
    let carry = select(0u, 1u, part < p1.x) + select(0u, 1u, word1 < part);
    let middle = p1.y + p2.y + carry;
    let word2 = p3.x + middle;
    let word3 = p3.y + select(0u, 1u, word2 < middle);
    let is_long = (word3 >> 9u) != 0u;
    let shift = select(17u, 18u, is_long);
    let lost = p0.x | (word1 << (32u - shift));
    let low = (word1 >> shift) | (word2 << (32u - shift)) | select(0u, 1u, lost != 0u);
    let high = (word2 >> shift) | (word3 << (32u - shift));
    return rounded((a.y ^ b.y) & 0x80000000u, ea + eb - 1023 + select(0, 1, is_long), vec2<u32>(low, high));
}

// Divides eleven bits at a time, each estimated in single precision. An estimate is wrong by at
// most one, for any rounding, and is corrected.
fn divided(a: Double, b: Double) -> Double {
    let ea = i32((a.y >> 20u) & 0x7ffu);
    let eb = i32((b.y >> 20u) & 0x7ffu);
    if ea == 0 {
        return ZERO;
    }
    let sign = (a.y ^ b.y) & 0x80000000u;
    if eb == 0 {
        return vec2<u32>(0u, sign | 0x7ff00000u);
    }
    var rest = vec2<u32>(a.x, (a.y & 0xfffffu) | 0x100000u);
    let by = vec2<u32>(b.x, (b.y & 0xfffffu) | 0x100000u);
    var exponent = ea - eb + 1023;
    if rest.y < by.y || (rest.y == by.y && rest.x < by.x) {
        rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
        exponent -= 1;
    }
    // The quotient is from 1 to 2.
    rest = vec2<u32>(rest.x - by.x, rest.y - by.y - select(0u, 1u, rest.x < by.x));
    var quotient = vec2<u32>(1u, 0u);
    let per = 2048.0 / f32((by.y << 11u) | (by.x >> 21u));
    for (var digit = 0; digit < 5; digit++) {
        var guess = u32(f32((rest.y << 11u) | (rest.x >> 21u)) * per);
        // Modulo 2^64: the remainder is smaller than `by`, which has 53 bits.
        let low = guess * by.x;
        let carry = (guess * (by.x >> 16u) + ((guess * (by.x & 0xffffu)) >> 16u)) >> 16u;
        let high = guess * by.y + carry;
        let shifted = vec2<u32>(rest.x << 11u, (rest.y << 11u) | (rest.x >> 21u));
        rest = vec2<u32>(shifted.x - low, shifted.y - high - select(0u, 1u, shifted.x < low));
        if (rest.y >> 31u) != 0u {
            guess -= 1u;
            let sum = rest.x + by.x;
            rest = vec2<u32>(sum, rest.y + by.y + select(0u, 1u, sum < by.x));
        } else if rest.y > by.y || (rest.y == by.y && rest.x >= by.x) {
            guess += 1u;
            rest = vec2<u32>(rest.x - by.x, rest.y - by.y - select(0u, 1u, rest.x < by.x));
        }
        quotient = vec2<u32>((quotient.x << 11u) + guess, (quotient.y << 11u) | (quotient.x >> 21u));
    }
    quotient.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
    if exponent >= 2047 {
        return vec2<u32>(0u, sign | 0x7ff00000u);
    }
    return rounded(sign, exponent, quotient);
}

// Returns the nearest whole number, ties to even: its low 32 bits, for sizes below 2^51.
fn nearest(a: Double) -> i32 {
    let exponent = i32((a.y >> 20u) & 0x7ffu) - 1023;
    if exponent < -1 {
        return 0;
    }
    let high = (a.y & 0xfffffu) | 0x100000u;
    // Bits after the point: 53 down to 1.
    let after = u32(clamp(52 - exponent, 1, 53));
    var whole = 0u;
    // The fraction, from its highest bit on.
    var half = 0u;
    var below = 0u;
    if after >= 33u {
        let by = after - 32u;
        whole = high >> by;
        half = (high >> (by - 1u)) & 1u;
        below = a.x | select(high << (33u - by), 0u, by == 1u);
    } else if after == 32u {
        whole = high;
        half = a.x >> 31u;
        below = a.x << 1u;
    } else {
        whole = (a.x >> after) | (high << (32u - after));
        half = (a.x >> (after - 1u)) & 1u;
        below = select(a.x << (33u - after), 0u, after == 1u);
    }
    whole += half & (select(0u, 1u, below != 0u) | (whole & 1u));
    return bitcast<i32>(select(whole, 0u - whole, (a.y >> 31u) != 0u));
}

fn of_int(a: i32) -> Double {
    let size = of_natural(u32(abs(a)));
    return vec2<u32>(size.x, size.y | (bitcast<u32>(a) & 0x80000000u));
}

fn of_natural(a: u32) -> Double {
    if a == 0u {
        return ZERO;
    }
    let zeros = countLeadingZeros(a);
    // The highest bit goes to bit 20 of the high word, where it adds one to the exponent.
    let m = a << zeros;
    return vec2<u32>(m << 21u, ((1053u - zeros) << 20u) + (m >> 11u));
}

// Converts the bits of a number of single precision exactly, also of a subnormal one.
fn of_single(bits: u32) -> Double {
    let sign = bits & 0x80000000u;
    let exponent = (bits >> 23u) & 0xffu;
    let m = bits & 0x7fffffu;
    if exponent == 0u {
        if m == 0u {
            return ZERO;
        }
        let zeros = countLeadingZeros(m);
        let shifted = m << zeros;
        // 2^-149 times m; the highest bit is implied.
        return vec2<u32>(shifted << 21u, sign | ((905u - zeros) << 20u) | ((shifted >> 11u) & 0xfffffu));
    }
    return vec2<u32>(m << 29u, sign | ((exponent + 896u) << 20u) | (m >> 3u));
}

// Returns the whole number at or below `a`, at most 2^31 - 1 in size.
fn whole_below(a: Double) -> i32 {
    let exponent = i32((a.y >> 20u) & 0x7ffu) - 1023;
    let is_negative = (a.y >> 31u) != 0u;
    if is_zero(a) {
        return 0;
    }
    if exponent < 0 {
        return select(0, -1, is_negative);
    }
    if exponent >= 31 {
        return select(2147483647, -2147483647, is_negative);
    }
    // Bits after the point: 52 down to 22.
    let after = u32(52 - exponent);
    let high = (a.y & 0xfffffu) | 0x100000u;
    var whole = 0u;
    var rest = 0u;
    if after >= 32u {
        let by = after - 32u;
        whole = high >> by;
        rest = a.x | (high & ((1u << by) - 1u));
    } else {
        whole = (high << (32u - after)) | (a.x >> after);
        rest = a.x & ((1u << after) - 1u);
    }
    if is_negative {
        return -i32(whole) - select(0, 1, rest != 0u);
    }
    return i32(whole);
}

// Returns the square root of a number that is not negative.
fn root(a: Double) -> Double {
    let exponent = i32((a.y >> 20u) & 0x7ffu) - 1023;
    if exponent == -1023 {
        return ZERO;
    }
    // Two digits before the point: 54 bits.
    var given = vec2<u32>(a.x, (a.y & 0xfffffu) | 0x100000u);
    if (exponent & 1) != 0 {
        given = vec2<u32>(given.x << 1u, (given.y << 1u) | (given.x >> 31u));
    }
    var rest = ZERO;
    var result = ZERO;
    for (var bit = 0; bit < 56; bit++) {
        let next = (given.y >> 20u) & 3u;
        given = vec2<u32>(given.x << 2u, ((given.y << 2u) | (given.x >> 30u)) & 0x3fffffu);
        rest = vec2<u32>((rest.x << 2u) | next, (rest.y << 2u) | (rest.x >> 30u));
        let trial = vec2<u32>((result.x << 2u) | 1u, (result.y << 2u) | (result.x >> 30u));
        result = vec2<u32>(result.x << 1u, (result.y << 1u) | (result.x >> 31u));
        if rest.y > trial.y || (rest.y == trial.y && rest.x >= trial.x) {
            rest = vec2<u32>(rest.x - trial.x, rest.y - trial.y - select(0u, 1u, rest.x < trial.x));
            result.x |= 1u;
        }
    }
    result.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
    // A shift of a negative number rounds down.
    return rounded(0u, (exponent >> 1u) + 1023, result);
}
