//! The core of one run: what is known in, the next step out.
