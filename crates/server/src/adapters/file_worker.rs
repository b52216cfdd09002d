//! Reads files in processes of this program: one for each file, limited and confined ([`crate::sandbox`]), killed with its
//! group at its deadline.

use std::{path::PathBuf, process::Stdio, sync::Arc};

use bytes::Bytes;
use posthouse_app::{
    ports::{BoxFuture, Clock, FileReader, FileToRead},
    settings::FilesConfig,
};
use posthouse_domain::{ExtractedText, ExtractionError, ExtractionErrorCode, ExtractionMethod, time::SECOND_MS};
use posthouse_files::{FileError, FileErrorCode, FileHints, FileText, PageImage, limits::CHARS_MAX, worker};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

/// The program of this process, also after its file was replaced.
const PROGRAM: &str = "/proc/self/exe";
/// Longest time to read one file, in milliseconds.
pub const DEADLINE_MS: i64 = 45 * SECOND_MS;
/// Longest time of OCR of one page, in milliseconds.
pub const OCR_DEADLINE_MS: i64 = 90 * SECOND_MS;
/// Largest text of one page that OCR returns, in bytes.
const OCR_BYTES_MAX: usize = 1024 * 1024;
/// The exit code of a process whose command doesn't exist.
const NOT_FOUND: i32 = 127;

/// Settings of the allocator: no threads of its own, which the process may not start.
const ALLOCATOR: (&str, &str) = ("_RJEM_MALLOC_CONF", "background_thread:false,narenas:2");

/// Between two pages of a text.
const PAGE_END: &str = "\n\u{c}";

/// The reader of files.
pub struct FileWorker {
    clock: Arc<dyn Clock>,
    program: PathBuf,
    ocr: Option<Ocr>,
}

struct Ocr {
    command: PathBuf,
    languages: String,
}

/// How a process ended.
enum ProcessEnd {
    /// It wrote all of its output.
    Output(Vec<u8>),
    /// It was killed at its deadline, at its limit of memory or time, or because its output is too large.
    OverLimit,
    /// It ended by a fault.
    Died,
    /// The command doesn't exist.
    NotFound,
}

impl FileWorker {
    /// Creates a reader that starts this program.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, config: &FilesConfig) -> Self {
        Self::with_program(clock, config, PathBuf::from(PROGRAM))
    }

    /// Creates a reader that starts another program of this version.
    #[must_use]
    pub fn with_program(clock: Arc<dyn Clock>, config: &FilesConfig, program: PathBuf) -> Self {
        let languages = config.ocr_languages.clone();
        let ocr = Some(config.ocr_command.clone()).filter(|command| command.is_file());
        let ocr = ocr.map(|command| Ocr { command, languages });
        Self { clock, program, ocr }
    }

    async fn read_file(&self, file: FileToRead) -> Result<ExtractedText, ExtractionError> {
        let hints = FileHints { rasterizes: self.ocr.is_some(), ..hints_of(&file) };
        let text = self.run_reader(&hints, file.bytes).await?;
        self.complete(text).await
    }

    async fn image_of_page(&self, file: FileToRead, index: usize) -> Result<Option<Bytes>, ExtractionError> {
        let hints = FileHints { wanted_page: Some(index), ..hints_of(&file) };
        let read = self.run_reader(&hints, file.bytes).await?;
        Ok(read.images.into_iter().next().map(|image| image.bytes.into()))
    }

    /// Runs the process that reads one file.
    async fn run_reader(&self, hints: &FileHints, bytes: Bytes) -> Result<FileText, ExtractionError> {
        let input = worker::input(hints, &bytes);
        drop(bytes);
        let mut command = self.command();
        command.arg("read-file");
        let output = match self.run(command, input, worker::OUTPUT_BYTES_MAX, DEADLINE_MS).await {
            ProcessEnd::Output(output) => output,
            ProcessEnd::OverLimit => return Err(over_limit()),
            ProcessEnd::Died | ProcessEnd::NotFound => return Err(died()),
        };
        worker::parse_output(&output).ok_or_else(died)?.map_err(file_error)
    }

    /// Adds the text of pages that only OCR can read.
    async fn complete(&self, mut text: FileText) -> Result<ExtractedText, ExtractionError> {
        let images = std::mem::take(&mut text.images);
        let has_text = text.pages.iter().any(|page| !page.trim().is_empty());
        let mut method = ExtractionMethod::Text;
        if !images.is_empty() {
            match self.read_images(&images, &mut text.pages).await {
                Ok(()) => method = if has_text { ExtractionMethod::Text } else { ExtractionMethod::Ocr },
                // What can be read is better than nothing.
                Err(_) if has_text => text.is_truncated = true,
                Err(error) => return Err(error),
            }
        }
        Ok(joined(text, method))
    }

    async fn read_images(&self, images: &[PageImage], pages: &mut [String]) -> Result<(), ExtractionError> {
        let unavailable =
            || error(ExtractionErrorCode::OcrUnavailable, "The file needs OCR, which this server doesn't have.");
        let ocr = self.ocr.as_ref().ok_or_else(unavailable)?;
        for image in images {
            let mut command = self.command();
            command.arg("read-image").arg(&ocr.command).arg(&ocr.languages);
            let read = match self.run(command, image.bytes.clone(), OCR_BYTES_MAX, OCR_DEADLINE_MS).await {
                ProcessEnd::Output(read) => read,
                ProcessEnd::NotFound => return Err(unavailable()),
                ProcessEnd::OverLimit => return Err(over_limit()),
                ProcessEnd::Died => return Err(error(ExtractionErrorCode::OcrError, "OCR could not read the image.")),
            };
            if let Some(page) = pages.get_mut(image.page) {
                let text = String::from_utf8_lossy(&read);
                let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
                *page = text.trim().chars().filter(is_kept).collect();
            }
        }
        Ok(())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().current_dir("/").process_group(0).kill_on_drop(true);
        command.env(ALLOCATOR.0, ALLOCATOR.1);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    /// Runs a process with this input, until its deadline.
    async fn run(&self, mut command: Command, input: Vec<u8>, bytes_max: usize, deadline_ms: i64) -> ProcessEnd {
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(cause) => {
                tracing::warn!(%cause, "extraction.not_started");
                return ProcessEnd::Died;
            }
        };
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let deadline = self.clock.sleep_until(self.clock.now().plus_ms(deadline_ms));
        let end = tokio::select! {
            end = exchange(&mut child, input, bytes_max) => end,
            () = deadline => ProcessEnd::OverLimit,
        };
        // Whatever it started ends with it.
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = child.wait().await;
        end
    }
}

impl FileReader for FileWorker {
    fn read(&self, file: FileToRead) -> BoxFuture<'_, Result<ExtractedText, ExtractionError>> {
        Box::pin(self.read_file(file))
    }

    fn page_image(&self, file: FileToRead, index: usize) -> BoxFuture<'_, Result<Option<Bytes>, ExtractionError>> {
        Box::pin(self.image_of_page(file, index))
    }
}

fn hints_of(file: &FileToRead) -> FileHints {
    let (filename, content_type) = (file.filename.clone(), file.content_type.clone());
    FileHints { filename, content_type, ..FileHints::default() }
}

/// Writes the input while it reads the output.
async fn exchange(child: &mut Child, input: Vec<u8>, bytes_max: usize) -> ProcessEnd {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else { return ProcessEnd::Died };
    let write = async {
        // A process that has seen enough closes its end.
        let _ = stdin.write_all(&input).await;
        drop(stdin);
    };
    let mut output = Vec::new();
    let mut limited = stdout.take(bytes_max as u64 + 1);
    let read = limited.read_to_end(&mut output);
    let ((), read) = tokio::join!(write, read);
    if read.is_err() {
        return ProcessEnd::Died;
    }
    if output.len() > bytes_max {
        return ProcessEnd::OverLimit;
    }
    let Ok(status) = child.wait().await else { return ProcessEnd::Died };
    end_of(status, output)
}

fn end_of(status: std::process::ExitStatus, output: Vec<u8>) -> ProcessEnd {
    use std::os::unix::process::ExitStatusExt;
    let limits = [Signal::KILL, Signal::XCPU, Signal::ABORT].map(Signal::as_raw);
    match (status.code(), status.signal()) {
        (Some(0), _) => ProcessEnd::Output(output),
        (Some(NOT_FOUND), _) => ProcessEnd::NotFound,
        // A failed allocation aborts.
        (_, Some(signal)) if limits.contains(&signal) => ProcessEnd::OverLimit,
        _ => ProcessEnd::Died,
    }
}

fn joined(text: FileText, method: ExtractionMethod) -> ExtractedText {
    let FileText { pages, is_paged, mut is_truncated, language, hidden, .. } = text;
    let count = is_paged.then(|| u32::try_from(pages.len()).unwrap_or(u32::MAX));
    let mut joined = pages.join(PAGE_END);
    if let Some((end, _)) = joined.char_indices().nth(CHARS_MAX) {
        joined.truncate(end);
        is_truncated = true;
    }
    ExtractedText { method, text: joined, pages: count, language, truncated: is_truncated, hidden }
}

fn error(code: ExtractionErrorCode, message: impl Into<String>) -> ExtractionError {
    ExtractionError { code, message: message.into() }
}

fn over_limit() -> ExtractionError {
    error(ExtractionErrorCode::Timeout, "The file takes too much time or memory to read.")
}

fn died() -> ExtractionError {
    error(ExtractionErrorCode::ParseError, "The file ended the process that read it.")
}

fn file_error(file: FileError) -> ExtractionError {
    let code = match file.code {
        FileErrorCode::UnsupportedType => ExtractionErrorCode::UnsupportedType,
        FileErrorCode::Encrypted => ExtractionErrorCode::Encrypted,
        FileErrorCode::ParseError => ExtractionErrorCode::ParseError,
        FileErrorCode::TooLarge => ExtractionErrorCode::TooLarge,
    };
    error(code, file.message)
}
