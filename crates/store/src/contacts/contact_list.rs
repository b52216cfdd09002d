//! Lists of contacts: filtered pages with the most recently seen first, domain counts, and bulk deletion.
//!
//! A page scans the `last_seen_at` index. With a label or metadata filter it sorts the contacts that match the rarest
//! filter instead.

use posthouse_domain::{
    Contact, ContactId, ContactKind, CursorPosition, DomainCount, WorkspaceId, contact::FREE_MAIL_DOMAINS,
};
use uuid::Uuid;

use crate::{Result, Sql, ToValue, Tx, Value, contacts::select, statements, values::like_pattern};

/// Rows counted per filter to find the rarest.
const RARITY_COUNT_MAX: u32 = 1_000;
/// Number of contact kinds. A shorter filter is padded, so that one statement fits all.
const KINDS: usize = ContactKind::ALL.len();

statements! {
    fn count_labeled(workspace: WorkspaceId, label: &str; limit = RARITY_COUNT_MAX) -> u64 =
        "SELECT count(*) FROM (SELECT contact_id FROM contact_labels WHERE workspace_id = :workspace AND label = :label LIMIT :limit) s";
    fn count_with_metadata(workspace: WorkspaceId, key: &str, value: &str; limit = RARITY_COUNT_MAX) -> u64 =
        "SELECT count(*) FROM (SELECT contact_id FROM contact_metadata WHERE workspace_id = :workspace AND key = :key AND value = :value
        LIMIT :limit) s";
    fn largest_domains(
        workspace: WorkspaceId, kinds: [&str; KINDS] { a: kinds[0], b: kinds[1], c: kinds[2], d: kinds[3] }, limit: u64,
    ) -> Vec<DomainCount> =
        "SELECT domain, count(*) AS contacts, max(last_seen_at) AS last_seen_at FROM contacts WHERE workspace_id = :workspace AND kind IN (:a, :b, :c, :d)
    GROUP BY domain ORDER BY count(*) DESC, domain LIMIT :limit";
    fn count_matching(
        workspace: WorkspaceId, kinds: [&str; KINDS] { a: kinds[0], b: kinds[1], c: kinds[2], d: kinds[3] },
    ) -> u64 = "SELECT count(*) FROM contacts WHERE workspace_id = :workspace AND kind IN (:a, :b, :c, :d)";
    fn count_in_domain(
        workspace: WorkspaceId,
        kinds: [&str; KINDS] { a: kinds[0], b: kinds[1], c: kinds[2], d: kinds[3] },
        domain: &str,
    ) -> u64 =
        "SELECT count(*) FROM contacts WHERE workspace_id = :workspace AND kind IN (:a, :b, :c, :d) AND domain = :domain";
    fn all_matching(
        workspace: WorkspaceId, kinds: [&str; KINDS] { a: kinds[0], b: kinds[1], c: kinds[2], d: kinds[3] }, limit: u32,
    ) -> Vec<(id: ContactId, address: String)> =
        "SELECT id, address FROM contacts WHERE workspace_id = :workspace AND kind IN (:a, :b, :c, :d) ORDER BY id LIMIT :limit {FOR_UPDATE}";
    fn in_domain(
        workspace: WorkspaceId,
        kinds: [&str; KINDS] { a: kinds[0], b: kinds[1], c: kinds[2], d: kinds[3] },
        domain: &str,
        limit: u32,
    ) -> Vec<(id: ContactId, address: String)> =
        "SELECT id, address FROM contacts WHERE workspace_id = :workspace AND kind IN (:a, :b, :c, :d) AND domain = :domain
    ORDER BY last_seen_at, id LIMIT :limit {FOR_UPDATE}";
}

/// Filters for a list of contacts. Cursors contain its `Debug` text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContactFilter {
    /// Part of the address or name.
    pub q: Option<String>,
    /// A required label.
    pub label: Option<String>,
    /// Any of these kinds; empty matches all.
    pub kinds: Vec<ContactKind>,
    pub domain: Option<String>,
    /// Metadata keys with their required values.
    pub metadata: Vec<(String, String)>,
}

/// Filter for contacts to delete in bulk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContactBulkFilter {
    /// Any of these kinds; empty matches all.
    pub kinds: Vec<ContactKind>,
    pub domain: Option<String>,
}

crate::from_row!(DomainCount { domain, contacts, last_seen_at });

/// A required label or metadata value.
#[derive(Clone, Copy, Debug)]
enum TagFilter<'a> {
    Label(&'a str),
    Metadata(&'a str, &'a str),
}

/// Returns up to `limit` contacts that match the filter, after `position`, most recently seen first.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &ContactFilter,
    position: Option<CursorPosition>,
    limit: u32,
) -> Result<Vec<Contact>> {
    let after = position.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    let kinds = padded(&filter.kinds);
    let q = filter.q.as_deref().map(|q| like_pattern(Some(q)));
    let tags = rarest_first(tx, workspace, filter)?;
    let mut parameters: Vec<Value<'_>> =
        vec![workspace.to_value(), after.sort.to_value(), after.id.to_value(), limit.to_value()];
    if !filter.kinds.is_empty() {
        parameters.extend(kinds.iter().map(ToValue::to_value));
    }
    parameters.extend(filter.domain.iter().map(ToValue::to_value));
    parameters.extend(q.iter().map(ToValue::to_value));
    for tag in &tags {
        match tag {
            TagFilter::Label(label) => parameters.push(label.to_value()),
            TagFilter::Metadata(key, text) => parameters.extend([key.to_value(), text.to_value()]),
        }
    }
    let shape = ContactPageShape {
        kinds: !filter.kinds.is_empty(),
        domain: filter.domain.is_some(),
        q: q.is_some(),
        tags: tags.iter().map(|tag| matches!(tag, TagFilter::Label(_))).collect(),
    };
    tx.rows(&statement(&shape), &parameters)
}

fn rarest_first<'f>(tx: &mut Tx, workspace: WorkspaceId, filter: &'f ContactFilter) -> Result<Vec<TagFilter<'f>>> {
    let labels = filter.label.iter().map(|label| TagFilter::Label(label));
    let mut tags: Vec<TagFilter<'f>> =
        labels.chain(filter.metadata.iter().map(|(key, text)| TagFilter::Metadata(key, text))).collect();
    if tags.len() > 1 {
        let mut counted = Vec::with_capacity(tags.len());
        for tag in tags {
            let count = match tag {
                TagFilter::Label(label) => count_labeled(tx, workspace, label)?,
                TagFilter::Metadata(key, text) => count_with_metadata(tx, workspace, key, text)?,
            };
            counted.push((count, tag));
        }
        counted.sort_by_key(|(count, _)| *count);
        tags = counted.into_iter().map(|(_, tag)| tag).collect();
    }
    Ok(tags)
}

/// The parts that a page statement consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ContactPageShape {
    kinds: bool,
    domain: bool,
    q: bool,
    /// Whether each tag filter is a label; the first drives the query.
    tags: Vec<bool>,
}

/// Builds the page statement. `$1` to `$4`: workspace, position, limit; then kinds, domain, search text, tags.
fn statement(shape: &ContactPageShape) -> Sql {
    let mut next = 5;
    let mut reserve = |count: usize| {
        next += count;
        next - count
    };
    let mut clauses = String::new();
    if shape.kinds {
        let n = reserve(KINDS);
        clauses.push_str(&format!(" AND c.kind IN (${n}, ${}, ${}, ${})", n + 1, n + 2, n + 3));
    }
    if shape.domain {
        clauses.push_str(&format!(" AND c.domain = ${}", reserve(1)));
    }
    if shape.q {
        clauses.push_str(&format!(" AND c.haystack LIKE ${} ESCAPE '!'", reserve(1)));
    }
    let mut from = "contacts c";
    for (at, is_label) in shape.tags.iter().enumerate() {
        let of = |table: &str| match is_label {
            true => (format!("{table}.label"), "contact_labels", 1),
            false => (format!("{table}.key"), "contact_metadata", 2),
        };
        let table = if at == 0 { "d" } else { "e" };
        let (column, name, parameters) = of(table);
        let n = reserve(parameters);
        let mut clause = format!("{table}.workspace_id = $1 AND {table}.contact_id = c.id AND {column} = ${n}");
        if !is_label {
            clause.push_str(&format!(" AND {table}.value = ${}", n + 1));
        }
        if at == 0 {
            // SQLite runs a cross join in the written order: the tag's rows first.
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
    Sql::from_fragments(
        "CONTACT_PAGE",
        format!(
            "{}{from} WHERE c.workspace_id = $1 AND (c.last_seen_at, c.id) < ($2, $3){clauses}
             ORDER BY c.last_seen_at DESC, c.id DESC LIMIT $4",
            select!("")
        ),
    )
}

/// Returns every page statement with up to `tags_max` tag filters, for the tests that prepare and plan them.
#[must_use]
pub fn shapes(tags_max: usize) -> Vec<Sql> {
    let mut all = Vec::new();
    for tags in 0..=tags_max {
        for bits in 0..8 {
            for has_label in [false, true] {
                let tags = (0..tags).map(|at| has_label && at == 0).collect();
                all.push(statement(&ContactPageShape {
                    kinds: bits & 1 > 0,
                    domain: bits & 2 > 0,
                    q: bits & 4 > 0,
                    tags,
                }));
            }
        }
    }
    all
}

/// Returns the domains with the most contacts of these kinds, largest first, excluding free mail providers.
pub fn domains(tx: &mut Tx, workspace: WorkspaceId, kinds: &[ContactKind], limit: usize) -> Result<Vec<DomainCount>> {
    let mut counts = largest_domains(tx, workspace, padded(kinds), (limit + FREE_MAIL_DOMAINS.len()) as u64)?;
    counts.retain(|row| !FREE_MAIL_DOMAINS.contains(&row.domain.as_str()));
    counts.truncate(limit);
    Ok(counts)
}

/// Returns the number of contacts that match a bulk filter.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, bulk: &ContactBulkFilter) -> Result<u64> {
    match &bulk.domain {
        Some(domain) => count_in_domain(tx, workspace, padded(&bulk.kinds), domain),
        None => count_matching(tx, workspace, padded(&bulk.kinds)),
    }
}

/// Returns up to `limit` contacts that match a bulk filter, with their addresses, and locks their rows.
pub fn matching(
    tx: &mut Tx,
    workspace: WorkspaceId,
    bulk: &ContactBulkFilter,
    limit: u32,
) -> Result<Vec<(ContactId, String)>> {
    match &bulk.domain {
        Some(domain) => in_domain(tx, workspace, padded(&bulk.kinds), domain, limit),
        None => all_matching(tx, workspace, padded(&bulk.kinds), limit),
    }
}

/// Returns the names of the kinds, repeated to fill the array; all kinds if empty.
fn padded(kinds: &[ContactKind]) -> [&'static str; KINDS] {
    let kinds = if kinds.is_empty() { ContactKind::ALL } else { kinds };
    let mut cycle = kinds.iter().cycle();
    [(); KINDS].map(|()| cycle.next().map_or("", |kind| kind.text()))
}
