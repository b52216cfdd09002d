//! Reading, searching, waiting and claiming.

use super::{inboxes::INBOX_ID, steps};
use crate::tool::{Argument, Profile, Tool, ToolCall, own_flag, own_number};
use crate::views::{file, message as view, workspace};

/// The id of a message in a path.
pub(super) const MESSAGE_ID: Argument = Argument::path("message_id", "id").describe("Message id.");
/// Largest limit of characters that a client may choose.
const CHARS_MAX: i64 = 200_000;
/// Longest offset in characters: more than any text has.
const OFFSET_MAX: i64 = 100_000_000;
/// Characters of a page of an attachment's text.
const ATTACHMENT_CHARS: i64 = 20_000;
/// The consumer that claims of tools name.
const CONSUMER: &str = "mcp";

const READERS: &[Profile] = &[Profile::Read, Profile::Reply];

pub(super) fn tools() -> Vec<Tool> {
    let mut all = of_messages();
    all.extend(of_waiting());
    all.extend(of_files());
    all.extend(of_queue());
    all
}

fn max_chars(description: &'static str) -> Argument {
    own_number::<1, CHARS_MAX>("max_chars", description)
}

/// Arguments to read a long text part by part.
pub(super) fn reading_on() -> Vec<Argument> {
    let offset = "Where the text begins, in characters, to read on in the last text that was asked for.";
    vec![max_chars("Longest text in characters. Default: 8000."), own_number::<0, OFFSET_MAX>("offset", offset)]
}

fn of_messages() -> Vec<Tool> {
    let query = Argument::query;
    let thread_id = || Argument::path("thread_id", "id").describe("Thread id.");
    vec![
        Tool::outside(
            "list_messages",
            "List messages",
            view::list,
            ToolCall::new(
                "listMessages",
                vec![
                    INBOX_ID,
                    query("direction"),
                    query("labels").describe("Only messages with all of these."),
                    query("is_read"),
                    query("channel"),
                    query("type"),
                    query("limit"),
                    query("cursor"),
                ],
            ),
        )
        .describe("Lists the messages of an inbox, newest first, each with the beginning of its new text.")
        .in_profiles(READERS),
        Tool::outside("get_message", "Read a message", view::one, ToolCall::new("getMessage", vec![MESSAGE_ID]))
            .describe("Reads one message. extracted_text is the new text without quotes; ask for more only if needed.")
            .in_profiles(READERS)
            .with_own(vec![
                own_flag("include_full_text", "Adds the whole text with quotes."),
                own_flag("include_html", "Adds the HTML."),
                own_flag("include_download_urls", "Adds a URL to each attachment, which downloads it once."),
            ])
            .with_own(reading_on())
            .after(steps::download_urls),
        Tool::outside(
            "get_thread",
            "Read a thread",
            view::thread,
            ToolCall::new(
                "getThreadDigest",
                vec![
                    thread_id(),
                    query("budget").describe(
                        "Returns the next part of the thread that fits this number of tokens, without repeated quotes; \
                         continues where your last part ended.",
                    ),
                    query("cursor"),
                    query("reset").describe("With budget: starts over with the first message."),
                ],
            )
            .when("budget"),
        )
        .or(ToolCall::new("getThread", vec![thread_id(), query("cursor"), query("limit")]))
        .describe("Reads a thread: its newest messages in order of time or, with budget, a part of it that fits.")
        .in_profiles(READERS)
        .with_own(vec![max_chars("Longest text of each message in characters. Default: 3000.")]),
        Tool::outside(
            "search_email",
            "Search messages",
            view::search,
            ToolCall::new(
                "searchMessages",
                vec![Argument::query_as("query", "q"), query("inbox_id"), query("limit"), query("cursor")],
            ),
        )
        .describe("Searches the messages of all inboxes, or of one.")
        .in_profiles(READERS),
    ]
}

fn of_waiting() -> Vec<Tool> {
    let query = Argument::query;
    let timeout = || Argument::query_as("timeout_seconds", "timeout").or(30);
    let since = || query("since").describe("Only messages stored after this time. Default: now.");
    let from = || query("from").describe("Only from this address, `@domain`, domain, or part of the author's name.");
    vec![
        Tool::outside(
            "wait_for_email",
            "Wait for a message",
            view::waited,
            ToolCall::new(
                "waitForMessage",
                vec![INBOX_ID, timeout(), from(), query("subject"), query("type"), query("channel"), since()],
            ),
        )
        .describe("Waits until a message arrives, and returns it. Pass since to catch one that is already there.")
        .in_profiles(READERS),
        Tool::outside(
            "get_verification_code",
            "Wait for a code or link",
            view::verification,
            ToolCall::new("waitForVerification", vec![INBOX_ID, timeout(), from(), since()]),
        )
        .describe("Waits for a sign-in code or confirmation link, and returns it with its confidence.")
        .in_profiles(READERS)
        .after(steps::message_of_verification),
    ]
}

fn of_files() -> Vec<Tool> {
    let (query, body) = (Argument::query, Argument::body);
    let attachment = || Argument::path("attachment_id", "attachment_id").describe("Attachment id.");
    vec![
        Tool::outside(
            "get_attachment_text",
            "Read the text of an attachment",
            file::text,
            ToolCall::new(
                "getAttachmentText",
                vec![
                    MESSAGE_ID,
                    attachment(),
                    query("offset").describe("Where to begin, in characters: next_offset of the last page."),
                    query("max_chars").or(ATTACHMENT_CHARS).describe("Default: 20000."),
                ],
            ),
        )
        .describe("Reads the text of a PDF, document, table, mail or scan that came with a message, page by page.")
        .in_profiles(&[Profile::Read]),
        Tool::outside(
            "extract_attachment",
            "Extract data from an attachment",
            file::data,
            ToolCall::new(
                "extractAttachment",
                vec![
                    MESSAGE_ID,
                    attachment(),
                    body("schema").describe("`invoice`, `receipt`, `tax_form`, or a JSON Schema with type object."),
                    body("instructions"),
                ],
            ),
        )
        .describe(
            "Returns data from an attachment in the form of a schema, with the words that each value was read from.",
        ),
    ]
}

fn of_queue() -> Vec<Tool> {
    let body = Argument::body;
    vec![
        Tool::outside(
            "claim_messages",
            "Claim messages from the queue",
            view::claims,
            ToolCall::new(
                "claimMessages",
                vec![
                    INBOX_ID,
                    body("limit").or(1).describe("Default: 1."),
                    body("lease_seconds"),
                    body("wait"),
                    body("enriched"),
                    body("type"),
                    body("channel"),
                    body("consumer").fixed(CONSUMER),
                ],
            ),
        )
        .describe("Claims the oldest unhandled messages for a while, so that no other worker gets them."),
        Tool::own(
            "ack_message",
            "Finish a claimed message",
            workspace::whole,
            workspace::whole_schema,
            ToolCall::new("ackMessage", vec![MESSAGE_ID, body("lease_id"), body("mark_read")]),
        )
        .describe("Marks a claimed message as handled."),
    ]
}
