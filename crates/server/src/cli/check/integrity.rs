//! Checks the integrity of stored data: the database engine's own check, and every blob that the database references.

use std::sync::{Arc, Mutex, PoisonError};

use posthouse_domain::time::Time;
use posthouse_store::{
    BlobDigest, BlobStore, DatabaseUrl, Error, Store, Tx, contents, draft_files,
    integrity::{self, IntegrityReport},
};

use super::{Finding, Level};
use crate::boot::{self, store_identity::LostCommits};
use crate::cli::outcome::CommandError;
use crate::cli::say;
use crate::config::Configuration;
use posthouse_app::ports::Clock;

/// Interval between progress lines, in milliseconds.
const PROGRESS_MS: i64 = 2_000;
/// Blobs per query.
const PAGE: u32 = 500;
/// Maximum number of damaged blobs that are listed.
const NAMED_MAX: usize = 20;
/// How to recover from damage.
const ADVICE: &str =
    "stop the service, keep the damaged files, and restore a backup into a new data_dir: posthouse restore FILE";

/// Prints the progress of a long check to standard error.
#[derive(Clone)]
struct Progress {
    what: &'static str,
    clock: Arc<dyn Clock>,
    began: Time,
    printed_at: Arc<Mutex<Time>>,
}

impl Progress {
    fn new(what: &'static str) -> Self {
        let clock = boot::clock();
        let began = clock.now();
        Self { what, clock, began, printed_at: Arc::new(Mutex::new(began)) }
    }

    fn report(&self, done: &str) {
        let now = self.clock.now();
        let mut printed_at = self.printed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if now.since_ms(*printed_at) >= PROGRESS_MS {
            *printed_at = now;
            say(&format!("posthouse: checking {}: {} s{done}", self.what, now.since_ms(self.began) / 1_000));
        }
    }
}

/// Runs the integrity check of the database engine.
pub(super) fn database(url: &DatabaseUrl) -> Vec<Finding> {
    let location = url.to_string();
    let progress = Progress::new("the integrity of the database");
    // Blocking is fine here: the command has nothing else to do.
    match integrity::check(url, move || progress.report("")) {
        Ok(found) => findings(&location, &found),
        Err(error) => {
            let what = format!("integrity: {location}: {}", CommandError::from(error).into_text());
            vec![Finding::failed(what, "make sure that the database can be opened, then check again")]
        }
    }
}

fn findings(location: &str, found: &IntegrityReport) -> Vec<Finding> {
    let damage =
        found.problems.iter().map(|problem| Finding::failed(format!("integrity: {location}: {problem}"), ADVICE));
    let mut findings: Vec<Finding> = damage.collect();
    if findings.is_empty() {
        findings.push(Finding::ok(format!("integrity: the database engine found no damage in {location}")));
    }
    let skipped = found.skipped.iter().map(|why| {
        Finding::warning(format!("integrity: {location}: {why}"), "check them with the tools of the database")
    });
    findings.extend(skipped);
    findings
}

/// A check of all blobs.
struct BlobCheck<'a> {
    store: &'a Store,
    blobs: &'a BlobStore,
    /// Whether blob contents are read and hashed.
    reads_content: bool,
    progress: Progress,
    checked: u64,
    damaged: Vec<String>,
}

/// Checks that every referenced blob exists and, without `quick`, that its content matches its digest.
pub(super) async fn blobs(config: &Configuration, store: &Store, quick: bool) -> Vec<Finding> {
    let blobs = match boot::open_blobs(config) {
        Ok(blobs) => blobs,
        // The line about the blob store has the reason.
        Err(_) => return Vec::new(),
    };
    let (progress, reads_content) = (Progress::new("the blobs"), !quick);
    let mut check = BlobCheck { store, blobs: &blobs, reads_content, progress, checked: 0, damaged: Vec::new() };
    let walked = async {
        check.run(contents::blobs_after).await?;
        check.run(draft_files::blobs_after).await
    };
    if let Err(error) = walked.await {
        let what = format!("blobs: {}", CommandError::from(error).into_text());
        return vec![Finding::failed(what, "check blob_url and the database, then check again")];
    }
    check.findings()
}

impl BlobCheck<'_> {
    async fn run(&mut self, next: fn(&mut Tx, &str, u32) -> Result<Vec<String>, Error>) -> Result<(), Error> {
        let mut after = String::new();
        loop {
            let from = after.clone();
            let page: Vec<String> = self.store.read(move |tx: &mut Tx| next(tx, &from, PAGE)).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after.clone_from(last);
            for name in page {
                self.check_blob(&name).await?;
            }
        }
    }

    async fn check_blob(&mut self, name: &str) -> Result<(), Error> {
        self.progress.report(&format!(", {} blobs", self.checked));
        self.checked += 1;
        let digest: BlobDigest = name.parse()?;
        let result = if self.reads_content {
            self.blobs.read(&digest).await.map(|_| ())
        } else if self.blobs.exists(&digest).await? {
            Ok(())
        } else {
            Err(Error::bad_content(format_args!("blob {digest} is missing")))
        };
        match result {
            Err(Error::ContentDamaged(what)) if self.is_referenced(name).await? => self.damaged.push(what.to_string()),
            // No longer referenced: it was deleted during the check.
            Err(Error::ContentDamaged(_)) | Ok(()) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn is_referenced(&self, name: &str) -> Result<bool, Error> {
        let name = name.to_owned();
        self.store.read(move |tx: &mut Tx| contents::references_blob(tx, &name)).await
    }

    fn findings(self) -> Vec<Finding> {
        if self.checked == 0 {
            return vec![Finding::ok("blobs: the database references none")];
        }
        if self.damaged.is_empty() {
            let how = if self.reads_content { "exist and match their digests" } else { "exist" };
            return vec![Finding::ok(format!("blobs: all {} that the database references {how}", self.checked))];
        }
        let advice = "restore the file from a backup; until then requests for its mail fail with 500 content_damaged";
        let named = self.damaged.iter().take(NAMED_MAX);
        let mut findings: Vec<Finding> = named.map(|what| Finding::failed(format!("blobs: {what}"), advice)).collect();
        if self.damaged.len() > NAMED_MAX {
            let more = self.damaged.len() - NAMED_MAX;
            findings.push(Finding::failed(format!("blobs: {more} more are missing or damaged"), advice));
        }
        findings
    }
}

/// Checks whether commits are missing, as a start does.
pub(super) async fn commits(store: &Store) -> Option<Finding> {
    let LostCommits { lost, expected } = boot::store_identity::lost_commits(store).await.ok()??;
    Some(Finding {
        level: Level::Warning,
        what: format!("database: {lost} of {expected} commits are missing"),
        advice: "its log was truncated or removed, or an older copy was restored; the next start \
             continues with the data that is left"
            .to_owned(),
    })
}
