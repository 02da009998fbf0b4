//! What orders, groups, gates, explains and keeps a plan, tried on made-up steps.

pub(crate) mod build;
mod explained;
mod gates;
mod grouping;
mod ordering;
mod plans;
