//! One fingerprint for all states that differ only in the names of IDs, versions, computed digests, or in when "now" is.
//!
//! A hasher that renames on the way: an ID or a computed digest is its place in the order of first occurrence, a time is its
//! distance from now. A computed digest carries no other information than what it equals, so what it is compared with (the
//! current inputs of each resource) is fed first.

use std::hash::{Hash, Hasher};

use ptah_lifecycle::inputs::{apply_inputs, refresh_inputs};

use crate::world::World;

/// Further in the past than any wait reaches back: the longest is the patience with a hold.
const LONG_AGO: i64 = -2_000;

/// Counts above this decide nothing that this count does not: waits have stopped growing.
const ENOUGH: u32 = 8;

/// The fingerprint of a state.
pub(crate) fn fingerprint(world: &World) -> u128 {
    let mut hasher = Canon::new(world.now.0);
    for resource in &world.resources {
        refresh_inputs(resource).hash(&mut hasher);
        let claim = resource.status.claim.as_ref().and_then(|claim| claim.plan);
        for plan in [resource.status.plan, claim].into_iter().flatten() {
            apply_inputs(resource, plan).hash(&mut hasher);
        }
    }
    world.resources.hash(&mut hasher);
    world.leases.hash(&mut hasher);
    world.plans.hash(&mut hasher);
    world.staged.hash(&mut hasher);
    world.approvals.hash(&mut hasher);
    world.acknowledgments.hash(&mut hasher);
    world.jobs.hash(&mut hasher);
    world.pods.hash(&mut hasher);
    world.frames.hash(&mut hasher);
    world.late.hash(&mut hasher);
    world.grants.hash(&mut hasher);
    instances(world, &mut hasher);
    sequences(world, &mut hasher);
    world.databases.hash(&mut hasher);
    for manager in &world.managers {
        manager.manager.hash(&mut hasher);
        manager.ahead.hash(&mut hasher);
        manager.memory.hash(&mut hasher);
        manager.pending.hash(&mut hasher);
        manager.reading.hash(&mut hasher);
        manager.permit.hash(&mut hasher);
    }
    world.budget.hash(&mut hasher);
    world.ghost.hash(&mut hasher);
    hasher.both()
}

/// The order of readings of running servers, which may be longer ago than times are told apart.
fn instances(world: &World, hasher: &mut Canon) {
    let seen = || world.resources.iter().filter_map(|resource| resource.status.observed?.instance);
    for one in seen() {
        for other in seen() {
            (one.since < other.began, one.ended < other.began).hash(hasher);
        }
    }
}

/// Which reading knows of more runs: numbers of runs are compared by order, and are else told apart only as names are.
fn sequences(world: &World, hasher: &mut Canon) {
    let mut numbers: Vec<u64> = world.databases.iter().map(|database| database.begun).collect();
    numbers.extend(world.resources.iter().filter_map(|resource| Some(resource.status.observed?.sequence)));
    numbers.extend(world.frames.iter().map(|frame| frame.rows.sequence));
    for (place, one) in numbers.iter().enumerate() {
        for other in &numbers[..place] {
            one.cmp(other).hash(hasher);
        }
    }
}

/// Two independent mixes of everything fed, after renaming.
struct Canon {
    now: i64,
    low: u64,
    high: u64,
    ids: Vec<u128>,
    versions: Vec<u64>,
    digests: Vec<[u8; 32]>,
}

impl Canon {
    fn new(now: i64) -> Self {
        let (ids, versions, digests) = (Vec::with_capacity(64), Vec::with_capacity(64), Vec::with_capacity(32));
        Self { now, low: 0x9E37_79B9_7F4A_7C15, high: 0xC2B2_AE3D_27D4_EB4F, ids, versions, digests }
    }

    fn feed(&mut self, value: u64) {
        self.low = (self.low ^ value).wrapping_mul(0xFF51_AFD7_ED55_8CCD).rotate_left(29);
        self.high = (self.high.rotate_left(31) ^ value).wrapping_mul(0x9FB2_1C65_1E98_DF25);
        self.high ^= self.high >> 32;
    }

    fn both(self) -> u128 {
        u128::from(self.low ^ (self.low >> 33)) << 64 | u128::from(self.high)
    }
}

/// The place of a value in the order of first occurrence.
fn place<T: PartialEq + Copy>(seen: &mut Vec<T>, value: T) -> u64 {
    let found = seen.iter().position(|known| *known == value).unwrap_or_else(|| {
        seen.push(value);
        seen.len() - 1
    });
    found as u64
}

impl Hasher for Canon {
    fn write(&mut self, bytes: &[u8]) {
        if let Ok(digest) = <[u8; 32]>::try_from(bytes) {
            let constant = digest[31] == 0xC0 && digest[1..31].iter().all(|byte| *byte == 0);
            let fed = if constant { 1_000 + u64::from(digest[0]) } else { place(&mut self.digests, digest) };
            self.feed(fed);
            return;
        }
        for byte in bytes {
            self.feed(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.feed(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.feed(u64::from(value.min(ENOUGH)));
    }

    fn write_u64(&mut self, value: u64) {
        let place = place(&mut self.versions, value);
        self.feed(place);
    }

    fn write_u128(&mut self, value: u128) {
        let place = place(&mut self.ids, value);
        self.feed(place);
    }

    fn write_i64(&mut self, value: i64) {
        if value.unsigned_abs() < crate::START.unsigned_abs() / 2 {
            self.feed(value.cast_unsigned());
            return;
        }
        let distance = value.saturating_sub(self.now).max(LONG_AGO);
        self.feed(distance.cast_unsigned());
    }

    fn write_usize(&mut self, value: usize) {
        self.feed(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.feed((value as i64).cast_unsigned());
    }

    fn finish(&self) -> u64 {
        self.low
    }
}
