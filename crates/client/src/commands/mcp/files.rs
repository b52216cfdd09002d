//! Attachments by path: a tool names a file of this machine, and the bridge sends its content.
//!
//! A model that read a hostile mail may ask for any file. So only files below chosen directories are read, and no hidden
//! ones, which hold keys and settings.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use crate::{commands::input, error::ClientError};

/// The member of a tool's arguments that has files.
const ATTACHMENTS: &str = "attachments";
/// The member of a file with its bytes.
pub(super) const CONTENT: &str = "content_base64";
/// Longest arguments that are sent in one request, in bytes: the server reads 4 MiB, with what surrounds them.
const INLINE_BYTES_MAX: usize = 4 * 1024 * 1024 - 64 * 1024;

/// Which files may be read.
pub(super) struct FileAccess {
    directories: Vec<PathBuf>,
}

impl FileAccess {
    /// Allows files below these directories; without any, below the current one unless that is `/` or the home directory.
    ///
    /// # Errors
    /// Fails if one of the directories can't be found.
    pub(super) fn new(given: Vec<PathBuf>, home: Option<&Path>) -> Result<Self, ClientError> {
        if given.is_empty() {
            let current = Path::new(".").canonicalize().ok();
            let home = home.and_then(|home| home.canonicalize().ok());
            let is_wide = |path: &PathBuf| path.parent().is_none() || Some(path) == home.as_ref();
            return Ok(Self { directories: current.into_iter().filter(|path| !is_wide(path)).collect() });
        }
        let found = given.iter().map(|path| {
            path.canonicalize().map_err(|error| ClientError::Usage(format!("--files {}: {error}", path.display())))
        });
        Ok(Self { directories: found.collect::<Result<_, _>>()? })
    }

    /// Replaces the paths in the arguments of a tool by the content of their files. If they don't fit in one request, their
    /// places stay without content, and the contents are returned in the order of the places: they go to an upload link.
    ///
    /// # Errors
    /// Fails if a file may not or can't be read, or if an attachment isn't clear.
    pub(super) fn resolve(&self, arguments: &mut Value) -> Result<Vec<Value>, String> {
        let Some(files) = arguments.get_mut(ATTACHMENTS).and_then(Value::as_array_mut) else { return Ok(Vec::new()) };
        let mut resolved = Vec::new();
        for (at, file) in files.iter_mut().enumerate() {
            let Some(path) = taken_path(file).map_err(|problem| format!("{ATTACHMENTS}[{at}]{problem}"))? else {
                continue;
            };
            let mut read = self.read(Path::new(&path))?;
            for (member, given) in file.as_object().into_iter().flatten() {
                if !given.is_null() {
                    read[member] = given.clone();
                }
            }
            *file = read;
            resolved.push(at);
        }
        if resolved.is_empty() || arguments.to_string().len() <= INLINE_BYTES_MAX {
            return Ok(Vec::new());
        }
        let files = arguments[ATTACHMENTS].as_array_mut().map_or(&mut [][..], Vec::as_mut_slice);
        let lacks = |(at, file): &(usize, &Value)| file[CONTENT].is_null() && !resolved.contains(at);
        if let Some((at, _)) = files.iter().enumerate().find(lacks) {
            return Err(format!(
                "{ATTACHMENTS}[{at}] has no content, and the files of the other paths are uploaded; give it a path, too"
            ));
        }
        let content = |at: &usize| files[*at].as_object_mut().and_then(|file| file.shift_remove(CONTENT));
        Ok(resolved.iter().filter_map(content).collect())
    }

    fn read(&self, path: &Path) -> Result<Value, String> {
        let shown = path.display();
        let found = path.canonicalize().map_err(|error| format!("cannot read {shown}: {error}"))?;
        self.check(&found, path)?;
        input::attachment(&found).map_err(|error| error.to_string())
    }
}

impl FileAccess {
    /// Returns the whole path of a directory in which a tool may save files.
    ///
    /// # Errors
    /// Fails if the directory isn't one, or is not below the allowed ones, or hidden.
    pub(super) fn directory(&self, path: &Path) -> Result<PathBuf, String> {
        let shown = path.display();
        let found = path.canonicalize().map_err(|error| format!("cannot save to {shown}: {error}"))?;
        self.check(&found, path)?;
        if found.is_dir() { Ok(found) } else { Err(format!("cannot save to {shown}: it is no directory")) }
    }

    /// Checks that a path is below the allowed directories and not hidden.
    fn check(&self, found: &Path, given: &Path) -> Result<(), String> {
        let shown = given.display();
        let below = self.directories.iter().find_map(|directory| found.strip_prefix(directory).ok());
        let Some(below) = below else {
            return Err(format!(
                "{shown} is outside the directories that tools may use; start posthouse mcp with --files DIR"
            ));
        };
        let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        if below.components().any(is_hidden) {
            return Err(format!("{shown} is hidden, so no tool uses it; use another name"));
        }
        Ok(())
    }
}

/// Takes the path out of an attachment; `None` if it has none.
///
/// # Errors
/// Returns the problem of an attachment with another source, or with a path that is no text.
fn taken_path(file: &mut Value) -> Result<Option<String>, &'static str> {
    let Some(members) = file.as_object_mut() else { return Ok(None) };
    match members.shift_remove("path") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(_)) if members.get(CONTENT).is_some_and(|content| !content.is_null()) => {
            Err(" has both path and content_base64; leave one of them out")
        }
        Some(Value::String(path)) => Ok(Some(path)),
        Some(_) => Err(".path must be a string; give the path of a file"),
    }
}

/// Adds paths to the schemas of the tools that accept files.
pub(super) fn describe(tools: &mut Value) {
    for tool in tools.as_array_mut().into_iter().flatten() {
        let Some(items) = tool.pointer_mut("/inputSchema/properties/attachments/items") else { continue };
        if items.get("properties").is_some_and(Value::is_object) {
            items["properties"]["path"] = json!({
                "type": "string",
                "description": "Path of a file on this machine, in place of `content_base64`."
            });
            items.as_object_mut().map(|items| items.shift_remove("required"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_visible_files_below_the_directories_are_read() {
        let home = std::env::temp_dir().join(format!("posthouse-client-files-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        let open = home.join("open");
        fs::create_dir_all(open.join(".ssh")).unwrap();
        for (path, text) in [("open/a.txt", "a"), ("open/.env", "k"), ("open/.ssh/id", "k"), ("secret.txt", "s")] {
            fs::write(home.join(path), text).unwrap();
        }
        std::os::unix::fs::symlink(home.join("secret.txt"), open.join("link.txt")).unwrap();
        let access = FileAccess::new(vec![open.clone()], None).unwrap();
        let resolve = |path: &str| {
            let mut arguments = json!({ "attachments": [{ "path": open.join(path) }] });
            access.resolve(&mut arguments).map(|_| arguments["attachments"][0].clone())
        };
        let file = json!({ "filename": "a.txt", "content_type": "text/plain", "content_base64": "YQ==" });
        assert_eq!(resolve("a.txt").unwrap(), file);
        for (path, why) in [
            ("../secret.txt", "outside"),
            ("link.txt", "outside"),
            (".env", "hidden"),
            (".ssh/id", "hidden"),
            ("none.txt", "cannot read"),
        ] {
            assert!(resolve(path).unwrap_err().contains(why), "{path}");
        }
        fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn files_that_do_not_fit_in_a_request_go_to_a_link() {
        let home = std::env::temp_dir().join(format!("posthouse-client-large-{}", std::process::id()));
        fs::create_dir_all(&home).unwrap();
        let large = 3_500_000;
        for (name, size) in [("small.txt", 1), ("half.bin", large / 2), ("large.bin", large)] {
            fs::write(home.join(name), vec![0; size]).unwrap();
        }
        let access = FileAccess::new(vec![home.clone()], None).unwrap();
        let file = |name: &str| json!({ "path": home.join(name), "filename": format!("my-{name}") });
        let inline = json!({ "filename": "x", "content_base64": "eA==" });
        let (small, half, whole) = (file("small.txt"), file("half.bin"), file("large.bin"));
        for (files, uploads) in [
            (vec![&small], 0),
            (vec![&half], 0),
            (vec![&whole], 1),
            (vec![&half, &half], 2),
            (vec![&inline, &whole, &small], 2),
        ] {
            let mut arguments = json!({ "attachments": files });
            let taken = access.resolve(&mut arguments).unwrap();
            assert_eq!(taken.len(), uploads, "{files:?}");
            assert!(arguments.to_string().len() <= INLINE_BYTES_MAX);
            let left = arguments["attachments"].as_array().unwrap();
            assert_eq!(left.iter().filter(|file| file[CONTENT].is_null()).count(), uploads);
            for (before, after) in files.iter().zip(left) {
                assert_eq!(before["filename"], after["filename"]);
                assert!(after.get("path").is_none(), "{after}");
            }
        }
        let mut arguments = json!({ "attachments": [{ "filename": "later" }, whole] });
        assert!(access.resolve(&mut arguments).unwrap_err().contains("[0] has no content"));
        fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn an_attachment_has_one_source() {
        let access = FileAccess::new(vec![PathBuf::from(".")], None).unwrap();
        for (file, problem) in [
            (json!({ "path": "Cargo.toml", "content_base64": "eA==" }), "[0] has both path and content_base64"),
            (json!({ "path": "Cargo.toml", "content_base64": 5 }), "[0] has both path and content_base64"),
            (json!({ "path": 5 }), "[0].path must be a string"),
            (json!({ "path": ["a"], "content_base64": "eA==" }), "[0].path must be a string"),
            (json!({ "path": { "a": 1 } }), "[0].path must be a string"),
        ] {
            let mut arguments = json!({ "attachments": [file] });
            assert!(access.resolve(&mut arguments).unwrap_err().contains(problem), "{problem}");
        }
        let untouched = json!({ "attachments": [{ "filename": "x", "content_base64": "eA==" }, 7, { "foo": 1 }] });
        let mut arguments = untouched.clone();
        arguments["attachments"][0]["path"] = Value::Null;
        assert_eq!(access.resolve(&mut arguments), Ok(Vec::new()));
        assert_eq!(arguments, untouched);
    }

    #[test]
    fn without_directories_the_home_is_not_open() {
        let current = Path::new(".").canonicalize().unwrap();
        assert!(FileAccess::new(Vec::new(), Some(&current)).unwrap().directories.is_empty());
        assert_eq!(FileAccess::new(Vec::new(), None).unwrap().directories, [current]);
        assert!(FileAccess::new(vec![PathBuf::from("/no/such/directory")], None).is_err());
    }

    #[test]
    fn schemas_name_the_path() {
        let items = json!({ "type": "object", "properties": { "filename": {} }, "required": ["filename"] });
        let mut tools = json!([
            { "name": "a", "inputSchema": { "properties": { "attachments": { "items": items } } } },
            { "name": "b", "inputSchema": {} },
        ]);
        describe(&mut tools);
        let items = &tools[0]["inputSchema"]["properties"]["attachments"]["items"];
        assert!(items["properties"]["path"].is_object() && items.get("required").is_none());
    }
}
