//! Log lines by server: a test can look at what its own server logged, though many run in one process.
//!
//! A line belongs to the server that owns the thread it was written on: the server's runtime and the threads of its
//! store say whose they are. Lines of nobody's threads are charged to the only server there is, if there is only one.

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

/// Lines kept of one server: the first ones, since the first error explains the others.
const LINES_MAX: usize = 20_000;

/// One line.
#[derive(Clone, Debug)]
pub struct Line {
    /// How bad.
    pub level: Level,
    /// The module it comes from.
    pub target: String,
    /// The message, then the fields as `name=value`.
    pub text: String,
}

/// What one server logged. Clones share it.
#[derive(Clone, Default)]
pub struct LogBook {
    lines: Arc<Mutex<Vec<Line>>>,
}

thread_local! {
    static OWNER: RefCell<Option<LogBook>> = const { RefCell::new(None) };
}

/// The books of the living servers.
static BOOKS: Mutex<Vec<Weak<Mutex<Vec<Line>>>>> = Mutex::new(Vec::new());

impl LogBook {
    /// A new book; from the first one on, the process collects.
    #[must_use]
    pub fn open() -> Self {
        static COLLECT: Once = Once::new();
        COLLECT.call_once(|| {
            let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Collector));
        });
        let book = Self::default();
        let mut books = BOOKS.lock().unwrap_or_else(PoisonError::into_inner);
        books.retain(|book| book.strong_count() > 0);
        books.push(Arc::downgrade(&book.lines));
        book
    }

    /// Says that what this thread logs from now on belongs into the book.
    pub fn own_this_thread(&self) {
        OWNER.with_borrow_mut(|owner| *owner = Some(self.clone()));
    }

    /// Every line so far, of level INFO or worse.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.guard().clone()
    }

    /// The lines of level ERROR.
    #[must_use]
    pub fn errors(&self) -> Vec<Line> {
        self.guard().iter().filter(|line| line.level == Level::ERROR).cloned().collect()
    }

    fn guard(&self) -> MutexGuard<'_, Vec<Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: Line) {
        let mut lines = self.guard();
        if lines.len() < LINES_MAX {
            lines.push(line);
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.level, self.target, self.text)
    }
}

/// Sorts the lines into the books.
struct Collector;

impl<S: Subscriber> Layer<S> for Collector {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let meta = event.metadata();
        if *meta.level() > Level::INFO {
            return;
        }
        let mut text = Text::default();
        event.record(&mut text);
        let text = format!("{}{}", text.message, text.fields);
        let line = Line { level: *meta.level(), target: meta.target().to_owned(), text };
        match OWNER.try_with(|owner| owner.borrow().clone()).ok().flatten().or_else(only_book) {
            Some(book) => book.add(line),
            None if line.level == Level::ERROR => eprintln!("a log line of no server: {line}"),
            None => {}
        }
    }
}

fn only_book() -> Option<LogBook> {
    let books = BOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut alive = books.iter().filter_map(Weak::upgrade);
    let first = alive.next()?;
    alive.next().is_none().then_some(LogBook { lines: first })
}

/// The message and the fields of an event as text.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
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
    fn lines_go_to_the_book_of_their_thread() {
        let (one, two) = (LogBook::open(), LogBook::open());
        for (book, name) in [(&one, "one"), (&two, "two")] {
            let book = book.clone();
            let thread = std::thread::spawn(move || {
                book.own_this_thread();
                tracing::error!(name, "broken");
                tracing::debug!("too quiet to keep");
            });
            thread.join().unwrap();
        }
        let texts = |book: &LogBook| book.errors().iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&one), ["broken name=\"one\""]);
        assert_eq!(texts(&two), ["broken name=\"two\""]);
        assert_eq!(one.lines().len(), 1);
    }
}
