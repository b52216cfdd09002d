//! Test harness of Posthouse; the black-box suite is in `tests/it`.
//!
//! What the suite may rely on from outside (`scripts/test.sh` sets it):
//! - `POSTHOUSE_TEST_DATABASE`: `sqlite` (the default) or `postgres`, the engine under the service.
//! - `POSTHOUSE_TEST_PG_URL`: an admin URL of a running PostgreSQL cluster; each test makes its own database there.
//! - `POSTHOUSE_CORPORA`: the folder of the mail corpora (default `../shared/data` beside the repository).
//! - `CI=true`: what is missing is a failure instead of a skipped test.
#![allow(clippy::unwrap_used)]

pub mod postgres;
