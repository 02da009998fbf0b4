//! What is done on a script, and that the manager's end reads of it what was meant.

mod fetched;
mod migrations;
mod scene;
mod schemas;
mod troubles;
