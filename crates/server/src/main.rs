//! The `posthouse` binary. Everything else is in the library.

use tikv_jemallocator::Jemalloc;

/// Faster than the allocator of glibc for many threads that parse mail, and it returns memory to the system while
/// thousands of connections wait; see docs/decisions.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> std::process::ExitCode {
    posthouse_server::cli::run()
}
