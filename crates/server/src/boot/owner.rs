//! Makes root work as the owner of the store. Files that root writes into a directory of the service's user are useless to
//! that user, and root can't safely give them away afterwards: the user can replace a path while it is changed.

use std::{
    fmt, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nix::unistd::{self, Gid, Uid, User};
use posthouse_store::DatabaseUrl;
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::config::Configuration;

/// The group of a user that this machine has no account for. It owns no files.
const NO_GROUP: u32 = 65_534;

/// Why root can't work as the owner of the store.
#[derive(Debug, thiserror::Error)]
pub enum OwnerError {
    /// Two directories of the store have different owners.
    #[error(
        "{first} belongs to {first_user}, but {second} to {second_user}: nothing was changed. Give both to the user of the \
         service (chown), then run this again"
    )]
    Several {
        /// A path of the store.
        first: String,
        /// Its owner.
        first_user: String,
        /// Another path.
        second: String,
        /// Its owner.
        second_user: String,
    },
    /// Another user owns a directory above a path of root.
    #[error(
        "{path} belongs to root, but {user} owns {parent} and can put something else in its place: nothing was changed. Give it \
         to that user (chown -R {user} {path}), or move it to a directory of root, then run this again"
    )]
    Steered {
        /// A path of the store.
        path: String,
        /// A directory above it, or of a link to it.
        parent: String,
        /// Its owner.
        user: String,
    },
    /// Others than root can write to a path of root, or to a directory above it.
    #[error(
        "other users can write to {path}, and so choose what root changes in the store: nothing was changed. Forbid it (chmod \
         go-w {path}), or give it to the user of the service (chown), then run this again"
    )]
    Shared {
        /// The path.
        path: String,
    },
    /// The kernel refuses the change of user.
    #[error(
        "{path} belongs to {user}, and root can't work as that user here ({cause}): nothing was changed. Run the command as \
         that user: sudo -u {user} posthouse …"
    )]
    Refused {
        /// A path of the store.
        path: String,
        /// Its owner.
        user: String,
        /// The error of the operating system.
        cause: io::Error,
    },
}

/// A path of the store, and its owner.
struct OwnedPath {
    path: PathBuf,
    uid: Uid,
}

/// The user that owns a store.
struct StoreOwner {
    found: OwnedPath,
    user: Option<User>,
}

/// Makes root the owner of the store for the rest of the process, except that it may still listen on ports below 1024. Does
/// nothing for other users, or if the store is root's. Call it before anything of the store is opened, and before threads
/// start.
///
/// # Errors
/// Returns an error if the directories of the store have several owners, another user decides where they are, or the system
/// doesn't allow the change.
pub fn become_owner(config: &Configuration) -> Result<(), OwnerError> {
    let Some(owner) = StoreOwner::of(config)? else { return Ok(()) };
    let done = keep_capabilities().and_then(|low_ports| {
        owner.set_groups()?;
        let (uid, gid) = (owner.found.uid, owner.group());
        unistd::setresgid(gid, gid, gid)?;
        unistd::setresuid(uid, uid, uid)?;
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: low_ports, permitted: low_ports, inheritable: none };
        Ok(rustix::thread::set_capabilities(None, sets)?)
    });
    done.map_err(|cause| owner.refused(cause))?;
    tracing::debug!(user = %owner, path = %owner.found.path.display(), "owner.became");
    Ok(())
}

/// Keeps the capabilities over the change of user, and returns the one for low ports if this process has it.
fn keep_capabilities() -> io::Result<CapabilitySet> {
    rustix::thread::set_keep_capabilities(true)?;
    Ok(rustix::thread::capabilities(None)?.permitted & CapabilitySet::NET_BIND_SERVICE)
}

/// The process works as the owner of the store, and can work as the user who started it again.
pub struct WorkingAsOwner(Option<Caller>);

/// Root, who started the process.
struct Caller {
    owner: StoreOwner,
    group: Gid,
    groups: Vec<Gid>,
}

impl WorkingAsOwner {
    /// Makes root the owner of the store, as [`become_owner`] does, until [`WorkingAsOwner::as_caller`].
    ///
    /// # Errors
    /// Returns the same errors.
    pub fn begin(config: &Configuration) -> Result<Self, OwnerError> {
        let Some(owner) = StoreOwner::of(config)? else { return Ok(Self(None)) };
        let groups = unistd::getgroups().map_err(|error| owner.refused(error.into()))?;
        let caller = Caller { owner, group: unistd::getegid(), groups };
        caller.lower()?;
        Ok(Self(Some(caller)))
    }

    /// Returns whether the owner isn't the user who started the process.
    #[must_use]
    pub fn is_another(&self) -> bool {
        self.0.is_some()
    }

    /// Works as the user who started the process: for a file that this user named outside the store.
    ///
    /// # Errors
    /// Returns an error if the user can't be changed.
    pub fn as_caller<T>(&self, work: impl FnOnce() -> T) -> Result<T, OwnerError> {
        let Some(caller) = &self.0 else { return Ok(work()) };
        caller.raise().map_err(|cause| caller.owner.refused(cause))?;
        let done = work();
        caller.lower()?;
        Ok(done)
    }
}

impl Caller {
    fn lower(&self) -> Result<(), OwnerError> {
        let lowered = self.owner.set_groups().and_then(|()| {
            unistd::setegid(self.owner.group())?;
            Ok(unistd::seteuid(self.owner.found.uid)?)
        });
        lowered.map_err(|cause| self.owner.refused(cause))
    }

    fn raise(&self) -> io::Result<()> {
        unistd::seteuid(Uid::from_raw(0))?;
        unistd::setegid(self.group)?;
        Ok(unistd::setgroups(&self.groups)?)
    }
}

impl StoreOwner {
    /// Returns the owner of the store, if this is root and the store isn't root's.
    fn of(config: &Configuration) -> Result<Option<Self>, OwnerError> {
        if !unistd::geteuid().is_root() {
            return Ok(None);
        }
        let places = places(config);
        let mut of_others = places.iter().filter_map(|path| owner_of(path)).filter(|of| !of.uid.is_root());
        let Some(first) = of_others.next() else {
            return places.iter().try_for_each(|path| require_of_root(path)).map(|()| None);
        };
        if let Some(second) = of_others.find(|other| other.uid != first.uid) {
            return Err(OwnerError::Several {
                first: first.path.display().to_string(),
                second: second.path.display().to_string(),
                first_user: Self::named(first).to_string(),
                second_user: Self::named(second).to_string(),
            });
        }
        Ok(Some(Self::named(first)))
    }

    fn named(found: OwnedPath) -> Self {
        Self { user: User::from_uid(found.uid).ok().flatten(), found }
    }

    fn group(&self) -> Gid {
        self.user.as_ref().map_or(Gid::from_raw(NO_GROUP), |user| user.gid)
    }

    /// Sets the supplementary groups of the owner.
    fn set_groups(&self) -> io::Result<()> {
        let name = self.user.as_ref().and_then(|user| std::ffi::CString::new(user.name.as_str()).ok());
        match name {
            Some(name) => unistd::initgroups(&name, self.group())?,
            None => unistd::setgroups(&[])?,
        }
        Ok(())
    }

    fn refused(&self, cause: io::Error) -> OwnerError {
        OwnerError::Refused { path: self.found.path.display().to_string(), user: self.to_string(), cause }
    }
}

/// The name of the owner, as sudo reads it.
impl fmt::Display for StoreOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.user {
            Some(user) => f.write_str(&user.name),
            None => write!(f, "'#{}'", self.found.uid),
        }
    }
}

/// Returns the paths that a command may write to.
fn places(config: &Configuration) -> Vec<PathBuf> {
    let mut places = vec![config.data_dir.clone()];
    if let Ok(DatabaseUrl::Sqlite(database)) = super::configured_database(config) {
        let directory = database.parent().filter(|parent| !parent.as_os_str().is_empty());
        places.push(directory.unwrap_or(Path::new(".")).to_owned());
        if fs::symlink_metadata(&database).is_ok() {
            places.push(database);
        }
    }
    places.extend(config.blob_url.as_deref().and_then(|url| url.strip_prefix("file://")).map(PathBuf::from));
    places
}

/// Checks that nobody but root decides where a path leads: root owns all directories above it and above what it links to,
/// and no other user can write to them. In a directory with the sticky bit, others can't replace what is root's.
fn require_of_root(path: &Path) -> Result<(), OwnerError> {
    let Ok(absolute) = std::path::absolute(path) else { return Ok(()) };
    // A path that doesn't exist yet is made below its nearest parent.
    let Some(exists) = absolute.ancestors().find(|path| fs::symlink_metadata(path).is_ok()) else { return Ok(()) };
    let target = fs::canonicalize(exists).unwrap_or_else(|_| exists.to_owned());
    for part in exists.ancestors().chain(target.ancestors()) {
        let Ok(metadata) = fs::symlink_metadata(part) else { continue };
        if metadata.uid() != 0 {
            let parent = OwnedPath { path: part.to_owned(), uid: Uid::from_raw(metadata.uid()) };
            return Err(OwnerError::Steered {
                path: absolute.display().to_string(),
                parent: part.display().to_string(),
                user: StoreOwner::named(parent).to_string(),
            });
        }
        if is_writable_by_others(&metadata, part == target && exists == absolute) {
            return Err(OwnerError::Shared { path: part.display().to_string() });
        }
    }
    Ok(())
}

/// Returns whether others than root can write to a file of root, or to a directory if it is the store's or they could
/// replace what is in it. The group of root is root's.
fn is_writable_by_others(metadata: &fs::Metadata, is_of_store: bool) -> bool {
    const GROUP: u32 = 0o020;
    const OTHERS: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let others = if metadata.gid() == 0 { OTHERS } else { GROUP | OTHERS };
    let is_sticky = metadata.is_dir() && metadata.mode() & STICKY != 0;
    !metadata.is_symlink() && metadata.mode() & others != 0 && (is_of_store || !is_sticky)
}

/// Returns the owner of a path, or of its nearest parent that exists. A link belongs to the user who made it.
fn owner_of(path: &Path) -> Option<OwnedPath> {
    let absolute = std::path::absolute(path).ok()?;
    absolute.ancestors().find_map(|path| {
        let own = fs::symlink_metadata(path).ok()?;
        let uid = if own.uid() == 0 { fs::metadata(path).unwrap_or(own).uid() } else { own.uid() };
        Some(OwnedPath { path: path.to_owned(), uid: Uid::from_raw(uid) })
    })
}
