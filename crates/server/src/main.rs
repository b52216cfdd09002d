//! The `posthouse` binary.

fn main() {}
