//! The `posthouse` binary: the command line and nothing else.

fn main() -> std::process::ExitCode {
    posthouse_server::cli::run()
}
