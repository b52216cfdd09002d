//! The index of cards that searches find. The words come from `domain::agent::search`; they only narrow a search, and the
//! text of each candidate is compared.
//!
//! FTS5 returns candidates newest first and stops when there are enough. GIN returns all of them, so on PostgreSQL the
//! newest cards are compared one by one first: a frequent query ends there.

use posthouse_domain::{Agent, CardDocument, CardQuery, InboxId, SearchedCards, Time, WorkspaceId};

use crate::{
    Engine, Result, Sql, ToValue, Tx, Value,
    agents::{self, columns, joins},
    p, statements,
};

/// Cards that are compared one by one before the index is used, on PostgreSQL.
const WINDOW: u32 = 1_000;

statements! {
    PUT = "INSERT INTO card_index (number, workspace_id, inbox_id, is_public, text) VALUES ($1, $2, $3, $4, $5)"
        / "INSERT INTO card_index (number, workspace_id, inbox_id, is_public, text, words)
        VALUES ($1, $2, $3, $4, $5, array_to_tsvector(string_to_array(CAST($6 AS TEXT), ' ')))";
    fn put_words(number: i64, words: &str) =
        "INSERT INTO card_words (rowid, words) VALUES (:number, :words)" / "SELECT CAST(:number AS BIGINT), CAST(:words AS TEXT)";
    fn delete_row(workspace: WorkspaceId, inbox: InboxId) -> Option<i64> =
        "DELETE FROM card_index WHERE workspace_id = :workspace AND inbox_id = :inbox RETURNING number";
    fn delete_words(number: i64) = "DELETE FROM card_words WHERE rowid = :number" / "SELECT CAST(:number AS BIGINT)";
    fn window_of_public(before: i64; cards = WINDOW) -> Option<i64> =
        "SELECT number FROM card_index WHERE is_public = 1 AND number < :before ORDER BY number DESC LIMIT 1 OFFSET :cards";
    fn window_of_workspace(workspace: WorkspaceId, before: i64; cards = WINDOW) -> Option<i64> =
        "SELECT number FROM card_index WHERE workspace_id = :workspace AND number < :before ORDER BY number DESC LIMIT 1 OFFSET :cards";
    /// Returns pages that search engines may index, newest first.
    pub fn indexable(now: Time, limit: u32) -> Vec<IndexableCard> = "SELECT i.address, c.updated_at FROM card_index d
        CROSS JOIN {pg:LATERAL (SELECT * FROM} agent_cards c {lite:ON}{pg:WHERE} c.workspace_id = d.workspace_id AND c.inbox_id = d.inbox_id {pg:OFFSET 0) c}
        CROSS JOIN {pg:LATERAL (SELECT * FROM} inboxes i {lite:ON}{pg:WHERE} i.workspace_id = d.workspace_id AND i.id = d.inbox_id {pg:OFFSET 0) i}
        CROSS JOIN {pg:LATERAL (SELECT * FROM} workspaces w {lite:ON}{pg:WHERE} w.id = d.workspace_id {pg:OFFSET 0) w}
        WHERE d.is_public = 1 AND c.indexable = 1 AND c.listing = 'listed' AND c.revoked_at IS NULL AND i.deleted_at IS NULL
        AND (i.expires_at IS NULL OR i.expires_at > :now) AND w.status = 'active' AND w.claim_status <> 'unclaimed'
        AND NOT EXISTS (SELECT 1 FROM agent_sanctions s WHERE s.workspace_id = d.workspace_id AND s.inbox_id = d.inbox_id LIMIT 1 OFFSET 0)
        ORDER BY d.number DESC LIMIT :limit";
}

crate::row_struct!(
    /// A page of a sitemap.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub IndexableCard { address: String, updated_at: Time }
);

/// How a statement finds candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strategy {
    /// By the words in the index.
    Words,
    /// One by one, in a range.
    Each,
}

/// The conditions of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    is_public: bool,
    has_text: bool,
    has_words: bool,
}

/// Replaces the entry of a card. A document of `None` leaves it out of searches.
pub fn put(tx: &mut Tx, agent: &Agent, number: i64, document: Option<&CardDocument>) -> Result<()> {
    delete(tx, agent.workspace, agent.inbox)?;
    let Some(document) = document else { return Ok(()) };
    let (workspace, inbox) = (agent.workspace, agent.inbox);
    let mut row = p![number, workspace, inbox, document.is_public, document.text].to_vec();
    if tx.engine() == Engine::Sqlite {
        tx.exec(&PUT, &row)?;
        put_words(tx, number, &document.words)?;
    } else {
        row.push(document.words.to_value());
        tx.exec(&PUT, &row)?;
    }
    Ok(())
}

/// Removes the entry of an agent's card.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    match (delete_row(tx, workspace, inbox)?, tx.engine()) {
        (Some(number), Engine::Sqlite) => delete_words(tx, number),
        _ => Ok(()),
    }
}

/// Returns up to `limit` agents whose cards match, newest first, with numbers below `before`.
pub fn search(tx: &mut Tx, query: &CardQuery, before: i64, now: Time, limit: u32) -> Result<Vec<Agent>> {
    let scan = Scan { query, text: query.folded_text(), exact: query.exact_words(), now };
    let mut range = NumberRange { from: i64::MIN, before };
    let mut found: Vec<Agent> = Vec::new();
    if tx.engine() == Engine::Postgres {
        let end = window(tx, query.scope, before)?;
        found = scan.part(tx, Strategy::Each, NumberRange { from: end.unwrap_or(i64::MIN), before }, limit)?;
        match end {
            Some(end) => range.before = end,
            None => return Ok(found),
        }
    }
    let missing = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(limit));
    if missing > 0 {
        found.extend(scan.part(tx, Strategy::Words, range, missing)?);
    }
    Ok(found)
}

/// A range of card numbers: from one, and below another.
#[derive(Clone, Copy)]
struct NumberRange {
    from: i64,
    before: i64,
}

/// The common parts of the statements of a search.
struct Scan<'a> {
    query: &'a CardQuery,
    text: Option<String>,
    exact: Vec<String>,
    now: Time,
}

impl Scan<'_> {
    fn part(&self, tx: &mut Tx, strategy: Strategy, range: NumberRange, limit: u32) -> Result<Vec<Agent>> {
        let engine = tx.engine();
        let mut words = self.exact.clone();
        if strategy == Strategy::Words {
            words.push(self.query.scope_word());
            words.extend(self.query.text_words());
        }
        let shape = Shape {
            is_public: self.query.scope == SearchedCards::Public,
            has_text: self.text.is_some(),
            has_words: !words.is_empty(),
        };
        let words = joined(engine, &words);
        let mut parameters: Vec<Value<'_>> = p![range.from, range.before, self.now, limit].to_vec();
        if shape.has_words {
            parameters.push(words.to_value());
        }
        if let Some(text) = &self.text {
            parameters.push(text.to_value());
        }
        let workspace = match self.query.scope {
            SearchedCards::Workspace(workspace) => Some(workspace),
            SearchedCards::Public => None,
        };
        if let Some(workspace) = &workspace {
            parameters.push(workspace.to_value());
        }
        tx.rows(&statement(engine, strategy, shape), &parameters)
    }
}

/// Builds the statement of one part of a search. `$1` to `$4`: first number, number after the last, time, limit; then the
/// words, the text and the workspace, as far as the shape has them.
fn statement(engine: Engine, strategy: Strategy, shape: Shape) -> Sql {
    let mut next = 4;
    let mut parameter = |is_used: bool| {
        next += i32::from(is_used);
        next
    };
    let (words, text) = (parameter(shape.has_words), parameter(shape.has_text));
    let workspace = parameter(!shape.is_public);
    let scope = if shape.is_public { "x.is_public = 1".to_owned() } else { format!("x.workspace_id = ${workspace}") };
    let contains = match (shape.has_text, engine) {
        (false, _) => String::new(),
        (true, Engine::Sqlite) => format!(" AND instr(x.text, ${text}) > 0"),
        (true, Engine::Postgres) => format!(" AND strpos(x.text, CAST(${text} AS TEXT)) > 0"),
    };
    let matches = if shape.has_words {
        format!(" AND x.words @@ CAST(CAST(${words} AS TEXT) AS TSQUERY)")
    } else {
        String::new()
    };
    let shown = if shape.is_public {
        "AND c.listing = 'listed' AND s.kind IS NULL AND w.claim_status <> 'unclaimed'"
    } else {
        "AND (s.kind IS NULL OR s.kind <> 'suspended')"
    };
    let (columns, joins) = (columns!(), joins!());
    let rest = format!(
        "{joins} WHERE c.number = x.number AND c.revoked_at IS NULL AND i.deleted_at IS NULL
        AND (i.expires_at IS NULL OR i.expires_at > $3) AND w.status = 'active' {shown}"
    );
    let hits = "SELECT x.number, x.workspace_id, x.inbox_id FROM card_index x WHERE";
    let inbox = "CROSS JOIN LATERAL (SELECT * FROM inboxes i WHERE i.workspace_id = x.workspace_id AND i.id = x.inbox_id OFFSET 0) i";
    let text = match (engine, strategy) {
        (Engine::Sqlite, _) => format!(
            "SELECT {columns} FROM card_words t CROSS JOIN card_index x ON x.number = t.rowid
            CROSS JOIN inboxes i ON i.workspace_id = x.workspace_id AND i.id = x.inbox_id {rest}
            AND t.card_words MATCH ${words} AND t.rowid >= $1 AND t.rowid < $2 AND {scope}{contains} ORDER BY t.rowid DESC LIMIT $4"
        ),
        (Engine::Postgres, Strategy::Each) => format!(
            "SELECT {columns} FROM ({hits} {scope} AND x.number >= $1 AND x.number < $2{contains}{matches}
            ORDER BY x.number DESC OFFSET 0) x {inbox}{rest} ORDER BY x.number DESC LIMIT $4"
        ),
        // The words first: without statistics, the planner would read all cards of the scope and compare their words.
        (Engine::Postgres, Strategy::Words) => format!(
            "WITH found AS MATERIALIZED (SELECT x.number, x.workspace_id, x.inbox_id
            FROM (SELECT * FROM card_index x WHERE TRUE{matches} OFFSET 0) x
            WHERE {scope} AND x.number >= $1 AND x.number < $2{contains})
            SELECT {columns} FROM (SELECT * FROM found ORDER BY number DESC OFFSET 0) x {inbox}{rest} ORDER BY x.number DESC LIMIT $4"
        ),
    };
    Sql::from_fragments("CARD_SEARCH", text)
}

/// Returns every search statement of an engine, for the test that prepares them.
#[must_use]
pub fn shapes(engine: Engine) -> Vec<Sql> {
    let mut all = Vec::new();
    for (is_public, has_text) in [(true, true), (true, false), (false, true), (false, false)] {
        let shape = |has_words| Shape { is_public, has_text, has_words };
        all.push(statement(engine, Strategy::Words, shape(true)));
        if engine == Engine::Postgres {
            all.extend([true, false].map(|has_words| statement(engine, Strategy::Each, shape(has_words))));
        }
    }
    all
}

/// Returns the number at which the newest cards of a scope end; `None` if there are no others.
fn window(tx: &mut Tx, scope: SearchedCards, before: i64) -> Result<Option<i64>> {
    match scope {
        SearchedCards::Public => window_of_public(tx, before),
        SearchedCards::Workspace(workspace) => window_of_workspace(tx, workspace, before),
    }
}

/// Formats words that must all be present. They consist of letters and digits.
fn joined(engine: Engine, words: &[String]) -> String {
    match engine {
        Engine::Sqlite => words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" AND "),
        Engine::Postgres => words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" & "),
    }
}

/// Deletes the card of an inbox or identity, also from searches; returns whether there was one.
pub fn delete_card(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<bool> {
    delete(tx, workspace, inbox)?;
    agents::delete_row(tx, workspace, inbox)
}
