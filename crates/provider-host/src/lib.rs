//! Choosing, starting and talking to a provider.
