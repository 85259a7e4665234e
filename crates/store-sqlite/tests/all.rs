//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod conformance;
mod crash;
mod damage;
mod direct_sql;
mod fixtures;
mod forgetting;
mod model;
mod opening;
mod places;
mod rotation;
mod telemetry;
mod tombstones_of_version_2;
mod versions;
