//! The `posthouse` binary.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// Faster than the allocator of glibc for many threads that parse mail, and it returns memory to the system while
/// thousands of connections wait (`docs/decisions/running.md#0060-jemalloc`).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    posthouse::run()
}
