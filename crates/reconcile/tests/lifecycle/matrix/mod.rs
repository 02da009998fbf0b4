//! The matrices: everything that can be combined, as tables over a whole life of one resource.

mod approval;
mod clock;
mod crash;
mod edges;
mod evidence;
mod holds;
mod life;
mod reading;
mod rival;
mod settling;
