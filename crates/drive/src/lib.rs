//! The thin loop that performs the steps of a run on a provider session.
