//! Tests of the planner: what it plans, and what becomes of data when that is run.

mod checks;
mod faults;
mod in_place;
mod keys;
mod lab;
mod objects;
mod random;
mod rebuilds;
mod refusals;
mod renames;
mod schema;
mod values;
