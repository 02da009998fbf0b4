//! Checks of the house style and generators.
fn main() {}
