//! What host and provider say to each other, as plain values, with their validators.
