//! Where a message becomes part of an inbox: mail that arrives, copies between inboxes of this service, and sent mail.
//!
//! Each caller parses the mail ([`parse`]), finds its thread, builds its row, and decides its [`Visibility`]. Then [`file()`]
//! runs the `STAGES`, in one transaction. A message that agents don't get yet skips some of them; [`show()`] runs these
//! later, as if the message arrived then.

pub mod contacts;
pub mod enriched;
pub(crate) mod forwards;
pub mod judge;
mod local_check;
pub mod parse;
mod received;
pub mod recipient;
pub mod release;
pub mod return_path;
pub mod rules;
mod screen_sender;
pub mod screening_off;
pub mod show;
mod stages;
pub mod thread;
pub mod visibility;

use contacts::Correspondents;
use posthouse_domain::{
    Attachment, Direction, HoldReason, IdGenerator, Inbox, Message, MessageId, Time, outbound_policy::seen::SeenKeys,
    send::BOUNCE_LABEL,
};
use posthouse_store::{Result, Tx};
use thread::MessageThread;

use crate::keyring::instance_key::AddressKey;

pub use received::{ReceivedCopy, receive};
pub use show::show;
pub use stages::attachments;
pub use visibility::Visibility;

/// A message that becomes part of an inbox.
#[derive(Clone, Copy)]
pub struct InboxCopy<'a> {
    /// The inbox; its row is locked.
    pub inbox: &'a Inbox,
    pub message: &'a Message,
    pub thread: &'a MessageThread<'a>,
    pub attachments: &'a [Attachment],
    /// The people that it is exchanged with.
    pub people: &'a Correspondents,
    /// The addresses that it names, if it was received.
    pub seen: &'a SeenKeys,
    /// The sent messages that it counts as a report about.
    pub reports_on: &'a [MessageId],
    /// Hashes the addresses of forgotten contacts.
    pub key: &'a AddressKey,
    /// Creates ids.
    pub ids: &'a IdGenerator,
    /// The time of the transaction.
    pub now: Time,
}

/// One run of the stages.
pub(crate) struct Filing<'a> {
    copy: InboxCopy<'a>,
    occasion: Occasion,
}

/// Why the stages run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Occasion {
    /// The message is stored.
    Stored(Visibility),
    /// A stored message is shown, which was not shown for this reason.
    Shown(HoldReason),
    /// A message is shown again that agents had before the text of one of its files got it held.
    ShownAgain,
}

impl Filing<'_> {
    /// Returns whether the message counts as a report about sent mail.
    fn is_report(&self) -> bool {
        self.copy.message.labels.iter().any(|label| label == BOUNCE_LABEL)
    }

    /// Returns whether agents get the message from now on.
    fn is_visible(&self) -> bool {
        matches!(self.occasion, Occasion::Stored(Visibility::Shown) | Occasion::Shown(_))
    }
}

/// When a stage runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    /// When the message is stored.
    Stored,
    /// When a message is shown later, or again.
    Listed,
    /// When the message is stored, and when it's shown.
    Always,
    /// When agents get the message: at once, or when it's shown.
    Visible,
    /// When the workspace learns of the message: at once unless it is pending, and when it's shown.
    Known,
}

impl When {
    fn includes(self, filing: &Filing<'_>) -> bool {
        match (self, filing.occasion) {
            (Self::Stored, occasion) => matches!(occasion, Occasion::Stored(_)),
            (Self::Listed, occasion) => matches!(occasion, Occasion::Shown(_) | Occasion::ShownAgain),
            (Self::Always, _) => true,
            (Self::Visible, _) => filing.is_visible(),
            (Self::Known, occasion) => {
                !matches!(occasion, Occasion::Stored(Visibility::Pending(_)) | Occasion::ShownAgain)
            }
        }
    }
}

/// Which messages a stage is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    /// Received and sent ones.
    All,
    /// Received ones only.
    Received,
}

/// A step of filing.
struct Stage {
    run: fn(&mut Tx, &Filing<'_>) -> Result<()>,
    of: Of,
    when: When,
}

/// What happens to a message in its inbox, in this order. Contacts and the event come late, because concurrent messages
/// share their rows.
const STAGES: [Stage; 14] = [
    Stage { run: thread::start_or_join, of: Of::All, when: When::Stored },
    // With its labels, and its place among the messages to index.
    Stage { run: stages::message, of: Of::All, when: When::Stored },
    Stage { run: stages::counters, of: Of::All, when: When::Stored },
    Stage { run: stages::files, of: Of::All, when: When::Stored },
    Stage { run: stages::seen_addresses, of: Of::Received, when: When::Stored },
    // Before the message is shown, because the text counts for its screening.
    Stage { run: stages::extractions, of: Of::Received, when: When::Stored },
    Stage { run: thread::join, of: Of::All, when: When::Listed },
    Stage { run: contacts::upsert, of: Of::All, when: When::Visible },
    Stage { run: stages::response, of: Of::Received, when: When::Stored },
    Stage { run: stages::escalation, of: Of::Received, when: When::Known },
    Stage { run: stages::queue, of: Of::Received, when: When::Listed },
    Stage { run: forwards::enqueue, of: Of::Received, when: When::Visible },
    Stage { run: stages::search, of: Of::All, when: When::Listed },
    Stage { run: stages::event, of: Of::Received, when: When::Always },
];

/// Makes a message part of an inbox.
///
/// # Errors
/// Returns an error if a store call fails.
pub fn file(tx: &mut Tx, copy: InboxCopy<'_>, visibility: Visibility) -> Result<()> {
    run(tx, &Filing { copy, occasion: Occasion::Stored(visibility) })
}

fn run(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let is_for = |stage: &&Stage| stage.of == Of::All || filing.copy.message.direction == Direction::Inbound;
    for stage in STAGES.iter().filter(is_for).filter(|stage| stage.when.includes(filing)) {
        (stage.run)(tx, filing)?;
    }
    Ok(())
}
