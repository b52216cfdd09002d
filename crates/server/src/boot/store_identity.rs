//! Checks whether a database and a data directory belong together, before anything is created in either.
//!
//! A store has an id, which is in its database and in the file `store.id` of each data directory that opened it. A
//! directory with remains of a store whose database is missing or empty is refused: as a new store it would permanently
//! reject mail for every existing inbox.
//!
//! Several processes may start on an empty store at the same time. Each records the id in the database before it
//! creates any file that counts as remains. Remains that were found before a database without an id belong to another
//! store.

use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use posthouse_domain::time::Time;
use posthouse_store::{
    BlobStore, DatabaseUrl, Error, Store, Tx,
    backup::BLOBS_DIR,
    instance,
    migrate::{self, ExistingDatabase},
};

use super::{BootError, open_blobs};
use crate::config::Configuration;
use posthouse_app::{files, ports::Clock};

/// The file with the store id in a data directory.
const ID_FILE: &str = "store.id";
/// The file with the number of commits of the store.
const MARK_FILE: &str = "store.mark";
/// Files of a data directory that are created only after the database has its store id.
const REMAINS: [&str; 2] = ["instance.key", "instance.key.next"];
/// Suffixes of the files next to an SQLite database. SQLite creates them only for a database that isn't empty.
const WAL_SUFFIXES: [&str; 2] = ["-wal", "-shm"];
/// Suffix of the rollback journal. It may be left by the first transaction, so it doesn't count as remains.
const JOURNAL: &str = "-journal";
/// Time limit for checking whether the blob store has blobs, in milliseconds.
const BLOBS_MS_MAX: u64 = 5_000;

/// The state of data directory and database before the store is opened.
#[derive(Clone, Debug, Default)]
struct StoreFacts {
    /// The store id in the data directory.
    directory: Option<String>,
    /// The content of the database, if there is a database that isn't empty.
    database: Option<ExistingDatabase>,
    /// Another file or directory that shows that there was a store.
    remains: Option<String>,
}

/// The conclusion from [`StoreFacts`].
#[derive(Clone, PartialEq, Eq, Debug)]
enum StoreVerdict {
    /// There is no store yet.
    New,
    /// A store without an id, created by an older version.
    Unnamed,
    /// A store that is new to this data directory.
    Join,
    /// The store of this data directory.
    Same,
    /// There was a store, but its database is missing or empty.
    DatabaseLost(String),
    /// The database belongs to another store.
    Foreign {
        /// The id in the database.
        database: String,
        /// The id in the data directory.
        directory: String,
    },
}

fn classify(facts: &StoreFacts) -> StoreVerdict {
    match (&facts.directory, &facts.database) {
        (directory, Some(ExistingDatabase { store_id: Some(id), .. })) => match directory {
            None => StoreVerdict::Join,
            Some(directory) if directory == id => StoreVerdict::Same,
            Some(directory) => StoreVerdict::Foreign { database: id.clone(), directory: directory.clone() },
        },
        (_, Some(ExistingDatabase { store_id: None, is_used: true })) => StoreVerdict::Unnamed,
        (Some(_), _) => StoreVerdict::DatabaseLost(ID_FILE.to_owned()),
        (None, _) => facts.remains.clone().map_or(StoreVerdict::New, StoreVerdict::DatabaseLost),
    }
}

/// A data directory and a database that may be opened together.
pub(super) struct StoreIdentity {
    directory: PathBuf,
    id: Option<String>,
    is_same: bool,
}

impl StoreIdentity {
    /// Checks both. With `new_store`, remains of a store whose database is missing are moved aside.
    pub(super) fn find(config: &Configuration, url: &DatabaseUrl, new_store: bool) -> Result<Self, BootError> {
        Self::find_by(config, url, new_store, migrate::inspect)
    }

    /// [`StoreIdentity::find`] without changing any file.
    pub(super) fn inspect(config: &Configuration, url: &DatabaseUrl) -> Result<Self, BootError> {
        Self::find_by(config, url, false, migrate::inspect_read_only)
    }

    fn find_by(
        config: &Configuration,
        url: &DatabaseUrl,
        new_store: bool,
        inspect_database: fn(&DatabaseUrl) -> Result<Option<ExistingDatabase>, Error>,
    ) -> Result<Self, BootError> {
        let facts = gather(config, url, inspect_database)?;
        let verdict = classify(&facts);
        match &verdict {
            StoreVerdict::DatabaseLost(_) if new_store => set_aside(config, url)?,
            StoreVerdict::DatabaseLost(remains) => return Err(gone(config, url, remains)),
            StoreVerdict::Foreign { database, directory } => {
                return Err(BootError::OtherStore {
                    database: format!("{url} (store {database})"),
                    directory: format!("{} (store {directory})", config.data_dir.display()),
                    file: config.data_dir.join(ID_FILE),
                });
            }
            StoreVerdict::Unnamed | StoreVerdict::Join | StoreVerdict::Same if new_store => {
                tracing::warn!(database = %url, "store.new_store_ignored");
            }
            StoreVerdict::New | StoreVerdict::Unnamed | StoreVerdict::Join | StoreVerdict::Same => {}
        }
        // The new store needs a new id, so that the missing database isn't accepted if it reappears.
        let is_lost = matches!(verdict, StoreVerdict::DatabaseLost(_));
        let id = facts.directory.filter(|_| !is_lost);
        Ok(Self { directory: config.data_dir.clone(), id, is_same: verdict == StoreVerdict::Same })
    }

    /// Returns the path of the file with the commit count.
    pub(super) fn mark(&self) -> PathBuf {
        self.directory.join(MARK_FILE)
    }

    /// Records the store id in both where it is missing. If `serving`, also logs when commits are missing.
    pub(super) fn settle(self, store: &Store, serving: bool, clock: &dyn Clock) -> Result<(), BootError> {
        // Blocking calls of the store must not run on a thread of the runtime.
        thread::scope(|scope| scope.spawn(|| self.settle_here(store, serving, clock)).join())
            .unwrap_or_else(|_| Err(BootError::Store("the store could not be checked".to_owned())))
    }

    fn settle_here(self, store: &Store, serving: bool, clock: &dyn Clock) -> Result<(), BootError> {
        if !self.is_same {
            let own = self.id.unwrap_or_else(|| clock.ids().next::<uuid::Uuid>().to_string());
            let id: String = store.write_blocking(move |tx: &mut Tx| instance::name_store(tx, &own))?;
            let path = self.directory.join(ID_FILE);
            files::make(&path, &format!("{id}\n"))
                .map_err(BootError::io(format!("{} cannot be written", path.display())))?;
        }
        if !serving {
            return Ok(());
        }
        let found: u64 = store.read_blocking(instance::commits)?;
        let expected = store.expected_commits();
        if self.is_same && found < expected {
            let lost = expected - found;
            tracing::warn!(
                expected_commits = expected,
                found_commits = found,
                lost_commits = lost,
                advice = "the database is older than its data directory: its log was truncated or removed, or an \
                 older copy was restored; later changes are missing",
                "store.commits_lost"
            );
        }
        if !self.is_same || found < expected {
            store.reset_mark(found);
        }
        Ok(())
    }
}

/// Commits that are missing from a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostCommits {
    /// The number of missing commits.
    pub lost: u64,
    /// The number of commits that were made.
    pub expected: u64,
}

/// Returns the missing commits, if there are any.
pub async fn lost_commits(store: &Store) -> Result<Option<LostCommits>, Error> {
    let (expected, found) = (store.expected_commits(), store.read::<u64, Error>(instance::commits).await?);
    Ok(expected.checked_sub(found).filter(|lost| *lost > 0).map(|lost| LostCommits { lost, expected }))
}

/// Collects the facts about both.
fn gather(
    config: &Configuration,
    url: &DatabaseUrl,
    inspect_database: fn(&DatabaseUrl) -> Result<Option<ExistingDatabase>, Error>,
) -> Result<StoreFacts, BootError> {
    let mut facts = StoreFacts { directory: read_id(&config.data_dir)?, ..StoreFacts::default() };
    facts.remains = remains(&config.data_dir);
    let beside = beside(url);
    facts.database = inspect_database(url)?;
    if facts.database.is_none() {
        // The files next to an existing database belong to it.
        facts.remains = facts.remains.or(beside);
    }
    if classify(&facts) == StoreVerdict::New && holds_blobs(&open_blobs(config)?)? {
        facts.remains = Some(config.blob_url.clone().unwrap_or_else(|| format!("{BLOBS_DIR}/")));
    }
    if let StoreVerdict::DatabaseLost(_) = classify(&facts) {
        // Another process may have created the store in the meantime.
        facts.database = inspect_database(url)?;
    }
    Ok(facts)
}

fn read_id(directory: &Path) -> Result<Option<String>, BootError> {
    let path = directory.join(ID_FILE);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(BootError::io(format!("{} cannot be read", path.display()))(error)),
    }
}

/// Returns a file of a store in the data directory, other than its database, id and blobs.
fn remains(directory: &Path) -> Option<String> {
    let found = REMAINS.iter().find(|name| directory.join(name).exists());
    let is_old_key = |name: &String| name.starts_with("instance.key.old-");
    let old_key = || {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).find(is_old_key)
    };
    found.map(|name| (*name).to_owned()).or_else(old_key)
}

/// Returns a file next to an embedded database.
fn beside(url: &DatabaseUrl) -> Option<String> {
    let DatabaseUrl::Sqlite(path) = url else { return None };
    let found = WAL_SUFFIXES.iter().map(|ending| with_ending(path, ending)).find(|path| path.exists());
    found.map(|path| path.display().to_string())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns whether there are blobs. Runs on a new thread, because the caller may be on a thread of a runtime.
fn holds_blobs(blobs: &BlobStore) -> Result<bool, BootError> {
    let ask = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let asked = async { tokio::time::timeout(Duration::from_millis(BLOBS_MS_MAX), blobs.any()).await };
        Ok(runtime.block_on(asked))
    };
    let asked = thread::scope(|scope| scope.spawn(ask).join());
    match asked.unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))) {
        Ok(Ok(Ok(any))) => Ok(any),
        // If the blob store is unavailable, only the database decides whether the store is new.
        Ok(Ok(Err(error))) => {
            tracing::warn!(cause = error.internal(), "blobs.unavailable");
            Ok(false)
        }
        Ok(Err(_)) => {
            tracing::warn!(cause = "no answer", "blobs.unavailable");
            Ok(false)
        }
        Err(cause) => Err(BootError::io("cannot check the blob store")(cause)),
    }
}

fn gone(config: &Configuration, url: &DatabaseUrl, remains: &str) -> BootError {
    let restore = match url {
        DatabaseUrl::Sqlite(_) => "restore a backup into a new data_dir (posthouse restore FILE)",
        DatabaseUrl::Postgres(_) => "correct database_url, or restore a backup of the database",
    };
    BootError::DatabaseLost {
        database: url.to_string(),
        directory: config.data_dir.display().to_string(),
        remains: remains.to_owned(),
        restore,
    }
}

/// Moves the remains of a store aside; nothing is deleted. The instance key stays, because the new store can use it
/// too.
fn set_aside(config: &Configuration, url: &DatabaseUrl) -> Result<(), BootError> {
    let mut paths: Vec<PathBuf> = [ID_FILE, MARK_FILE].iter().map(|name| config.data_dir.join(name)).collect();
    if let DatabaseUrl::Sqlite(path) = url {
        paths.push(path.clone());
        paths.extend(WAL_SUFFIXES.iter().chain([&JOURNAL]).map(|ending| with_ending(path, ending)));
    }
    if config.blob_url.is_none() {
        paths.push(config.data_dir.join(BLOBS_DIR));
    }
    let now: Time = super::clock().now();
    let ending = format!(".old-{}", now.to_string().replace(':', "-"));
    for path in paths.iter().filter(|path| path.exists()) {
        let aside = with_ending(path, &ending);
        fs::rename(path, &aside).map_err(BootError::io(format!("{} cannot be moved aside", path.display())))?;
        tracing::warn!(from = %path.display(), to = %aside.display(), "store.set_aside");
    }
    Ok(())
}

/// Returns the files that opening a new store creates.
pub(super) fn files_of_new_store(config: &Configuration, database: &Path) -> Vec<PathBuf> {
    let beside = WAL_SUFFIXES.iter().chain([&JOURNAL, &"-serving"]).map(|ending| with_ending(database, ending));
    let own = [ID_FILE, MARK_FILE].iter().map(|name| config.data_dir.join(name));
    beside.chain(own).chain([database.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_database_without_remains_is_a_new_store() {
        let holding = |id: Option<&str>, is_used| Some(ExistingDatabase { store_id: id.map(str::to_owned), is_used });
        let gone = |remains: &str| StoreVerdict::DatabaseLost(remains.to_owned());
        let table = [
            (None, None, None, StoreVerdict::New),
            (None, holding(None, false), None, StoreVerdict::New),
            (None, None, Some("blobs/"), gone("blobs/")),
            (None, holding(None, false), Some("instance.key"), gone("instance.key")),
            (Some("a"), None, None, gone(ID_FILE)),
            (Some("a"), None, Some("instance.key"), gone(ID_FILE)),
            (Some("a"), holding(None, false), None, gone(ID_FILE)),
            (None, holding(None, true), Some("instance.key"), StoreVerdict::Unnamed),
            (Some("a"), holding(None, true), None, StoreVerdict::Unnamed),
            (None, holding(Some("a"), false), None, StoreVerdict::Join),
            (None, holding(Some("a"), true), Some("instance.key"), StoreVerdict::Join),
            (Some("a"), holding(Some("a"), true), Some("blobs/"), StoreVerdict::Same),
            (
                Some("a"),
                holding(Some("b"), true),
                None,
                StoreVerdict::Foreign { database: "b".to_owned(), directory: "a".to_owned() },
            ),
        ];
        for (directory, database, remains, expected) in table {
            let directory = directory.map(str::to_owned);
            let facts = StoreFacts { directory, database, remains: remains.map(str::to_owned) };
            assert_eq!(classify(&facts), expected, "{facts:?}");
        }
    }
}
