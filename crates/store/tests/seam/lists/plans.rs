//! Every statement of a list walks an index in the order that it needs, as far as the planner of SQLite says.

use super::*;
use posthouse_store::{
    Engine, Sql, Value, contact_list, drafts::list as draft_list, message_list, search, statements, thread_list,
};

/// The files whose statements are planned one by one.
const FILES: [&str; 14] = [
    "approvals",
    "arrivals",
    "attachments",
    "contacts",
    "contents",
    "draft_files",
    "drafts",
    "erase",
    "events",
    "forwarding",
    "incidents",
    "lists",
    "message_list",
    "messages",
];

/// The highest placeholder.
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

fn plan(tx: &mut Tx, sql: &Sql) -> Result<Vec<String>> {
    let text = sql.text(Engine::Sqlite).into_owned();
    let nulls = vec![Value::Null; parameters(&text)];
    let explain = Sql::built("EXPLAIN", format!("EXPLAIN QUERY PLAN {text}"));
    let rows: Vec<(i64, i64, i64, String)> = tx.rows(&explain, &nulls)?;
    Ok(rows.into_iter().map(|(_, _, _, detail)| detail).collect())
}

fn sqlite() -> (Dir, Store) {
    let dir = Dir::new();
    let mut config = sqlite_config(&dir);
    config.migrations = migrate::MIGRATIONS;
    (dir, Store::open(config).unwrap())
}

fn scans(plan: &[String]) -> bool {
    // A scan of an inner query is not one of a table.
    let inner = ["bounded", "CONSTANT ROW", "(subquery"];
    plan.iter().any(|step| step.starts_with("SCAN ") && !inner.iter().any(|name| step.contains(name)))
}

#[test]
fn pages_walk_an_index_in_order() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            let lists =
                [message_list::shapes(10), thread_list::shapes(10), contact_list::shapes(3), draft_list::shapes(3)];
            for sql in &lists.concat() {
                let plan = plan(tx, sql)?;
                let text = sql.text(Engine::Sqlite);
                assert!(!scans(&plan), "{plan:#?}\n{text}");
                // Threads of a rare label are sorted: there are at most a thousand.
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

/// `is_read=false` and `status` walked the whole inbox: 127 ms and 203 ms at 100,000 messages of which none matched.
#[test]
fn unread_mail_and_rare_statuses_have_an_index_of_their_own() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for (words, index) in [("m.is_read = 0", "messages_unread"), ("m.status = 'bounced'", "messages_status")] {
                let shapes = message_list::shapes(0);
                let text = |sql: &Sql| sql.text(Engine::Sqlite).into_owned();
                let alone = |sql: &&Sql| {
                    text(sql).contains(words) && !text(sql).contains("EXISTS") && !text(sql).contains("||")
                };
                let sql = shapes.iter().find(alone).expect("a list under that filter alone");
                let plan = plan(tx, sql)?;
                assert!(plan.iter().any(|step| step.contains(index)), "{plan:#?}\n{}", text(sql));
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .unwrap();
    store.close();
}

/// The drafts that wait for somebody are few among those that were sent.
#[test]
fn drafts_of_one_status_have_an_index_of_their_own() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for sql in draft_list::shapes(0).iter().filter(|sql| sql.text(Engine::Sqlite).contains("d.status = $5")) {
                let plan = plan(tx, sql)?;
                let text = sql.text(Engine::Sqlite);
                let walked =
                    plan.iter().any(|step| step.contains("status") || text.contains("d.thread_id IS NOT NULL"));
                assert!(walked, "{plan:#?}\n{text}");
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .unwrap();
    store.close();
}

/// Deleting the contacts of a domain walked all those of the workspace, and deleting a domain all its inboxes.
#[test]
fn what_a_domain_has_is_found_by_the_domain() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for (file, name, index) in [
                ("contact_list", "COUNT_IN_DOMAIN", "contacts_domain"),
                ("contact_list", "IN_DOMAIN", "contacts_domain"),
                ("mail_domains", "INBOXES", "inboxes_domain"),
            ] {
                let all = statements::FILES.iter().find(|(of, _)| *of == file).map(|(_, all)| *all).unwrap_or_default();
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
fn statements_of_the_reading_side_never_scan_a_table() {
    let (_dir, store) = sqlite();
    store
        .read_blocking(|tx| {
            for (file, all) in statements::FILES.iter().filter(|(file, _)| FILES.contains(file)) {
                for sql in all.iter().filter(|sql| !["INSERT", "BLOB_USED", "LOST"].contains(&sql.name())) {
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
async fn every_shape_is_prepared_on_both_engines() {
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
                lists.concat().iter().chain(&search).try_for_each(|sql| tx.prepare(sql))
            })
            .await
            .unwrap();
    })
    .await;
}
