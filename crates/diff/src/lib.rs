//! Two catalogues in, a list of typed changes out.
