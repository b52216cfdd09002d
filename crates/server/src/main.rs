//! The `posthouse` binary. Everything is in the library.

fn main() -> std::process::ExitCode {
    posthouse_server::cli::run()
}
