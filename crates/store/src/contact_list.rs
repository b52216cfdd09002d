//! Lists of contacts: pages under filters, most recently seen first, their domains, and those that are deleted together.
//!
//! A page is a walk along an index of when they were seen. Under a label or metadata it is those contacts, sorted, driven by
//! the rarest filter.

use posthouse_domain::{
    contact::{Contact, ContactKind, FREE_MAIL},
    id::{ContactId, WorkspaceId},
    page::Position,
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Sql, ToValue, Tx, Value, contacts::select, p, statements, values::like_pattern};

/// Rows of one filter that are counted to find the rarest.
const RARITY_MAX: u32 = 1_000;
/// Kinds there are; a filter of fewer is padded, so that there is one text.
const KINDS: usize = ContactKind::ALL.len();

statements! {
    HOW_MANY_LABELLED = "SELECT count(*) FROM (SELECT contact_id FROM contact_labels WHERE workspace_id = $1 AND label = $2 LIMIT $3) s";
    HOW_MANY_WITH = "SELECT count(*) FROM (SELECT contact_id FROM contact_metadata WHERE workspace_id = $1 AND key = $2 AND value = $3
        LIMIT $4) s";
    DOMAINS = "SELECT domain, count(*), max(last_seen_at) FROM contacts WHERE workspace_id = $1 AND kind IN ($2, $3, $4, $5)
        GROUP BY domain ORDER BY count(*) DESC, domain LIMIT $6";
    COUNT_MATCHING = "SELECT count(*) FROM contacts WHERE workspace_id = $1 AND kind IN ($2, $3, $4, $5)";
    COUNT_IN_DOMAIN = "SELECT count(*) FROM contacts WHERE workspace_id = $1 AND kind IN ($2, $3, $4, $5) AND domain = $6";
    MATCHING = "SELECT id, address FROM contacts WHERE workspace_id = $1 AND kind IN ($2, $3, $4, $5) ORDER BY id LIMIT $6 {FOR_UPDATE}";
    IN_DOMAIN = "SELECT id, address FROM contacts WHERE workspace_id = $1 AND kind IN ($2, $3, $4, $5) AND domain = $6
        ORDER BY last_seen_at, id LIMIT $7 {FOR_UPDATE}";
}

/// What a list of contacts is narrowed to. Its `Debug` text names it in cursors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// A part of address or name.
    pub q: Option<String>,
    /// A label that must be there.
    pub label: Option<String>,
    /// Kinds of which it must be one; empty: any.
    pub kinds: Vec<ContactKind>,
    /// The domain.
    pub domain: Option<String>,
    /// Metadata keys and the text that each must have.
    pub metadata: Vec<(String, String)>,
}

/// Which contacts are deleted together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bulk {
    /// Kinds of which it must be one; empty: any.
    pub kinds: Vec<ContactKind>,
    /// The domain.
    pub domain: Option<String>,
}

/// How many contacts a domain has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainCount {
    /// The domain.
    pub domain: String,
    /// How many.
    pub contacts: i64,
    /// When the newest message of one of them was stored.
    pub last_seen_at: Time,
}

crate::from_row!(DomainCount { domain, contacts, last_seen_at });

/// A label or a piece of metadata that contacts must have.
#[derive(Clone, Copy, Debug)]
enum Mark<'a> {
    Label(&'a str),
    Metadata(&'a str, &'a str),
}

/// Up to `limit` contacts that pass the filter, behind `position`, most recently seen first.
///
/// # Errors
/// The store's own.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &Filter,
    position: Option<Position>,
    limit: u32,
) -> Result<Vec<Contact>> {
    let after = position.unwrap_or(Position { sort: i64::MAX, id: Uuid::max() });
    let kinds = padded(&filter.kinds);
    let q = filter.q.as_deref().map(|q| like_pattern(Some(q)));
    let marks = rarest_first(tx, workspace, filter)?;
    let mut parameters: Vec<Value<'_>> =
        vec![workspace.to_value(), after.sort.to_value(), after.id.to_value(), limit.to_value()];
    if !filter.kinds.is_empty() {
        parameters.extend(kinds.iter().map(ToValue::to_value));
    }
    parameters.extend(filter.domain.iter().map(ToValue::to_value));
    parameters.extend(q.iter().map(ToValue::to_value));
    for mark in &marks {
        match mark {
            Mark::Label(label) => parameters.push(label.to_value()),
            Mark::Metadata(key, text) => parameters.extend([key.to_value(), text.to_value()]),
        }
    }
    let shape = Shape {
        kinds: !filter.kinds.is_empty(),
        domain: filter.domain.is_some(),
        q: q.is_some(),
        marks: marks.iter().map(|mark| matches!(mark, Mark::Label(_))).collect(),
    };
    tx.rows(&statement(&shape), &parameters)
}

fn rarest_first<'f>(tx: &mut Tx, workspace: WorkspaceId, filter: &'f Filter) -> Result<Vec<Mark<'f>>> {
    let labels = filter.label.iter().map(|label| Mark::Label(label));
    let mut marks: Vec<Mark<'f>> =
        labels.chain(filter.metadata.iter().map(|(key, text)| Mark::Metadata(key, text))).collect();
    if marks.len() > 1 {
        let mut counted = Vec::with_capacity(marks.len());
        for mark in marks {
            let count: Option<i64> = match mark {
                Mark::Label(label) => tx.value(&HOW_MANY_LABELLED, p![workspace, label, RARITY_MAX])?,
                Mark::Metadata(key, text) => tx.value(&HOW_MANY_WITH, p![workspace, key, text, RARITY_MAX])?,
            };
            counted.push((count.unwrap_or(0), mark));
        }
        counted.sort_by_key(|(count, _)| *count);
        marks = counted.into_iter().map(|(_, mark)| mark).collect();
    }
    Ok(marks)
}

/// The form of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shape {
    kinds: bool,
    domain: bool,
    q: bool,
    /// Of each mark whether it is a label; the first one drives.
    marks: Vec<bool>,
}

/// `$1` to `$4`: workspace, place, limit; then kinds, domain, part, marks.
fn statement(shape: &Shape) -> Sql {
    let mut next = 5;
    let mut take = |count: usize| {
        next += count;
        next - count
    };
    let mut clauses = String::new();
    if shape.kinds {
        let n = take(KINDS);
        clauses.push_str(&format!(" AND c.kind IN (${n}, ${}, ${}, ${})", n + 1, n + 2, n + 3));
    }
    if shape.domain {
        clauses.push_str(&format!(" AND c.domain = ${}", take(1)));
    }
    if shape.q {
        clauses.push_str(&format!(" AND c.haystack LIKE ${} ESCAPE '!'", take(1)));
    }
    let mut from = "contacts c";
    for (at, is_label) in shape.marks.iter().enumerate() {
        let of = |table: &str| match is_label {
            true => (format!("{table}.label"), "contact_labels", 1),
            false => (format!("{table}.key"), "contact_metadata", 2),
        };
        let table = if at == 0 { "d" } else { "e" };
        let (column, name, parameters) = of(table);
        let n = take(parameters);
        let mut clause = format!("{table}.workspace_id = $1 AND {table}.contact_id = c.id AND {column} = ${n}");
        if !is_label {
            clause.push_str(&format!(" AND {table}.value = ${}", n + 1));
        }
        if at == 0 {
            // A cross join is the order of the walk on SQLite: the mark's rows first.
            from = if *is_label {
                "contact_labels d CROSS JOIN contacts c"
            } else {
                "contact_metadata d CROSS JOIN contacts c"
            };
            clauses.push_str(&format!(" AND {clause}"));
        } else {
            clauses.push_str(&format!(" AND EXISTS (SELECT 1 FROM {name} e WHERE {clause})"));
        }
    }
    Sql::built(
        "CONTACT_PAGE",
        format!(
            "{}{from} WHERE c.workspace_id = $1 AND (c.last_seen_at, c.id) < ($2, $3){clauses}
             ORDER BY c.last_seen_at DESC, c.id DESC LIMIT $4",
            select!("")
        ),
    )
}

/// Every statement that a page can become under up to `marks_max` marks, for the tests that prepare and plan them.
#[must_use]
pub fn shapes(marks_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for marks in 0..=marks_max {
        for bits in 0..8 {
            for labelled in [false, true] {
                let marks = (0..marks).map(|at| labelled && at == 0).collect();
                all.push(statement(&Shape { kinds: bits & 1 > 0, domain: bits & 2 > 0, q: bits & 4 > 0, marks }));
            }
        }
    }
    all
}

/// The domains that most contacts of those kinds are at, largest first, without those of free mail.
///
/// # Errors
/// The store's own.
pub fn domains(tx: &mut Tx, workspace: WorkspaceId, kinds: &[ContactKind], limit: usize) -> Result<Vec<DomainCount>> {
    let [a, b, c, d] = padded(kinds);
    let asked = u32::try_from(limit + FREE_MAIL.len()).unwrap_or(u32::MAX);
    let mut found: Vec<DomainCount> = tx.rows(&DOMAINS, p![workspace, a, b, c, d, asked])?;
    found.retain(|row| !FREE_MAIL.contains(&row.domain.as_str()));
    found.truncate(limit);
    Ok(found)
}

/// How many contacts there are to be deleted together.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, bulk: &Bulk) -> Result<u64> {
    let [a, b, c, d] = padded(&bulk.kinds);
    let count = match &bulk.domain {
        Some(domain) => tx.value(&COUNT_IN_DOMAIN, p![workspace, a, b, c, d, domain])?,
        None => tx.value(&COUNT_MATCHING, p![workspace, a, b, c, d])?,
    };
    Ok(count.unwrap_or(0))
}

/// Up to `limit` contacts that are to be deleted together, with their addresses.
///
/// # Errors
/// The store's own.
pub fn taken(tx: &mut Tx, workspace: WorkspaceId, bulk: &Bulk, limit: u32) -> Result<Vec<(ContactId, String)>> {
    let [a, b, c, d] = padded(&bulk.kinds);
    match &bulk.domain {
        Some(domain) => tx.rows(&IN_DOMAIN, p![workspace, a, b, c, d, domain, limit]),
        None => tx.rows(&MATCHING, p![workspace, a, b, c, d, limit]),
    }
}

/// The names of the kinds, repeated; of every kind when none is given.
fn padded(kinds: &[ContactKind]) -> [&'static str; KINDS] {
    let kinds = if kinds.is_empty() { ContactKind::ALL } else { kinds };
    let mut cycle = kinds.iter().cycle();
    [(); KINDS].map(|()| cycle.next().map_or("", |kind| kind.text()))
}
