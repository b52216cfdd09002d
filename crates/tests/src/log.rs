//! Captures log lines by server, so that a test sees the lines of its own server although many servers run in one
//! process.
//!
//! A line belongs to the server that owns the current thread: the server's runtime and its store threads register their
//! server, and so does the thread of a test that runs due jobs. Lines from other threads belong to the only running
//! server if there is just one.

use std::{
    cell::RefCell,
    fmt::{self, Write},
    sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak},
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
};

/// Maximum number of lines kept for one server: the first ones, because the first error explains the later ones.
const LINES_MAX: usize = 20_000;

/// One log line.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// The level.
    pub level: Level,
    /// The module that logged it.
    pub target: String,
    /// The message, followed by the fields as `name=value`.
    pub text: String,
}

/// The log of one server. Clones share it.
#[derive(Clone, Default)]
pub struct LogCapture {
    lines: Arc<Mutex<Vec<LogLine>>>,
}

thread_local! {
    static OWNER: RefCell<Option<LogCapture>> = const { RefCell::new(None) };
}

/// The captures of all running servers.
static CAPTURES: Mutex<Vec<Weak<Mutex<Vec<LogLine>>>>> = Mutex::new(Vec::new());

impl LogCapture {
    /// Starts a capture. The first one installs the collector in the process.
    #[must_use]
    pub fn open() -> Self {
        static COLLECT: Once = Once::new();
        COLLECT.call_once(|| {
            let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(LogCollector));
        });
        let capture = Self::default();
        let mut captures = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
        captures.retain(|capture| capture.strong_count() > 0);
        captures.push(Arc::downgrade(&capture.lines));
        capture
    }

    /// Captures everything that this thread logs from now on.
    pub fn capture_this_thread(&self) {
        OWNER.with_borrow_mut(|owner| *owner = Some(self.clone()));
    }

    /// Returns every captured line: level INFO or above.
    #[must_use]
    pub fn lines(&self) -> Vec<LogLine> {
        self.guard().clone()
    }

    /// Returns the lines of level ERROR.
    #[must_use]
    pub fn errors(&self) -> Vec<LogLine> {
        self.guard().iter().filter(|line| line.level == Level::ERROR).cloned().collect()
    }

    fn guard(&self) -> MutexGuard<'_, Vec<LogLine>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: LogLine) {
        let mut lines = self.guard();
        if lines.len() < LINES_MAX {
            lines.push(line);
        }
    }
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.level, self.target, self.text)
    }
}

/// Adds each line to the capture of its thread.
struct LogCollector;

impl<S: Subscriber> Layer<S> for LogCollector {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let meta = event.metadata();
        if *meta.level() > Level::INFO {
            return;
        }
        let mut text = EventText::default();
        event.record(&mut text);
        let text = format!("{}{}", text.message, text.fields);
        let line = LogLine { level: *meta.level(), target: meta.target().to_owned(), text };
        match OWNER.try_with(|owner| owner.borrow().clone()).ok().flatten().or_else(only_capture) {
            Some(capture) => capture.add(line),
            None if line.level == Level::ERROR => eprintln!("a log line without a server: {line}"),
            None => {}
        }
    }
}

fn only_capture() -> Option<LogCapture> {
    let captures = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut alive = captures.iter().filter_map(Weak::upgrade);
    let first = alive.next()?;
    alive.next().is_none().then_some(LogCapture { lines: first })
}

/// The message and the fields of an event as text.
#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
}

impl Visit for EventText {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_to_the_capture_of_their_thread() {
        let (one, two) = (LogCapture::open(), LogCapture::open());
        for (capture, name) in [(&one, "one"), (&two, "two")] {
            let capture = capture.clone();
            let thread = std::thread::spawn(move || {
                capture.capture_this_thread();
                tracing::error!(name, "broken");
                tracing::debug!("below the captured levels");
            });
            thread.join().unwrap();
        }
        let texts = |capture: &LogCapture| capture.errors().iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&one), ["broken name=\"one\""]);
        assert_eq!(texts(&two), ["broken name=\"two\""]);
        assert_eq!(one.lines().len(), 1);
    }
}
