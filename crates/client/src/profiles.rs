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
/// The most damaged files that are kept.
const COPIES_MAX: u32 = 100;

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
    /// Why the file that is there can't be used.
    damage: Option<&'static str>,
    /// Where the damaged file is kept.
    copy: Option<PathBuf>,
}

impl ConfigFile {
    /// Reads the file of this user. A missing or empty file has no profiles.
    ///
    /// # Errors
    /// Fails if there is no configuration directory, or if the file can't be read or is damaged.
    pub(crate) fn read(environment: &Environment) -> Result<Self, ClientError> {
        let file = Self::read_for_login(environment)?;
        match file.damage {
            None => Ok(file),
            Some(why) => Err(unreadable(&file.path, why)),
        }
    }

    /// Reads the file of this user to store a profile in it: a damaged file is replaced by a new one, and kept beside it.
    ///
    /// # Errors
    /// Fails if there is no configuration directory, or if the file can't be read.
    pub(crate) fn read_for_login(environment: &Environment) -> Result<Self, ClientError> {
        let directory = environment.config_home.as_ref().ok_or_else(|| {
            ClientError::Failed("no configuration directory: set HOME or XDG_CONFIG_HOME, or POSTHOUSE_API_KEY".into())
        })?;
        Self::read_path(directory.join("posthouse").join("config.json"))
    }

    fn read_path(path: PathBuf) -> Result<Self, ClientError> {
        let (content, damage) = match fs::metadata(&path) {
            Ok(file) if file.len() > FILE_BYTES_MAX => (Map::new(), Some("it is too large")),
            Ok(_) => {
                let bytes = fs::read(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
                match serde_json::from_slice(&bytes) {
                    Ok(content) => (content, None),
                    Err(_) if bytes.trim_ascii().is_empty() => (Map::new(), None),
                    Err(_) => (Map::new(), Some("it is not a JSON object")),
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => (Map::new(), None),
            Err(error) => return Err(unreadable(&path, &error.to_string())),
        };
        Ok(Self { path, content, damage, copy: None })
    }

    /// Returns where a damaged file was kept when a new one was written.
    pub(crate) fn copy(&self) -> Option<&Path> {
        self.copy.as_deref()
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

    fn write(&mut self) -> Result<(), ClientError> {
        if self.damage.is_some() {
            self.copy = Some(set_aside(&self.path).map_err(|error| self.unwritable(&error))?);
            self.damage = None;
        }
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

fn unreadable(path: &Path, why: &str) -> ClientError {
    ClientError::Failed(format!("cannot read {}: {why}; run posthouse login to write it again", path.display()))
}

/// Keeps a damaged file under a name that is free, for its owner alone: it may have keys.
fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    for number in 1..=COPIES_MAX {
        let mut copy = path.as_os_str().to_owned();
        copy.push(if number == 1 { ".damaged".to_owned() } else { format!(".damaged-{number}") });
        let copy = PathBuf::from(copy);
        // A link fails if there is such a file, so none is replaced.
        match fs::hard_link(path, &copy) {
            Ok(()) => {
                fs::set_permissions(&copy, fs::Permissions::from_mode(0o600))?;
                return Ok(copy);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("there are too many damaged copies beside it"))
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
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = directory.join(name);
    let _ = fs::remove_file(&temporary);
    let written = (|| {
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        // The mask of the process took bits from the mode.
        file.set_permissions(fs::Permissions::from_mode(mode))?;
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

    /// Commands name the path and the next step, and that step works: the new file has the profile, and the old bytes are kept.
    #[test]
    fn a_damaged_file_is_replaced_by_a_login_and_kept() {
        let home = directory("damaged");
        let environment = Environment { config_home: Some(home.clone()), ..Environment::default() };
        let path = home.join("posthouse/config.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let too_large = "x".repeat(usize::try_from(FILE_BYTES_MAX).unwrap() + 1);
        let damaged = [
            "{bad",
            "[]",
            "null",
            "5",
            "\"text\"",
            "true",
            "{",
            "}",
            "{\"api_key\": \"ph_one\"",
            "{} {}",
            "{\"a\": 1,}",
            "api_key: ph_one",
            "\u{feff}{}",
            "// {}",
            "[{}]",
            "{'a': 1}",
            "{\"a\" 1}",
            "nul",
            "\0",
            &too_large,
        ];
        for (number, text) in (1..).zip(damaged) {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            let error = ConfigFile::read(&environment).err().unwrap().to_string();
            assert!(error.contains("config.json") && error.contains("posthouse login"), "{error}");
            let mut file = ConfigFile::read_for_login(&environment).unwrap();
            assert_eq!(file.copy(), None);
            file.store(DEFAULT_PROFILE, &profile("ph_new", "http://x")).unwrap();
            let copy = file.copy().unwrap().to_owned();
            let ending = if number == 1 { ".damaged".to_owned() } else { format!(".damaged-{number}") };
            assert_eq!(copy, home.join(format!("posthouse/config.json{ending}")));
            assert_eq!(fs::read_to_string(&copy).unwrap(), text);
            assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
            let stored = ConfigFile::read(&environment).unwrap().profile(DEFAULT_PROFILE).unwrap();
            assert_eq!(stored.api_key.as_deref(), Some("ph_new"));
        }
        for text in ["", " \n"] {
            fs::write(&path, text).unwrap();
            assert!(ConfigFile::read(&environment).unwrap().names().is_empty(), "an empty file has nothing to keep");
        }
        fs::remove_dir_all(&home).unwrap();
    }
}
