//! Measures searches in the directory: fills an empty database with listed cards, unless it did so before, and prints the median and the 99th
//! percentile of each kind of search.
//!
//! ```console
//! $ cargo run --release -p posthouse-store --example card_search -- sqlite:/tmp/cards.db 100000
//! $ cargo run --release -p posthouse-store --example card_search -- postgres://localhost/cards 100000
//! ```

use std::{error::Error, time::Instant};

use posthouse_domain::{
    AiProcessing, OutboundPolicy, ScreeningSettings,
    agent::{
        card::{Capabilities, Card, CardVisibility, Skill},
        listing::ListingState,
        search::{CardDocument, CardQuery, SearchedCards},
    },
    id::{InboxId, WorkspaceId},
    inbox::{Inbox, InboxKind},
    message::MessageKind,
    plan::Plan,
    time::Time,
    workspace::{AiDisclosure, ClaimStatus, Workspace, WorkspaceOrigin},
};
use posthouse_store::{DatabaseUrl, Store, StoreConfig, Tx, agents, card_index, inboxes, workspaces};
use uuid::Uuid;

/// Cards of one workspace.
const PER_WORKSPACE: u64 = 1_000;
/// Cards stored in one transaction.
const BATCH: u64 = 500;
/// Searches of each kind.
const SEARCHES: usize = 60;
/// Cards of a page, with the one that shows whether there are more.
const ROWS: u32 = 21;
const NOW: Time = Time::from_millis(1_800_000_000_000);
const WORDS: &[&str] = &[
    "invoice",
    "support",
    "translation",
    "research",
    "calendar",
    "shipping",
    "refund",
    "pricing",
    "contract",
    "quality",
    "weather",
    "steel",
    "logistics",
    "hiring",
    "legal",
    "travel",
    "security",
    "summary",
    "data",
    "analysis",
    "quote",
    "order",
    "delivery",
    "medical",
    "insurance",
    "tax",
    "audit",
    "garden",
    "energy",
    "water",
];

/// Returns a word for a number, the same each time.
fn word(seed: u64) -> &'static str {
    let mixed = (seed ^ (seed >> 7)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    WORDS[usize::try_from(mixed).unwrap_or(0) % WORDS.len()]
}

fn words(from: u64, count: u64) -> String {
    (0..count).map(|n| word(from * 31 + n)).collect::<Vec<_>>().join(" ")
}

fn workspace_id(number: u64) -> WorkspaceId {
    WorkspaceId(Uuid::from_u128(u128::from(number / PER_WORKSPACE) + 1))
}

fn workspace(number: u64) -> Workspace {
    Workspace {
        id: workspace_id(number),
        name: format!("Workspace {number}"),
        owner_email: format!("owner{number}@example.com"),
        plan: Plan::Team,
        suspended: false,
        suspension: None,
        origin: WorkspaceOrigin::Operator,
        claim: ClaimStatus::NotApplicable,
        claimed_at: None,
        notice: None,
        stopped_at: None,
        stop_reason: None,
        ai_processing: AiProcessing::Off,
        screening: ScreeningSettings::DEFAULT,
        outbound_policy: OutboundPolicy::Label,
        daily_send_limit: None,
        ai_disclosure: AiDisclosure::NONE,
        retention_days: None,
        created_at: NOW,
    }
}

fn inbox(number: u64) -> Inbox {
    Inbox {
        workspace: workspace_id(number),
        id: InboxId(Uuid::from_u128((1 << 100) + u128::from(number))),
        kind: InboxKind::Mailbox,
        address: format!("agent{number}@agents.example"),
        username: format!("agent{number}"),
        domain: "agents.example".to_owned(),
        display_name: None,
        screening: None,
        client_id: None,
        metadata_json: "{}".to_owned(),
        temporary: false,
        expires_at: None,
        paused_at: None,
        paused_reason: None,
        promotions_filter: None,
        identity_enabled: true,
        last_message_at: NOW,
        created_at: NOW,
        deleted_at: None,
    }
}

fn card(number: u64) -> Card {
    let skill = |n: u64| Skill {
        id: format!("{}.{}", word(number + n), word(number * 7 + n)),
        name: words(number * 3 + n, 2),
        description: Some(words(number * 5 + n, 12)),
        tags: vec![word(number * 11 + n).to_owned(), word(number * 13 + n).to_owned()],
        oasf: None,
    };
    let capabilities = Capabilities { skills: (0..3).map(skill).collect(), ..Capabilities::default() };
    Card {
        description: Some(words(number, 20)),
        capabilities,
        visibility: CardVisibility::Public,
        is_indexable: true,
        listing: Some(ListingState::Listed),
        listed_at: Some(NOW),
        ..Card::new(format!("{} agent {number}", word(number)), i64::try_from(number + 1).unwrap_or(i64::MAX), NOW)
    }
}

fn store_card(tx: &mut Tx, number: u64) -> Result<(), posthouse_store::Error> {
    if number.is_multiple_of(PER_WORKSPACE) {
        workspaces::insert(tx, &workspace(number))?;
    }
    let (inbox, card) = (inbox(number), card(number));
    inboxes::insert(tx, &inbox)?;
    let agent = agents::get(tx, inbox.workspace, inbox.id)?;
    let agent = agent.ok_or_else(|| posthouse_store::Error::Inconsistent("no agent".into()))?;
    agents::insert(tx, &agent, &card)?;
    let document = CardDocument::of(inbox.workspace, &card, true);
    card_index::put(tx, &agent, card.number, Some(&document))
}

fn query(text: Option<&str>) -> CardQuery {
    CardQuery { scope: SearchedCards::Public, text: text.map(str::to_owned), capability: None, accepts: None }
}

/// A kind of search: its name, and a query for a number.
type SearchKind = (&'static str, Box<dyn Fn(u64) -> CardQuery>);

/// Returns each kind of search.
fn kinds(cards: u64) -> Vec<SearchKind> {
    let own = |n: u64| CardQuery { scope: SearchedCards::Workspace(workspace_id(n)), ..query(None) };
    vec![
        ("everything", Box::new(|_| query(None))),
        ("a frequent word", Box::new(|n| query(Some(word(n))))),
        ("a part of a frequent word", Box::new(|n| query(Some(&word(n)[1..3])))),
        ("two characters", Box::new(|n| query(Some(&word(n)[..2])))),
        ("two words in order", Box::new(|n| query(Some(&words(n, 2))))),
        ("one card by its name", Box::new(move |n| query(Some(&format!("agent {}", n * 7_919 % cards))))),
        ("nothing, in frequent parts", Box::new(|n| query(Some(&format!("{} {}x", word(n), word(n + 1)))))),
        ("a capability", Box::new(|n| CardQuery { capability: Some(word(n).to_owned()), ..query(None) })),
        (
            "a capability and a word",
            Box::new(|n| CardQuery { capability: Some(word(n).to_owned()), ..query(Some(word(n + 1))) }),
        ),
        ("a type that no agent accepts", Box::new(|_| CardQuery { accepts: Some(MessageKind::Event), ..query(None) })),
        ("the own workspace", Box::new(move |n| own(n * 7_919 % cards))),
        (
            "a word in the own workspace",
            Box::new(move |n| CardQuery { text: Some(word(n).to_owned()), ..own(n * 7_919 % cards) }),
        ),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url: DatabaseUrl = arguments.next().ok_or("usage: card_search DATABASE_URL CARDS")?.parse()?;
    let cards: u64 = arguments.next().ok_or("usage: card_search DATABASE_URL CARDS")?.parse()?;
    let store = Store::open(StoreConfig::new(url))?;
    let began = Instant::now();
    let is_filled = !store.read_blocking(|tx| card_index::search(tx, &query(None), i64::MAX, NOW, 1))?.is_empty();
    for first in (0..if is_filled { 0 } else { cards }).step_by(usize::try_from(BATCH)?) {
        store.write_blocking(move |tx| {
            (first..(first + BATCH).min(cards)).try_for_each(|number| store_card(tx, number))
        })?;
    }
    println!("{cards} cards stored in {:.1} s", began.elapsed().as_secs_f64());
    for (name, query) in kinds(cards) {
        let mut times: Vec<f64> = Vec::new();
        let mut hits = 0;
        for n in 0..SEARCHES {
            let query = query(u64::try_from(n)?);
            let began = Instant::now();
            let found = store.read_blocking(move |tx| card_index::search(tx, &query, i64::MAX, NOW, ROWS))?;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
            hits += found.len();
        }
        times.sort_by(f64::total_cmp);
        let (median, worst) = (times[SEARCHES / 2], times[SEARCHES * 99 / 100]);
        println!("{name:30} p50 {median:7.2} ms  p99 {worst:7.2} ms  {:.1} hits", hits as f64 / SEARCHES as f64);
    }
    store.close();
    Ok(())
}
