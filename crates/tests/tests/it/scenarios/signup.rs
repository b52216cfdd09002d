//! Life of an unclaimed workspace: its restrictions, each with every way to break it, and its end.

mod expiry;
mod restrictions;
