//! A bomb is refused by the codec with the memory of the message and no more. Alone in its process, because it measures.

#![expect(clippy::unwrap_used, reason = "tests")]

use prost::Message;
use ptah_provider_api::contract::MESSAGE_LIMIT;
use ptah_provider_wire::{ScanError, pb, scan};

/// The most memory that this process ever had, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes.unwrap().trim().parse::<usize>().unwrap() * 1024
}

#[test]
#[cfg(target_os = "linux")]
fn a_bomb_of_four_mebibytes_is_refused_in_bounded_memory() {
    let bomb = [0x0a, 0x00].repeat(MESSAGE_LIMIT / 2);
    let before = peak();
    let refused = scan::<pb::PlanReply>(&bomb);
    assert!(matches!(refused, Err(ScanError::TooDense { .. })), "{refused:?}");
    let scanned = peak() - before;
    assert!(scanned < 1024 * 1024, "{scanned} bytes");
    // A sixteenth of it, decoded, shows that the scan was needed; otherwise this test would prove nothing.
    let piece = bomb.get(..MESSAGE_LIMIT / 16).unwrap();
    let decoded = pb::PlanReply::decode(piece).unwrap();
    assert_eq!(decoded.steps.len(), MESSAGE_LIMIT / 32);
    assert!(peak() - before > 40 * piece.len());
}
