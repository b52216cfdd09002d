//! Every named statement of this crate, so that one test can prepare each on both engines.
//!
//! A new file with statements is added here; a test of the house looks that none is forgotten.

use crate::Sql;

/// File name and its statements.
pub const FILES: &[(&str, &[&Sql])] =
    &[("keys", crate::keys::ALL), ("migrate", crate::migrate::ALL), ("workspaces", crate::workspaces::ALL)];
