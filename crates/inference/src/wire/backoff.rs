//! How long to leave a server alone before asking again.

use std::time::Duration;

/// The first pause, before it is spread.
const FIRST: Duration = Duration::from_millis(500);

/// The longest pause of our own choosing; a server may ask for longer.
const LONGEST: Duration = Duration::from_secs(20);

/// The pause after the failed attempt number `attempt`, from 0. It doubles, and lies between half of that and all of it, by
/// `spread` (of which all 256 bits count as equally likely), so that callers turned away together do not come back together.
/// What the server asked for is kept to.
pub(super) fn pause(attempt: u32, spread: &[u8; 32], asked: Option<Duration>) -> Duration {
    let whole = FIRST.saturating_mul(1 << attempt.min(16)).min(LONGEST);
    let place = (attempt as usize * 4) % 28;
    let mut bits = [0_u8; 4];
    bits.copy_from_slice(&spread[place..place + 4]);
    let fraction = f64::from(u32::from_le_bytes(bits)) / f64::from(u32::MAX);
    let own = whole.mul_f64(0.5 + fraction / 2.0);
    asked.map_or(own, |asked| asked.max(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_stay_in_their_bounds() {
        for attempt in 0..40 {
            let most = FIRST.saturating_mul(1 << attempt.min(16)).min(LONGEST);
            assert_eq!(pause(attempt, &[255; 32], None), most);
            assert_eq!(pause(attempt, &[0; 32], None), most / 2);
        }
        assert_eq!(pause(0, &[0; 32], Some(Duration::from_secs(90))), Duration::from_secs(90));
        assert_eq!(pause(0, &[0; 32], Some(Duration::ZERO)), FIRST / 2);
        let spread = ledger::evidence::ContentHash::of(b"a request").0;
        assert_ne!(pause(0, &spread, None) * 2, pause(1, &spread, None), "each attempt is spread anew");
        assert_eq!(pause(3, &spread, None), pause(3, &spread, None));
    }
}
