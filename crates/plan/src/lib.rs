//! Changes, the provider's steps and policy in, a plan and its explanation out.
