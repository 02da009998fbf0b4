//! The closed configurations: what there is at first, and what may happen.

use ptah_lifecycle::{ApplyPolicy, Family, Inputs, Manager, PolicyObject, Resource, Spec, Status, Time, Uid, Version};
use ptah_reconcile::Memory;

use crate::world::{Budget, Database, Lock, ManagerState, UNLIMITED, World, constant};

/// A configuration by name.
pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) start: World,
    /// How many states of it are looked at, where it is too large to be closed.
    pub(crate) bound: Option<usize>,
}

/// All of them; with larger budgets of faults where `deep`.
pub(crate) fn all(deep: bool) -> Vec<Config> {
    let mut list = one_resource(Family::Schema, deep);
    list.extend(one_resource(Family::Migration, deep));
    list.extend(two_resources(deep));
    list.extend(realms(deep));
    list.extend(crate::clones::all(deep));
    // Longest first would be best; the bounded ones are last, because each takes as long as it is let.
    list.extend(joint(deep));
    list
}

/// One resource of a family, alone with its database, under every kind of fault and every kind of person.
fn one_resource(family: Family, deep: bool) -> Vec<Config> {
    let none = Budget::default();
    let by_itself = |budget: Budget| world(&[(family, ApplyPolicy::Always, 1)], 1, budget);
    let asked = |budget: Budget| world(&[(family, ApplyPolicy::OnApproval, 1)], 1, budget);
    let more = u8::from(deep);
    // The second manager's passes are counted in the short run: it wakes up anywhere, twice.
    let second = if deep { UNLIMITED } else { 2 };
    let two_managers = world(&[(family, ApplyPolicy::Always, 1)], 2, Budget { slow: more, second, ..none });
    let mut downgrade = world(&[(family, ApplyPolicy::Always, 1)], 2, Budget { second: UNLIMITED, ..none });
    downgrade.managers[0].manager.state_version = 2;
    let mut long = by_itself(Budget { faults: more, slow: 2, ..none });
    long.resources[0].spec.window = 300;
    let mut apart = by_itself(Budget { faults: more, edits: 1, ..none });
    apart.apart = true;
    let mut consent_apart = asked(Budget { approvals: 1, revokes: 1, ..none });
    consent_apart.apart = true;
    let once = if deep { UNLIMITED } else { 1 };
    let mut skewed = world(&[(family, ApplyPolicy::Always, 1)], 2, Budget { slow: more, second: once, ..none });
    // Within what the horizon has to spare.
    skewed.managers[1].ahead = if family == Family::Schema { -25 } else { 25 };
    let mut moved = by_itself(Budget { faults: 1, retargets: 1, ..none });
    moved.databases.push(database(41));
    let mut rewound = by_itself(Budget { faults: more, rewinds: 1, acknowledgments: 1, ..none });
    rewound.rewinds = true;
    // One that stays suspended, or one that goes on.
    let suspends = if family == Family::Schema || deep { 2 } else { 1 };
    let (faults, few) = if family == Family::Schema { (2, 1) } else { (1 + more, more) };
    vec![
        ("plain", by_itself(none)),
        ("faults", by_itself(Budget { faults, slow: 1, ..none })),
        ("long", long),
        ("edits", by_itself(Budget { faults: 1, edits: 1, suspends, ..none })),
        ("delete", by_itself(Budget { faults: 1, deletes: 1, recreates: more, ..none })),
        ("recreate", by_itself(Budget { deletes: 1, recreates: 1, slow: more, ..none })),
        ("approval", asked(Budget { faults: few, approvals: 2, revokes: 1, edits: 1, ..none })),
        ("acknowledgment", by_itself(Budget { faults, acknowledgments: 2, ..none })),
        ("drift", by_itself(Budget { faults: 1, drifts: 2, ..none })),
        ("leases", by_itself(Budget { faults: more, leases: 2, slow: 1, ..none })),
        ("apart", apart),
        ("consent-apart", consent_apart),
        ("upgrade", by_itself(Budget { faults: 1, upgrades: 1, slow: more, ..none })),
        ("two-managers", two_managers),
        ("downgrade", downgrade),
        ("skewed", skewed),
        ("moved", moved),
        ("rewound", rewound),
    ]
    .into_iter()
    .map(|(name, start)| Config { name: format!("{}-{name}", letter(family)), start, bound: None })
    .collect()
}

/// Two resources that reach one database: in one realm that both share or that neither does, and under two names.
fn two_resources(deep: bool) -> Vec<Config> {
    let none = Budget::default();
    let (schema, migration) = (Family::Schema, Family::Migration);
    let mut list = Vec::new();
    for (first, second) in [(schema, schema), (schema, migration), (migration, migration)] {
        let always = ApplyPolicy::Always;
        let mut shared = world(&[(first, always, 1), (second, always, 1)], 1, none);
        shared.resources.iter_mut().for_each(|resource| resource.spec.shared = true);
        let contested = world(&[(first, always, 1), (second, always, 1)], 1, Budget { suspends: 1, ..none });
        let aliased = world(&[(first, always, 1), (second, always, 2)], 1, none);
        let mut left = shared.clone();
        left.budget = Budget { faults: u8::from(deep), deletes: 1, ..none };
        for (name, start) in [("shared", shared), ("contested", contested), ("aliased", aliased), ("left", left)] {
            list.push(Config { name: format!("{}-{}-{name}", letter(first), letter(second)), start, bound: None });
        }
    }
    list
}

/// A realm that others keep: what it admits is withdrawn and given back, and its claimants starve nobody.
fn realms(deep: bool) -> Vec<Config> {
    let none = Budget::default();
    let (schema, migration, always) = (Family::Schema, Family::Migration, ApplyPolicy::Always);
    let by_realm = |mut world: World| {
        world.grants = world.resources.iter().map(|resource| (resource.uid, true)).collect();
        world.resources.iter_mut().for_each(|resource| resource.spec.shared = true);
        world
    };
    let granted = by_realm(world(&[(schema, always, 1)], 1, Budget { faults: 1, grants: 2, ..none }));
    let grants = 1 + u8::from(deep);
    let shared = by_realm(world(&[(schema, always, 1), (migration, always, 1)], 1, Budget { grants, ..none }));
    let mut refused = shared.clone();
    (refused.grants[1].1, refused.budget) = (false, Budget { faults: 1, deletes: u8::from(deep), ..none });
    let starved = by_realm(world(
        &[(schema, always, 1), (migration, always, 1)],
        1,
        Budget { faults: 1, slow: u8::from(deep), ..none },
    ));
    // One claims by a realm and one by a key, and neither has read the database.
    let mut newcomers = world(&[(schema, always, 1), (migration, always, 2)], 1, none);
    newcomers.grants = vec![(newcomers.resources[1].uid, true)];
    let mut list: Vec<Config> =
        [("granted", granted), ("shared", shared), ("refused", refused), ("newcomers", newcomers)]
            .into_iter()
            .map(|(name, start)| Config { name: format!("realm-{name}"), start, bound: None })
            .collect();
    let bound = (!deep).then_some(200_000);
    list.push(Config { name: "realm-starved".to_owned(), start: starved, bound });
    list
}

/// Both families on one database, with everything that can happen to them at once: too large to be closed.
fn joint(deep: bool) -> Vec<Config> {
    let (schema, migration) = (Family::Schema, Family::Migration);
    let (always, asked) = (ApplyPolicy::Always, ApplyPolicy::OnApproval);
    let budget = Budget {
        faults: 2,
        slow: 2,
        edits: 1,
        suspends: 2,
        deletes: 1,
        approvals: 2,
        revokes: 1,
        acknowledgments: 1,
        drifts: 1,
        grants: 2,
        leases: 1,
        ..Budget::default()
    };
    let mut shared = world(&[(schema, always, 1), (migration, asked, 1)], 1, budget);
    shared.resources.iter_mut().for_each(|resource| resource.spec.shared = true);
    shared.grants = shared.resources.iter().map(|resource| (resource.uid, true)).collect();
    let aliased = world(&[(schema, always, 1), (migration, asked, 2)], 1, budget);
    let bound = if deep { 10_000_000 } else { 300_000 };
    [("shared", shared), ("aliased", aliased)]
        .into_iter()
        .map(|(name, start)| Config { name: format!("joint-{name}"), start, bound: Some(bound) })
        .collect()
}

fn letter(family: Family) -> &'static str {
    match family {
        Family::Schema => "schema",
        Family::Migration => "migration",
    }
}

pub(crate) fn world(resources: &[(Family, ApplyPolicy, u8)], managers: u8, budget: Budget) -> World {
    let resources: Vec<Resource> = resources
        .iter()
        .enumerate()
        .map(|(index, (family, policy, realm))| resource(*family, *policy, *realm, 1 + index as u64))
        .collect();
    let blueprint = resources[0].clone();
    let managers = (0..managers).map(|_| manager(resources.len())).collect();
    World {
        now: Time(crate::START),
        next_id: 100,
        resources,
        leases: Vec::new(),
        plans: Vec::new(),
        staged: Vec::new(),
        approvals: Vec::new(),
        acknowledgments: Vec::new(),
        jobs: Vec::new(),
        pods: Vec::new(),
        frames: Vec::new(),
        late: Vec::new(),
        grants: Vec::new(),
        databases: vec![database(40)],
        managers,
        blueprint,
        apart: false,
        rewinds: false,
        budget,
        ghost: Vec::new(),
        broken: None,
    }
}

fn database(identity: u8) -> Database {
    Database {
        identity: constant(identity),
        instance: None,
        begun: 0,
        artifact: 0,
        units: 2,
        lock: Lock::Free,
        rows: Vec::new(),
    }
}

fn manager(resources: usize) -> ManagerState {
    ManagerState {
        manager: Manager { components: constant(60), state_version: 1, leads: true },
        ahead: 0,
        memory: vec![Memory::default(); resources],
        pending: vec![None; resources],
        reading: vec![None; resources],
        permit: None,
    }
}

fn resource(family: Family, apply: ApplyPolicy, realm: u8, number: u64) -> Resource {
    Resource {
        family,
        uid: Uid(u128::from(number)),
        version: Version(number),
        deleting: false,
        finalizer: false,
        spec: Spec {
            coordination: constant(50 + realm),
            shared: false,
            suspended: false,
            apply,
            allow_destructive: false,
            window: 30,
            interval: 600,
            retry: 30,
            inputs: Inputs {
                artifact: constant(1),
                target: constant(0),
                scope: constant(20),
                execution: constant(21),
                verification: PolicyObject { uid: Uid(90), digest: constant(22) },
            },
        },
        status: Status::default(),
    }
}
