//! The table of pieces: where each begins its way, in four bits a number.

use super::section::Section;

/// Numbers that share a scale.
const BLOCK: usize = 32;

/// Bytes of a block: its scale in half precision, then two numbers a byte, the low four bits first of `BLOCK / 2` places each.
const BLOCK_BYTES: usize = 2 + BLOCK / 2;

/// The table of pieces.
#[derive(Clone, Debug)]
pub(super) struct Words {
    table: Section,
    row_bytes: usize,
}

impl Words {
    /// Over rows of `dims` numbers; `None` when the table does not hold whole rows.
    pub fn new(table: Section, dims: usize) -> Option<Self> {
        let row_bytes = row_bytes(dims)?;
        (!table.is_empty() && table.len().is_multiple_of(row_bytes)).then_some(Self { table, row_bytes })
    }

    /// How many pieces it holds.
    pub fn count(&self) -> usize {
        self.table.len() / self.row_bytes
    }

    /// Writes the row of `piece`; zeros when the table does not reach so far.
    #[inline(always)]
    pub fn read(&self, piece: u32, row: &mut [f32]) {
        let begin = piece as usize * self.row_bytes;
        match self.table.get(begin..begin + self.row_bytes) {
            Some(bytes) => read_blocks(bytes, row),
            None => row.fill(0.0),
        }
    }
}

/// Bytes of a row of `dims` numbers; `None` when they fill no whole blocks.
pub(super) fn row_bytes(dims: usize) -> Option<usize> {
    (dims > 0 && dims.is_multiple_of(BLOCK)).then_some(dims / BLOCK * BLOCK_BYTES)
}

/// Reads blocks of four bits a number.
#[inline(always)]
pub(super) fn read_blocks(bytes: &[u8], row: &mut [f32]) {
    for (block, numbers) in bytes.as_chunks::<BLOCK_BYTES>().0.iter().zip(row.as_chunks_mut::<BLOCK>().0) {
        let scale = half(u16::from_le_bytes([block[0], block[1]]));
        for (place, byte) in block[2..].iter().enumerate() {
            numbers[place] = f32::from(i16::from(byte & 15) - 8) * scale;
            numbers[place + BLOCK / 2] = f32::from(i16::from(byte >> 4) - 8) * scale;
        }
    }
}

/// A number in half precision.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 31);
    let fraction = u32::from(bits & 1_023);
    match exponent {
        // Below the least whole exponent the fraction counts steps of 2⁻²⁴.
        0 => (fraction as f32 / 16_777_216.0).copysign(f32::from_bits(sign)),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_read() {
        for (bits, number) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x8000, -0.0),
        ] {
            assert_eq!(half(bits), number, "{bits:#x}");
        }
        assert_eq!(half(0x7c00), f32::INFINITY);
    }

    #[test]
    fn a_block_is_read_low_halves_first() {
        let mut bytes = vec![0x00, 0x3c];
        bytes.extend((0..16).map(|place| (15 - place) << 4 | place));
        let mut row = [0.0; 32];
        read_blocks(&bytes, &mut row);
        assert_eq!(row[..3], [-8.0, -7.0, -6.0]);
        assert_eq!(row[16..19], [7.0, 6.0, 5.0]);
    }
}
