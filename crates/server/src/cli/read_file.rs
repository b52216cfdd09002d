//! `posthouse read-file` and `posthouse read-image`: the processes that read one file of a stranger. The service starts them;
//! people don't. Input and output are pipes (`crates/files/src/worker.rs`).

use std::{
    io::{Read, Write},
    os::unix::process::CommandExt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::{Command, ExitCode},
    thread,
};

use clap::Args;
use posthouse_files::{FileError, FileErrorCode, limits::INPUT_BYTES_MAX, worker};

use crate::sandbox;

/// The stack of the thread that reads the file, in bytes: formats nest.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// The mode of Tesseract that turns pages upright: phones and scanners often store them turned. Without the data for that, it
/// reads them as they are.
const TURNED_PAGES: &str = "1";

/// Options of `posthouse read-image`.
#[derive(Args, Debug)]
pub(super) struct ImageOptions {
    /// Command of Tesseract.
    command: PathBuf,
    /// Languages, such as eng+deu.
    languages: String,
}

/// Reads the file on standard input, and writes its text to standard output.
pub(super) fn run() -> ExitCode {
    sandbox::limit_reader();
    let input_max = (INPUT_BYTES_MAX + worker::HEADER_BYTES_MAX) as u64;
    let mut input = Vec::new();
    if std::io::stdin().lock().take(input_max).read_to_end(&mut input).is_err() {
        return ExitCode::FAILURE;
    }
    let reading = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let _ = sandbox::confine_reader();
        let output = read(&input);
        std::io::stdout().lock().write_all(&output).is_ok()
    });
    match reading.map(thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn read(input: &[u8]) -> Vec<u8> {
    let failed = |message: &str| Err(FileError { code: FileErrorCode::ParseError, message: message.to_owned() });
    let Some((hints, bytes)) = worker::parse_input(input) else { return worker::output(failed("No file was given.")) };
    let read = catch_unwind(AssertUnwindSafe(|| posthouse_files::read(&hints, bytes)));
    let result = read.unwrap_or_else(|_| failed("The file is not a valid file of its type."));
    let output = worker::output(result);
    if output.len() > worker::OUTPUT_BYTES_MAX {
        return worker::output(failed("The file has too much text."));
    }
    output
}

/// Becomes Tesseract, which reads the image on standard input.
pub(super) fn run_ocr(options: ImageOptions) -> ExitCode {
    let _ = sandbox::confine_ocr(&options.command);
    let mut command = Command::new(&options.command);
    command.args(["stdin", "stdout", "-l", &options.languages, "--psm", TURNED_PAGES]).env("OMP_THREAD_LIMIT", "1");
    let error = command.exec();
    // 127 is the shell's code for a missing command.
    ExitCode::from(if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 })
}
