//! The checksum of files: CRC-32 (ISO-HDLC).

#[cfg(not(target_family = "wasm"))]
pub use on_threads::checksum;
#[cfg(target_family = "wasm")]
pub use small::checksum;

/// Uses instructions of the processor and all threads of the pool.
#[cfg(not(target_family = "wasm"))]
mod on_threads {
    use crc32fast::Hasher;

    use crate::threads;

    /// Bytes per task.
    const TASK_BYTES: usize = 1 << 20;

    /// Returns the checksum (CRC-32, ISO-HDLC) of consecutive parts.
    #[must_use]
    pub fn checksum(parts: &[&[u8]]) -> u32 {
        let of = |bytes: &[u8]| {
            let mut sum = Hasher::new();
            sum.update(bytes);
            sum
        };
        let join = |mut sum: Hasher, next: Hasher| {
            sum.combine(&next);
            sum
        };
        let portions: Vec<&[u8]> = parts.iter().flat_map(|part| part.chunks(TASK_BYTES)).collect();
        let sums = threads::map(0..portions.len(), |portion| of(portions[portion]));
        sums.into_iter().fold(Hasher::new(), join).finalize()
    }
}

/// Uses a table that is computed at its first use: stored in a module, it would add 16 kB that do
/// not compress.
#[cfg(target_family = "wasm")]
mod small {
    use std::sync::LazyLock;

    use crc::{CRC_32_ISO_HDLC, Crc, Table};

    static SUMS: LazyLock<Crc<u32, Table<16>>> =
        LazyLock::new(|| Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC));

    /// Returns the checksum (CRC-32, ISO-HDLC) of consecutive parts.
    #[must_use]
    pub fn checksum(parts: &[&[u8]]) -> u32 {
        let mut sum = SUMS.digest();
        parts.iter().for_each(|part| sum.update(part));
        sum.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::checksum;

    /// Computes the checksum bit by bit from its definition.
    fn slowly(bytes: &[u8]) -> u32 {
        let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
        !bytes.iter().fold(u32::MAX, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| step(sum)))
    }

    #[test]
    fn parts_have_the_sum_of_what_they_make_together() {
        assert_eq!(checksum(&[b"123456789"]), 0xCBF4_3926, "the check value of the catalogue");
        assert_eq!(checksum(&[b"123", b"", b"456789"]), 0xCBF4_3926);
        assert_eq!(checksum(&[]), 0);
        let long: Vec<u8> =
            (0_u32..5 << 19).map(|at| at.wrapping_mul(0x9E37_79B1).to_le_bytes()[3]).collect();
        let (a, b) = long.split_at(1_234_567);
        assert_eq!([checksum(&[&long]), checksum(&[a, b])], [slowly(&long); 2]);
    }
}
