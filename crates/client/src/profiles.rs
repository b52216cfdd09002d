//! Stored keys and servers: `posthouse/config.json` in the configuration directory of the user, with mode 600.
//!
//! The default profile is at the top level of the file, others are in `profiles`. Unknown members are kept. The key is
//! never printed.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use crate::{environment::Environment, error::ClientError};

/// The name of the default profile.
pub(crate) const DEFAULT_PROFILE: &str = "default";
/// Largest configuration file in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// A stored key and its server.
#[derive(Clone, Default)]
pub(crate) struct Profile {
    /// The API key.
    pub(crate) api_key: Option<String>,
    /// The address of the server that the key is for.
    pub(crate) base_url: Option<String>,
}

/// The configuration file.
pub(crate) struct ConfigFile {
    path: PathBuf,
    content: Map<String, Value>,
}

impl ConfigFile {
    /// Reads the file of this user. A missing file is empty.
    ///
    /// # Errors
    /// Fails if there is no configuration directory, or if the file can't be read or is not JSON.
    pub(crate) fn read(environment: &Environment) -> Result<Self, ClientError> {
        let directory = environment.config_home.as_ref().ok_or_else(|| {
            ClientError::Failed("no configuration directory: set HOME or XDG_CONFIG_HOME, or POSTHOUSE_API_KEY".into())
        })?;
        Self::read_path(directory.join("posthouse").join("config.json"))
    }

    fn read_path(path: PathBuf) -> Result<Self, ClientError> {
        let unreadable = |why: String| {
            ClientError::Failed(format!("cannot read {}: {why}; run posthouse login to write it again", path.display()))
        };
        let content = match fs::metadata(&path) {
            Ok(file) if file.len() > FILE_BYTES_MAX => return Err(unreadable("it is too large".into())),
            Ok(_) => {
                let bytes = fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
                serde_json::from_slice(&bytes).map_err(|_| unreadable("it is not a JSON object".into()))?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        Ok(Self { path, content })
    }

    /// Returns the path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the names of the stored profiles.
    pub(crate) fn names(&self) -> Vec<String> {
        let default = self.content.contains_key("api_key").then(|| DEFAULT_PROFILE.to_owned());
        let named = self.content.get("profiles").and_then(Value::as_object).into_iter().flat_map(Map::keys).cloned();
        default.into_iter().chain(named).collect()
    }

    /// Returns a profile, or `None` if it is not stored.
    pub(crate) fn profile(&self, name: &str) -> Option<Profile> {
        let content = match name {
            DEFAULT_PROFILE => &self.content,
            _ => self.content.get("profiles")?.get(name)?.as_object()?,
        };
        let text = |member: &str| content.get(member).and_then(Value::as_str).map(str::to_owned);
        let profile = Profile { api_key: text("api_key"), base_url: text("base_url") };
        (profile.api_key.is_some() || profile.base_url.is_some()).then_some(profile)
    }

    /// Stores a profile.
    ///
    /// # Errors
    /// Fails if the file can't be written.
    pub(crate) fn store(&mut self, name: &str, profile: &Profile) -> Result<(), ClientError> {
        let content = match name {
            DEFAULT_PROFILE => &mut self.content,
            _ => object(object(&mut self.content, "profiles"), name),
        };
        content.insert("api_key".into(), json!(profile.api_key));
        content.insert("base_url".into(), json!(profile.base_url));
        self.write()
    }

    /// Removes a profile, and returns whether there was one.
    ///
    /// # Errors
    /// Fails if the file can't be written.
    pub(crate) fn remove(&mut self, name: &str) -> Result<bool, ClientError> {
        let was_stored = self.profile(name).is_some();
        match name {
            DEFAULT_PROFILE => {
                self.content.shift_remove("api_key");
                self.content.shift_remove("base_url");
            }
            _ => {
                object(&mut self.content, "profiles").shift_remove(name);
            }
        }
        let no_other = self.content.get("profiles").and_then(Value::as_object).is_none_or(Map::is_empty);
        if no_other {
            self.content.shift_remove("profiles");
        }
        if self.content.is_empty() {
            match fs::remove_file(&self.path) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(self.unwritable(&error)),
            }
        } else if was_stored {
            self.write()?;
        }
        Ok(was_stored)
    }

    fn write(&self) -> Result<(), ClientError> {
        let text = format!("{:#}\n", Value::Object(self.content.clone()));
        write_whole(&self.path, text.as_bytes(), 0o600).map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &std::io::Error) -> ClientError {
        ClientError::Failed(format!(
            "cannot write {}: {error}; set POSTHOUSE_API_KEY instead of storing the key",
            self.path.display()
        ))
    }
}

/// Returns the object in this member, created if it is missing.
fn object<'a>(content: &'a mut Map<String, Value>, member: &str) -> &'a mut Map<String, Value> {
    let value = content.entry(member).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    value.as_object_mut().expect("the value was just made an object")
}

/// Writes a file with these permissions, whole or not at all. Directories that are missing are private.
///
/// # Errors
/// Fails if the directory can't be created or written.
pub(crate) fn write_whole(path: &Path, content: &[u8], mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = directory.join(name);
    let _ = fs::remove_file(&temporary);
    let written = (|| {
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("posthouse-client-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    fn profile(key: &str, url: &str) -> Profile {
        Profile { api_key: Some(key.to_owned()), base_url: Some(url.to_owned()) }
    }

    #[test]
    fn profiles_are_stored_with_mode_600_and_removed_one_by_one() {
        let home = directory("profiles");
        let path = home.join("posthouse/config.json");
        let read = || ConfigFile::read_path(path.clone()).unwrap();
        read().store(DEFAULT_PROFILE, &profile("ph_one", "http://one")).unwrap();
        read().store("work", &profile("ph_two", "http://two")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let file = read();
        assert_eq!(file.names(), [DEFAULT_PROFILE, "work"]);
        assert_eq!(file.profile("work").unwrap().api_key.as_deref(), Some("ph_two"));
        assert_eq!(file.profile(DEFAULT_PROFILE).unwrap().base_url.as_deref(), Some("http://one"));
        assert!(file.profile("other").is_none());
        assert!(read().remove(DEFAULT_PROFILE).unwrap());
        assert!(!read().remove(DEFAULT_PROFILE).unwrap());
        assert_eq!(read().names(), ["work"]);
        assert!(read().remove("work").unwrap());
        assert!(!path.exists(), "an empty file is removed");
        fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn an_existing_file_becomes_private_and_keeps_unknown_members() {
        let home = directory("existing");
        let path = home.join("config.json");
        fs::create_dir_all(&home).unwrap();
        fs::write(&path, r#"{"editor": "vi", "api_key": "ph_old"}"#).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        ConfigFile::read_path(path.clone()).unwrap().store(DEFAULT_PROFILE, &profile("ph_new", "http://x")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"editor\": \"vi\"") && text.contains("ph_new") && !text.contains("ph_old"), "{text}");
        fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn a_broken_file_names_its_path_and_the_next_step() {
        let home = directory("broken");
        fs::create_dir_all(&home).unwrap();
        let path = home.join("config.json");
        fs::write(&path, "[]").unwrap();
        let error = ConfigFile::read_path(path).err().unwrap().to_string();
        assert!(error.contains("config.json") && error.contains("posthouse login"), "{error}");
        fs::remove_dir_all(&home).unwrap();
    }
}
