//! Attachments that a tool saves as files of this machine, so that they don't pass through the model.
//!
//! A stranger chose their names and contents: a name keeps only harmless characters, and no file is replaced.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::files::FileAccess;
use crate::{
    api::{Api, Call, segment},
    error::ClientError,
};

/// The tool that saves the files of a message.
const TOOL: &str = "get_message";
/// Its argument with the directory.
const SAVE_TO: &str = "save_to";
/// Longest name of a file, without the number that makes it unique, in characters.
const NAME_CHARS_MAX: usize = 100;
/// How many files of one name a directory may have.
const SAME_NAME_MAX: u32 = 1_000;

/// Adds the argument to the schema of the tool.
pub(super) fn describe(tools: &mut Value) {
    let mut tools = tools.as_array_mut().into_iter().flatten();
    let tool = tools.find(|tool| tool["name"] == TOOL).filter(|tool| tool["inputSchema"]["properties"].is_object());
    if let Some(tool) = tool {
        tool["inputSchema"]["properties"][SAVE_TO] = json!({
            "type": "string",
            "description": "Directory on this machine to save the attachments in."
        });
    }
}

/// Takes the directory out of the arguments of a call: the server doesn't know it.
///
/// # Errors
/// Fails if the tool may not save files there.
pub(super) fn take(files: &FileAccess, params: &mut Value) -> Result<Option<PathBuf>, String> {
    if params["name"] != TOOL {
        return Ok(None);
    }
    let arguments = params.get_mut("arguments").and_then(Value::as_object_mut);
    let Some(given) = arguments.and_then(|given| given.shift_remove(SAVE_TO)) else { return Ok(None) };
    match given.as_str() {
        Some(path) => files.directory(Path::new(path)).map(Some),
        None => Err(format!("{SAVE_TO} must be the path of a directory")),
    }
}

/// Saves the attachments of a message, and returns where each is.
///
/// # Errors
/// Fails if the message or one of the files can't be read or written.
pub(super) async fn save(api: &Api, message: &str, directory: &Path) -> Result<Value, ClientError> {
    let message = api.json(Call::get(format!("/v1/messages/{}", segment(message)))).await?;
    let mut saved = Vec::new();
    for file in message["attachments"].as_array().into_iter().flatten() {
        let id = file["id"].as_str().unwrap_or_default();
        let bytes = api.bytes(format!("/v1/attachments/{}", segment(id))).await?;
        let path = write_new(directory, &safe_name(file["filename"].as_str().unwrap_or_default()), &bytes)?;
        saved.push(json!({ "attachment_id": id, "path": path.display().to_string() }));
    }
    Ok(json!({ "saved": saved }))
}

/// Returns a name that is only a name: letters, digits and a few signs, and not hidden.
fn safe_name(given: &str) -> String {
    let keep = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' => character,
        other if other.is_alphanumeric() => other,
        _ => '_',
    };
    let kept: String = given.chars().map(keep).collect();
    let kept = kept.trim_start_matches(['.', '-']).trim_end_matches('.');
    let skipped = kept.chars().count().saturating_sub(NAME_CHARS_MAX);
    // The end has the type of the file.
    let short: String = kept.chars().skip(skipped).collect();
    let short = short.trim_start_matches(['.', '-']);
    if short.is_empty() { "attachment".to_owned() } else { short.to_owned() }
}

/// Writes a file that didn't exist, under another name if one with this name does.
fn write_new(directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, ClientError> {
    let (stem, ending) = name.rsplit_once('.').map_or((name, String::new()), |(stem, end)| (stem, format!(".{end}")));
    for number in 1..=SAME_NAME_MAX {
        let unique = if number == 1 { name.to_owned() } else { format!("{stem}-{number}{ending}") };
        let path = directory.join(unique);
        let failed = |error| ClientError::Failed(format!("cannot write {}: {error}", path.display()));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => return file.write_all(bytes).map(|()| path.clone()).map_err(failed),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(ClientError::Failed(format!("{} has too many files named {name}", directory.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_strangers_are_only_names() {
        for (given, name) in [
            ("plan.pdf", "plan.pdf"),
            ("../../.ssh/authorized_keys", "_.._.ssh_authorized_keys"),
            (".bashrc", "bashrc"),
            ("-rf", "rf"),
            ("a b\u{202e}\n\x1b[31m.txt", "a_b____31m.txt"),
            ("Übung.txt", "Übung.txt"),
            ("", "attachment"),
            ("...", "attachment"),
        ] {
            assert_eq!(safe_name(given), name, "{given:?}");
        }
        let long = safe_name(&format!("{}.pdf", "x".repeat(500)));
        assert!(long.chars().count() == NAME_CHARS_MAX && long.ends_with(".pdf"));
    }

    #[test]
    fn no_file_is_replaced() {
        let home = crate::environment::temporary_directory().join(format!("posthouse-saving-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        for name in ["a.txt", "a-2.txt", "a-3.txt"] {
            assert_eq!(write_new(&home, "a.txt", name.as_bytes()).unwrap(), home.join(name));
        }
        assert_eq!(std::fs::read_to_string(home.join("a.txt")).unwrap(), "a.txt");
        std::fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn the_directory_is_taken_out_of_the_call() {
        let home = crate::environment::temporary_directory().join(format!("posthouse-save-to-{}", std::process::id()));
        std::fs::create_dir_all(home.join("open/in")).unwrap();
        std::fs::create_dir_all(home.join("open/.git")).unwrap();
        let home = home.canonicalize().unwrap();
        let files = FileAccess::new(vec![home.join("open")], None).unwrap();
        let call = |tool: &str, path: &Value| {
            let mut params = json!({ "name": tool, "arguments": { "message_id": "m", "save_to": path } });
            (take(&files, &mut params), params["arguments"].get(SAVE_TO).is_some())
        };
        let path = |name: &str| json!(home.join(name));
        assert_eq!(call(TOOL, &path("open/in")), (Ok(Some(home.join("open/in"))), false));
        assert_eq!(call("get_thread", &path("open/in")), (Ok(None), true));
        for (path, why) in [
            (path("."), "outside"),
            (path("open/in/../.."), "outside"),
            (path("open/.git"), "hidden"),
            (path("open/none"), "cannot save"),
            (json!(7), "must be the path"),
        ] {
            assert!(call(TOOL, &path).0.unwrap_err().contains(why), "{path}");
        }
        std::fs::remove_dir_all(&home).unwrap();
    }
}
