//! Whether what is stored is whole: the database as its engine sees it, and every blob that the database names.

use std::sync::{Arc, Mutex, PoisonError};

use posthouse_domain::time::Time;
use posthouse_store::{
    Blobs, DatabaseUrl, Digest, Error, Store, Tx, contents, draft_files,
    integrity::{self, Integrity},
};

use super::{Finding, Level};
use crate::{boot, config::Config, ports::Clock};

/// Time between two lines about how far a check is, in milliseconds.
const PROGRESS_MS: i64 = 2_000;
/// Blobs that are looked up in one query.
const PAGE: u32 = 500;
/// Most damaged blobs that are named.
const NAMED_MAX: usize = 20;
/// How to get back what is damaged.
const ADVICE: &str =
    "stop the service, keep what is there, and restore a backup into a new data_dir: posthouse restore FILE";

/// Tells on standard error how far a check that takes long is.
#[derive(Clone)]
struct Progress {
    what: &'static str,
    clock: Arc<dyn Clock>,
    began: Time,
    told: Arc<Mutex<Time>>,
}

impl Progress {
    fn new(what: &'static str) -> Self {
        let clock = boot::clock();
        let began = clock.now();
        Self { what, clock, began, told: Arc::new(Mutex::new(began)) }
    }

    fn tell(&self, done: &str) {
        let now = self.clock.now();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if now.since_ms(*told) >= PROGRESS_MS {
            *told = now;
            eprintln!("posthouse: checking {}: {} s{done}", self.what, now.since_ms(self.began) / 1_000);
        }
    }
}

/// What the engine says of the database.
pub(super) fn database(url: &DatabaseUrl) -> Vec<Finding> {
    let place = url.to_string();
    let progress = Progress::new("the integrity of the database");
    // It blocks for as long as the database is large; a command has nothing else to do meanwhile.
    match integrity::check(url, move || progress.tell("")) {
        Ok(found) => told(&place, &found),
        Err(error) => {
            let what = format!("integrity: {place}: {}", super::store::told(&error));
            vec![Finding::failed(what, "check that the database can be opened, then check again")]
        }
    }
}

fn told(place: &str, found: &Integrity) -> Vec<Finding> {
    let damage = found.problems.iter().map(|problem| Finding::failed(format!("integrity: {place}: {problem}"), ADVICE));
    let mut findings: Vec<Finding> = damage.collect();
    if findings.is_empty() {
        findings.push(Finding::ok(format!("integrity: {place} is whole, as far as its engine can tell")));
    }
    let skipped =
        found.skipped.iter().map(|why| Finding::warning(format!("integrity: {place}: {why}"), "check them there"));
    findings.extend(skipped);
    findings
}

/// A look at all blobs.
struct Walk<'a> {
    store: &'a Store,
    blobs: &'a Blobs,
    /// Whether their bytes are read.
    with_bytes: bool,
    progress: Progress,
    seen: u64,
    damaged: Vec<String>,
}

/// Whether every blob that the database names is there, and without `quick` whether it has the bytes that its name says.
pub(super) async fn blobs(config: &Config, store: &Store, quick: bool) -> Vec<Finding> {
    let blobs = match boot::open_blobs(config) {
        Ok(blobs) => blobs,
        // The line about the blob store says why.
        Err(_) => return Vec::new(),
    };
    let (progress, with_bytes) = (Progress::new("the blobs"), !quick);
    let mut walk = Walk { store, blobs: &blobs, with_bytes, progress, seen: 0, damaged: Vec::new() };
    let walked = async {
        walk.go(contents::blobs_after).await?;
        walk.go(draft_files::blobs_after).await
    };
    if let Err(error) = walked.await {
        let what = format!("blobs: {}", super::store::told(&error));
        return vec![Finding::failed(what, "check blob_url and the database, then check again")];
    }
    walk.found()
}

impl Walk<'_> {
    async fn go(&mut self, next: fn(&mut Tx, &str, u32) -> Result<Vec<String>, Error>) -> Result<(), Error> {
        let mut after = String::new();
        loop {
            let from = after.clone();
            let page: Vec<String> = self.store.read(move |tx: &mut Tx| next(tx, &from, PAGE)).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after.clone_from(last);
            for name in page {
                self.one(&name).await?;
            }
        }
    }

    async fn one(&mut self, name: &str) -> Result<(), Error> {
        self.progress.tell(&format!(", {} blobs", self.seen));
        self.seen += 1;
        let digest: Digest = name.parse()?;
        let looked = if self.with_bytes {
            self.blobs.read(&digest).await.map(|_| ())
        } else if self.blobs.exists(&digest).await? {
            Ok(())
        } else {
            Err(Error::bad_content(format_args!("blob {digest} is missing")))
        };
        match looked {
            Err(Error::BadContent(what)) if self.is_named(name).await? => self.damaged.push(what.to_string()),
            // Nothing names it any more: it was removed meanwhile.
            Err(Error::BadContent(_)) | Ok(()) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn is_named(&self, name: &str) -> Result<bool, Error> {
        let name = name.to_owned();
        self.store.read(move |tx: &mut Tx| contents::names_blob(tx, &name)).await
    }

    fn found(self) -> Vec<Finding> {
        if self.damaged.is_empty() {
            let how = if self.with_bytes { "are there, with their bytes" } else { "are there" };
            return vec![Finding::ok(format!("blobs: all {} that the database names {how}", self.seen))];
        }
        let advice = "put the file back from a backup; until then its mail answers 500 content_damaged";
        let named = self.damaged.iter().take(NAMED_MAX);
        let mut findings: Vec<Finding> = named.map(|what| Finding::failed(format!("blobs: {what}"), advice)).collect();
        if self.damaged.len() > NAMED_MAX {
            let more = self.damaged.len() - NAMED_MAX;
            findings.push(Finding::failed(format!("blobs: {more} more are missing or altered"), advice));
        }
        findings
    }
}

/// What the start would say: whether commits are missing.
pub(super) async fn commits(store: &Store) -> Option<Finding> {
    let (lost, expected) = boot::belonging::lost_commits(store).await.ok()??;
    Some(Finding {
        level: Level::Warning,
        what: format!("database: {lost} of {expected} commits are missing"),
        advice:
            "its log was cut off or removed, or an older copy was put back; the next start goes on from what is there"
                .to_owned(),
    })
}
