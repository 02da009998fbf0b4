//! Generated messages of the provider contract and total conversions to and from its plain types.
