//! Identities, digests, identifier rules and the object model that every engine shares.
