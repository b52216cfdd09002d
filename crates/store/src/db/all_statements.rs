//! All named statements of this crate, so that one test can prepare each on both engines. `build.rs` finds the files.

pub use crate::tables::FILES;
