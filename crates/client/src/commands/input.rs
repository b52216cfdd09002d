//! What a person gives a command besides its arguments: standard input and files.

use std::{
    io::{IsTerminal, Read},
    path::Path,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use crate::error::ClientError;

/// Largest text on standard input or in a file, and largest attachment, in bytes: the largest message of a server.
const INPUT_BYTES_MAX: u64 = 40 * 1024 * 1024;

/// Media types of attachments by the ending of their name.
const MEDIA_TYPES: &[(&str, &str)] = &[
    ("csv", "text/csv"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("eml", "message/rfc822"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// Returns whether standard input is a terminal.
pub(crate) fn is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Reads standard input to its end as text.
///
/// # Errors
/// Fails if it is no UTF-8 or too large.
pub(crate) fn standard_input() -> Result<String, ClientError> {
    text(&limited(std::io::stdin(), "standard input")?, "standard input")
}

/// Reads a text file; `-` is standard input.
///
/// # Errors
/// Fails if it can't be read, is no UTF-8 or too large.
pub(crate) fn text_file(path: &Path) -> Result<String, ClientError> {
    if path == Path::new("-") {
        return standard_input();
    }
    text(&file(path)?, &path.display().to_string())
}

/// Reads a file as an attachment of the API.
///
/// # Errors
/// Fails if it can't be read or is too large.
pub(crate) fn attachment(path: &Path) -> Result<Value, ClientError> {
    let content = file(path)?;
    let filename = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let content_type = media_type(&filename);
    Ok(json!({ "filename": filename, "content_type": content_type, "content_base64": BASE64_STANDARD.encode(content) }))
}

/// Reads a key without showing it on a terminal.
///
/// # Errors
/// Fails if standard input can't be read, or if the person gives up with Ctrl-C.
pub(crate) fn hidden_line() -> Result<String, ClientError> {
    let _echo = HiddenEcho::start();
    typed_line(std::io::stdin().lock().bytes())
        .map_err(|error| ClientError::Failed(format!("cannot read standard input: {error}")))
}

/// Reads what is typed up to the end of the line, with the keys that a terminal no longer handles by itself.
fn typed_line(typed: impl Iterator<Item = std::io::Result<u8>>) -> std::io::Result<String> {
    const INTERRUPT: u8 = 0x03;
    const END: u8 = 0x04;
    const BACKSPACE: u8 = 0x08;
    const ERASE_LINE: u8 = 0x15;
    const DELETE: u8 = 0x7f;
    let mut line = Vec::new();
    for byte in typed {
        match byte? {
            b'\n' | b'\r' | END => break,
            INTERRUPT => return Err(std::io::Error::other("it was interrupted")),
            BACKSPACE | DELETE => drop(line.pop()),
            ERASE_LINE => line.clear(),
            byte if line.len() as u64 <= INPUT_BYTES_MAX => line.push(byte),
            _ => {}
        }
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// Turns the echo of the terminal off, and on again when it is dropped. Its signals are off, too: Ctrl-C would end the
/// process and leave the terminal without echo.
struct HiddenEcho(Option<rustix::termios::Termios>);

impl HiddenEcho {
    fn start() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(std::io::stdin()).ok();
        if let Some(mut settings) = before.clone() {
            settings.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG | LocalModes::ICANON);
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, &settings);
        }
        Self(before)
    }
}

impl Drop for HiddenEcho {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, before);
        }
    }
}

fn file(path: &Path) -> Result<Vec<u8>, ClientError> {
    let name = path.display().to_string();
    let opened = std::fs::File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(std::io::Error::other("it is a directory")),
        false => Ok(file),
    });
    limited(opened.map_err(|error| ClientError::Failed(format!("cannot read {name}: {error}")))?, &name)
}

fn limited(source: impl Read, name: &str) -> Result<Vec<u8>, ClientError> {
    let mut content = Vec::new();
    source
        .take(INPUT_BYTES_MAX + 1)
        .read_to_end(&mut content)
        .map_err(|error| ClientError::Failed(format!("cannot read {name}: {error}")))?;
    if content.len() as u64 > INPUT_BYTES_MAX {
        return Err(ClientError::Failed(format!("{name} is larger than 40 MiB, the most that a request can have")));
    }
    Ok(content)
}

fn text(content: &[u8], name: &str) -> Result<String, ClientError> {
    std::str::from_utf8(content)
        .map(str::to_owned)
        .map_err(|_| ClientError::Failed(format!("{name} is not UTF-8 text; convert it, or attach it with --attach")))
}

fn media_type(filename: &str) -> &'static str {
    let ending = filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    MEDIA_TYPES.iter().find(|(known, _)| *known == ending).map_or("application/octet-stream", |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_follow_the_ending() {
        for (name, expected) in
            [("a.PDF", "application/pdf"), ("b.tar.gz", "application/octet-stream"), ("c", "application/octet-stream")]
        {
            assert_eq!(media_type(name), expected);
        }
        assert!(MEDIA_TYPES.is_sorted(), "the table is sorted");
    }

    #[test]
    fn a_hidden_line_can_be_corrected_and_given_up() {
        let typed = |keys: &str| typed_line(keys.bytes().map(Ok)).map_err(|error| error.to_string());
        for (keys, expected) in [
            ("ph_one\nrest", "ph_one"),
            ("ph_x\u{7f}one\r", "ph_one"),
            ("oops\u{15}ph\u{8}h_1\n", "ph_1"),
            ("a\u{4}", "a"),
        ] {
            assert_eq!(typed(keys).as_deref(), Ok(expected), "{keys:?}");
        }
        assert_eq!(typed("ph_\u{3}one\n"), Err("it was interrupted".to_owned()));
    }
}
