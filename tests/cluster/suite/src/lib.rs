//! What the tests on a real API server share with the program that works in their Pods.

pub mod scripted;
