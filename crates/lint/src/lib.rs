//! Hazards in changes, one rule per file.
