//! Whether a database and a data directory belong together, looked at before anything is made in either.
//!
//! A store has an id, noted in its database and in the file `store.id` of each data directory that opened it. A directory with
//! remains of a store whose database is gone or empty is refused: taken for a new store it would bounce all mail for good.
//!
//! Several processes may start on an empty store at the same time. Each notes the id in the database before it makes anything
//! that counts as remains, so remains that were seen first, beside a database without an id, are those of another store.

use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use posthouse_domain::time::Time;
use posthouse_store::{
    Blobs, DatabaseUrl, Error, Store, Tx,
    backup::BLOBS_DIR,
    instance,
    migrate::{self, Holding},
};

use super::{BootError, open_blobs};
use crate::{config::Config, files, ports::Clock};

/// The file of a data directory that names its store.
const ID_FILE: &str = "store.id";
/// The file that says how many commits the store has had.
const MARK_FILE: &str = "store.mark";
/// Files of a data directory that are made only when the database has the id of its store.
const REMAINS: [&str; 2] = ["instance.key", "instance.key.next"];
/// What lies beside an SQLite database that was in use. They are made only when the database is not empty any more.
const BESIDE: [&str; 2] = ["-wal", "-shm"];
/// The log of a transaction that was cut off. It may be that of the very first one, so it says nothing.
const JOURNAL: &str = "-journal";
/// How long a blob store is asked whether it holds anything, in milliseconds. One that is away says nothing.
const BLOBS_MS_MAX: u64 = 5_000;

/// What is known before the store is opened.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// The id in the data directory.
    directory: Option<String>,
    /// What the database holds; none where there is no database or nothing in it.
    database: Option<Holding>,
    /// What else shows that there was a store.
    remains: Option<String>,
}

/// What follows from them.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    /// Nothing is there: a new store begins.
    New,
    /// A store without an id: one of an older version.
    Unnamed,
    /// A store that this data directory does not know yet.
    Join,
    /// The store of this data directory.
    Same,
    /// There was a store, and its database is gone or empty.
    Gone(String),
    /// The database is that of another store.
    Foreign {
        /// The id in the database.
        database: String,
        /// The id in the data directory.
        directory: String,
    },
}

fn judge(facts: &Facts) -> Verdict {
    match (&facts.directory, &facts.database) {
        (directory, Some(Holding { store_id: Some(id), .. })) => match directory {
            None => Verdict::Join,
            Some(directory) if directory == id => Verdict::Same,
            Some(directory) => Verdict::Foreign { database: id.clone(), directory: directory.clone() },
        },
        (_, Some(Holding { store_id: None, is_used: true })) => Verdict::Unnamed,
        (Some(_), _) => Verdict::Gone(ID_FILE.to_owned()),
        (None, _) => facts.remains.clone().map_or(Verdict::New, Verdict::Gone),
    }
}

/// A data directory and a database that may be opened together.
pub(super) struct Belonging {
    directory: PathBuf,
    id: Option<String>,
    is_same: bool,
}

impl Belonging {
    /// Looks at both. With `new_store`, remains of a store whose database is gone are moved aside.
    pub(super) fn find(config: &Config, url: &DatabaseUrl, new_store: bool) -> Result<Self, BootError> {
        let mut facts = Facts { directory: read_id(&config.data_dir)?, ..Facts::default() };
        facts.remains = remains(&config.data_dir);
        let beside = beside(url);
        facts.database = migrate::look(url)?;
        if facts.database.is_none() {
            // Those of a database that is there belong to it.
            facts.remains = facts.remains.or(beside);
        }
        if judge(&facts) == Verdict::New && holds_blobs(&open_blobs(config)?)? {
            facts.remains = Some(config.blob_url.clone().unwrap_or_else(|| format!("{BLOBS_DIR}/")));
        }
        if let Verdict::Gone(_) = judge(&facts) {
            // Another process may have begun the store meanwhile.
            facts.database = migrate::look(url)?;
        }
        let verdict = judge(&facts);
        match &verdict {
            Verdict::Gone(_) if new_store => set_aside(config, url)?,
            Verdict::Gone(remains) => return Err(gone(config, url, remains)),
            Verdict::Foreign { database, directory } => {
                return Err(BootError::OtherStore {
                    database: format!("{url} (store {database})"),
                    directory: format!("{} (store {directory})", config.data_dir.display()),
                    file: config.data_dir.join(ID_FILE),
                });
            }
            Verdict::Unnamed | Verdict::Join | Verdict::Same if new_store => {
                tracing::warn!(database = %url, "store.is_not_new");
            }
            Verdict::New | Verdict::Unnamed | Verdict::Join | Verdict::Same => {}
        }
        // The database that is gone must not be taken for the new one when it comes back.
        let is_lost = matches!(verdict, Verdict::Gone(_));
        let id = facts.directory.filter(|_| !is_lost);
        Ok(Self { directory: config.data_dir.clone(), id, is_same: verdict == Verdict::Same })
    }

    /// Where the commits of the store are counted.
    pub(super) fn mark(&self) -> PathBuf {
        self.directory.join(MARK_FILE)
    }

    /// Notes the id of the store in both where it is missing. One that serves also says whether the store went back in time.
    pub(super) fn settle(self, store: &Store, serving: bool, clock: &dyn Clock) -> Result<(), BootError> {
        // Waiting for the store must not be done on a thread of a runtime.
        thread::scope(|scope| scope.spawn(|| self.settle_here(store, serving, clock)).join())
            .unwrap_or_else(|_| Err(BootError::Store("the store could not be looked at".to_owned())))
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
                advice = "the database is older than its data directory: its log was cut off or removed, or an older copy \
                          was put back; what was stored after that is not in it",
                "store.went_back"
            );
        }
        if !self.is_same || found < expected {
            store.reset_mark(found);
        }
        Ok(())
    }
}

/// How many commits are missing from a database, and of how many.
///
/// # Errors
/// The store's own.
pub async fn lost_commits(store: &Store) -> Result<Option<(u64, u64)>, Error> {
    let (expected, found) = (store.expected_commits(), store.read::<u64, Error>(instance::commits).await?);
    Ok(expected.checked_sub(found).filter(|lost| *lost > 0).map(|lost| (lost, expected)))
}

fn read_id(directory: &Path) -> Result<Option<String>, BootError> {
    let path = directory.join(ID_FILE);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(BootError::io(format!("{} cannot be read", path.display()))(error)),
    }
}

/// What of a store is in the data directory, but for its database, its id and its blobs.
fn remains(directory: &Path) -> Option<String> {
    let found = REMAINS.iter().find(|name| directory.join(name).exists());
    let is_old_key = |name: &String| name.starts_with("instance.key.old-");
    let old_key = || {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).find(is_old_key)
    };
    found.map(|name| (*name).to_owned()).or_else(old_key)
}

/// What lies beside the file of an embedded database.
fn beside(url: &DatabaseUrl) -> Option<String> {
    let DatabaseUrl::Sqlite(path) = url else { return None };
    let found = BESIDE.iter().map(|ending| with_ending(path, ending)).find(|path| path.exists());
    found.map(|path| path.display().to_string())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether there are blobs already. On a thread of its own, for the caller may be on one of a runtime.
fn holds_blobs(blobs: &Blobs) -> Result<bool, BootError> {
    let ask = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let asked = async { tokio::time::timeout(Duration::from_millis(BLOBS_MS_MAX), blobs.any()).await };
        Ok(runtime.block_on(asked))
    };
    let asked = thread::scope(|scope| scope.spawn(ask).join());
    match asked.unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))) {
        Ok(Ok(Ok(any))) => Ok(any),
        // It may be away; the database alone says then that the store is new.
        Ok(Ok(Err(error))) => {
            tracing::warn!(cause = error.internal(), "blobs.unavailable");
            Ok(false)
        }
        Ok(Err(_)) => {
            tracing::warn!(cause = "no answer", "blobs.unavailable");
            Ok(false)
        }
        Err(cause) => Err(BootError::io("the blob store cannot be looked at")(cause)),
    }
}

fn gone(config: &Config, url: &DatabaseUrl, remains: &str) -> BootError {
    let restore = match url {
        DatabaseUrl::Sqlite(_) => "restore a backup into a new data_dir (posthouse restore FILE)",
        DatabaseUrl::Postgres(_) => "correct database_url, or restore a backup of the database",
    };
    BootError::Gone {
        database: url.to_string(),
        directory: config.data_dir.display().to_string(),
        remains: remains.to_owned(),
        restore,
    }
}

/// Moves what is left of a store out of the way of a new one; nothing is deleted. The instance key stays: it can be that of
/// both.
fn set_aside(config: &Config, url: &DatabaseUrl) -> Result<(), BootError> {
    let mut paths: Vec<PathBuf> = [ID_FILE, MARK_FILE].iter().map(|name| config.data_dir.join(name)).collect();
    if let DatabaseUrl::Sqlite(path) = url {
        paths.push(path.clone());
        paths.extend(BESIDE.iter().chain([&JOURNAL]).map(|ending| with_ending(path, ending)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_database_without_remains_begins_a_store() {
        let holding = |id: Option<&str>, is_used| Some(Holding { store_id: id.map(str::to_owned), is_used });
        let gone = |remains: &str| Verdict::Gone(remains.to_owned());
        let table = [
            (None, None, None, Verdict::New),
            (None, holding(None, false), None, Verdict::New),
            (None, None, Some("blobs/"), gone("blobs/")),
            (None, holding(None, false), Some("instance.key"), gone("instance.key")),
            (Some("a"), None, None, gone(ID_FILE)),
            (Some("a"), None, Some("instance.key"), gone(ID_FILE)),
            (Some("a"), holding(None, false), None, gone(ID_FILE)),
            (None, holding(None, true), Some("instance.key"), Verdict::Unnamed),
            (Some("a"), holding(None, true), None, Verdict::Unnamed),
            (None, holding(Some("a"), false), None, Verdict::Join),
            (None, holding(Some("a"), true), Some("instance.key"), Verdict::Join),
            (Some("a"), holding(Some("a"), true), Some("blobs/"), Verdict::Same),
            (
                Some("a"),
                holding(Some("b"), true),
                None,
                Verdict::Foreign { database: "b".to_owned(), directory: "a".to_owned() },
            ),
        ];
        for (directory, database, remains, expected) in table {
            let directory = directory.map(str::to_owned);
            let facts = Facts { directory, database, remains: remains.map(str::to_owned) };
            assert_eq!(judge(&facts), expected, "{facts:?}");
        }
    }
}
