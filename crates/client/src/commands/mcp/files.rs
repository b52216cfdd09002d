//! Attachments by path: a tool names a file of this machine, and the bridge sends its content.
//!
//! A model that read a hostile mail may ask for any file. So only files below chosen directories are read, and no hidden
//! ones, which hold keys and settings.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::saving;
use crate::{commands::input, error::ClientError};

/// The member of a tool's arguments that has files.
const ATTACHMENTS: &str = "attachments";

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

    /// Replaces the paths in the arguments of a tool by the content of their files.
    ///
    /// # Errors
    /// Fails if a file may not or can't be read.
    pub(super) fn resolve(&self, arguments: &mut Value) -> Result<(), String> {
        let Some(files) = arguments.get_mut(ATTACHMENTS).and_then(Value::as_array_mut) else { return Ok(()) };
        for file in files {
            let Some(path) = file.get("path").and_then(Value::as_str) else { continue };
            let mut read = self.read(Path::new(path))?;
            for member in ["filename", "content_type"] {
                if let Some(given) = file.get(member).filter(|given| given.is_string()) {
                    read[member] = given.clone();
                }
            }
            *file = read;
        }
        Ok(())
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

/// Adds paths to the schemas of the tools that accept or return files.
pub(super) fn describe(tools: &mut Value) {
    for tool in tools.as_array_mut().into_iter().flatten() {
        saving::describe(tool);
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
            access.resolve(&mut arguments).map(|()| arguments["attachments"][0].clone())
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
