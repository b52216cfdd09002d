//! Checks with SQLite's query planner that every list statement scans an index in the required order.

use super::*;
use posthouse_store::{
    Engine, Sql, Value, all_statements, card_index, contact_list, drafts::list as draft_list, message_list, search,
    thread_list,
};

/// Files whose statements are checked one by one.
const FILES: [&str; 14] = [
    "messages/approvals",
    "messages/arrivals",
    "messages/attachments",
    "contacts",
    "messages/contents",
    "messages/draft_files",
    "messages/drafts",
    "messages/erase",
    "events",
    "delivery/forwarding",
    "delivery/incidents",
    "contacts/lists",
    "messages/message_list",
    "messages",
];

/// Returns the highest placeholder.
fn parameters(text: &str) -> usize {
    text.split('$')
        .skip(1)
        .filter_map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end].parse::<usize>().ok()
        })
        .max()
        .unwrap_or(0)
}

posthouse_store::row_struct!(
    #[allow(dead_code)]
    PlanRow { id: i64, parent: i64, notused: i64, detail: String }
);

fn plan(tx: &mut Tx, sql: &Sql) -> Result<Vec<String>> {
    let text = sql.text(Engine::Sqlite).into_owned();
    let nulls = vec![Value::Null; parameters(&text)];
    let explain = Sql::from_fragments("EXPLAIN", format!("EXPLAIN QUERY PLAN {text}"));
    let rows: Vec<PlanRow> = tx.rows(&explain, &nulls)?;
    Ok(rows.into_iter().map(|row| row.detail).collect())
}

fn sqlite() -> (Dir, Store) {
    let dir = Dir::new();
    let mut config = sqlite_config(&dir);
    config.migrations = migrate::MIGRATIONS;
    (dir, Store::open(config).unwrap())
}

fn scans(plan: &[String]) -> bool {
    // A scan of a subquery isn't a table scan.
    let inner = ["bounded", "CONSTANT ROW", "(subquery"];
    plan.iter().any(|step| step.starts_with("SCAN ") && !inner.iter().any(|name| step.contains(name)))
}

#[test]
fn pages_scan_an_index_in_order() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            let lists =
                [message_list::shapes(10), thread_list::shapes(10), contact_list::shapes(3), draft_list::shapes(3)];
            for sql in &lists.concat() {
                let plan = plan(tx, sql)?;
                let text = sql.text(Engine::Sqlite);
                assert!(!scans(&plan), "{plan:#?}\n{text}");
                // Threads with a rare label are sorted; there are at most a thousand.
                let sorts = plan.iter().any(|step| step.contains("TEMP B-TREE"));
                assert!(
                    !sorts
                        || ["thread_labels d", "contact_labels d", "contact_metadata d", "draft_metadata m"]
                            .iter()
                            .any(|of| text.contains(of)),
                    "{plan:#?}\n{text}"
                );
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .unwrap();
    store.close();
}

/// Regression test: `is_read=false` and `status` scanned the whole inbox.
#[test]
fn unread_messages_and_rare_statuses_have_their_own_index() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for (words, index) in [("m.is_read = 0", "messages_unread"), ("m.status = 'bounced'", "messages_status")] {
                let shapes = message_list::shapes(0);
                let text = |sql: &Sql| sql.text(Engine::Sqlite).into_owned();
                let is_only_filter = |sql: &&Sql| {
                    text(sql).contains(words) && !text(sql).contains("EXISTS") && !text(sql).contains("||")
                };
                let sql = shapes.iter().find(is_only_filter).expect("a list with only that filter");
                let plan = plan(tx, sql)?;
                assert!(plan.iter().any(|step| step.contains(index)), "{plan:#?}\n{}", text(sql));
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .unwrap();
    store.close();
}

/// Drafts that wait for action are few among those already sent.
#[test]
fn drafts_of_one_status_have_their_own_index() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for sql in draft_list::shapes(0).iter().filter(|sql| sql.text(Engine::Sqlite).contains("d.status = $5")) {
                let plan = plan(tx, sql)?;
                let text = sql.text(Engine::Sqlite);
                let uses_index =
                    plan.iter().any(|step| step.contains("status") || text.contains("d.thread_id IS NOT NULL"));
                assert!(uses_index, "{plan:#?}\n{text}");
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .unwrap();
    store.close();
}

/// Regression test: deleting the contacts of a domain scanned the whole workspace, and deleting a domain scanned all
/// its inboxes.
#[test]
fn lookups_by_domain_use_the_domain_index() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for (file, name, index) in [
                ("contacts/contact_list", "count_in_domain", "contacts_domain"),
                ("contacts/contact_list", "in_domain", "contacts_domain"),
                ("domains/mail_domains", "inboxes", "inboxes_domain"),
            ] {
                let all =
                    all_statements::FILES.iter().find(|(of, _)| *of == file).map(|(_, all)| *all).unwrap_or_default();
                let sql = all.iter().find(|sql| sql.name() == name).expect("the statement");
                let plan = plan(tx, sql)?;
                assert!(plan.len() == 1 && plan[0].contains(index), "{file} {name}: {plan:#?}");
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .unwrap();
    store.close();
}

#[test]
fn read_statements_never_scan_a_table() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for (file, all) in all_statements::FILES.iter().filter(|(file, _)| FILES.contains(file)) {
                for sql in all.iter().filter(|sql| !["INSERT", "references_blob", "WITHOUT_JOB"].contains(&sql.name()))
                {
                    let plan = plan(tx, sql)?;
                    assert!(!scans(&plan), "{file} {}: {plan:#?}", sql.name());
                }
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .unwrap();
    store.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_shape_prepares_on_both_engines() {
    on_both(async |store| {
        store
            .read(|tx| {
                let lists = [
                    message_list::shapes(10),
                    thread_list::shapes(10),
                    contact_list::shapes(3),
                    draft_list::shapes(10),
                ];
                let search = search::shapes(tx.engine(), 3);
                let cards = card_index::shapes(tx.engine());
                lists.concat().iter().chain(&search).chain(&cards).try_for_each(|sql| tx.prepare(sql).map(drop))
            })
            .await
            .unwrap();
    })
    .await;
}
