//! Builders, a scripted provider and fault points for tests.
