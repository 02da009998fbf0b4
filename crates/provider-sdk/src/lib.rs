//! What a provider author links: serve, sessions, gates and stripping.
