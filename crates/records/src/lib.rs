//! Every persisted document, one module per version.
