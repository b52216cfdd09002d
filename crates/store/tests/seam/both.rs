//! Behavior that both engines share.

use crate::support::*;
use posthouse_store::ReadScope;
use posthouse_store::{
    DatabaseUrl, Error, FromRow, Json, Sql, Store, StoreConfig, all_statements, from_row, migrate, p, row_struct,
};
use std::collections::BTreeMap;
use uuid::Uuid;

/// A use case's own error.
#[derive(Debug)]
enum Refusal {
    Own(i64),
    Store(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Store(error)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_concurrent_upserts_count_two_hundred() {
    on_both(async |store, _| {
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { store.write(|tx| bump(tx, "c")).await.unwrap() })
            })
            .collect();
        let mut counts = Vec::new();
        for task in tasks {
            counts.push(task.await.unwrap());
        }
        counts.sort_unstable();
        assert_eq!(counts, (1..=200).collect::<Vec<i64>>());
        assert_eq!(store.read(|tx| get(tx, "c")).await.unwrap(), Some(200));
    })
    .await;
}

#[tokio::test]
async fn a_unit_that_returns_an_error_is_rolled_back_alone() {
    on_both(async |store, _| {
        // All in one queue, so that SQLite groups them; every third unit returns an error.
        let units: Vec<_> = (0..40i64)
            .map(|i| {
                let store = store.clone();
                tokio::spawn(async move {
                    store
                        .write(move |tx| {
                            let n = bump(tx, &format!("u{i}"))?;
                            if i % 3 == 0 { Err(Refusal::Own(i)) } else { Ok(n) }
                        })
                        .await
                })
            })
            .collect();
        for (i, unit) in units.into_iter().enumerate() {
            match unit.await.unwrap() {
                Ok(n) => assert!(n == 1 && i % 3 != 0),
                Err(Refusal::Own(own)) => assert!(own == i as i64 && i % 3 == 0),
                Err(Refusal::Store(error)) => panic!("{error:?}"),
            }
        }
        for i in 0..40 {
            let stored = store.read(move |tx| get(tx, &format!("u{i}"))).await.unwrap();
            assert_eq!(stored, (i % 3 != 0).then_some(1), "unit {i}");
        }
    })
    .await;
}

#[tokio::test]
async fn placeholders_are_bound_by_name() {
    on_both(async |store, _| {
        let changed = store
            .write(|tx| {
                tx.exec(&SET, p!["a", 1i64])?;
                tx.exec(&SWAP, p!["a", 9i64])
            })
            .await
            .unwrap();
        assert_eq!(changed, 1);
        assert_eq!(store.read(|tx| get(tx, "a")).await.unwrap(), Some(9));
    })
    .await;
}

#[derive(Debug, Clone, PartialEq)]
struct Thing {
    id: Uuid,
    name: Option<String>,
    size: Option<f64>,
    body: Option<Vec<u8>>,
    flag: bool,
    n: Option<i64>,
}
from_row!(Thing { id, name, size, body, flag, n });

async fn put(store: &Store, thing: &Thing) -> Result<u64, Error> {
    let t = thing.clone();
    store.write(move |tx| tx.exec(&PUT_THING, p![t.id, t.name, t.size, t.body, t.flag, t.n])).await
}

row_struct!(
    #[derive(Debug, PartialEq)]
    ConvertedThing {
        id: Uuid,
        name: Json<BTreeMap<String, i32>>,
        size: Option<f64>,
        body: Option<String>,
        flag: bool,
        n: Option<u32>,
    }
);

#[tokio::test]
async fn every_kind_of_value_round_trips() {
    on_both(async |store, _| {
        let full = Thing {
            id: Uuid::from_u128(1),
            name: Some("Grüße 📮 'quoted'".into()),
            size: Some(-0.5),
            body: Some(vec![0, 255, 7]),
            flag: true,
            n: Some(i64::MIN),
        };
        let empty = Thing { id: Uuid::from_u128(2), name: None, size: None, body: None, flag: false, n: None };
        for thing in [full, empty] {
            assert_eq!(put(&store, &thing).await.unwrap(), 1);
            let id = thing.id;
            let back: Option<Thing> = store.read(move |tx| tx.one(&GET_THING, p![id])).await.unwrap();
            assert_eq!(back, Some(thing));
        }
        let map = BTreeMap::from([("a".to_owned(), 1)]);
        let (id, json) = (Uuid::from_u128(3), Json(map.clone()));
        store
            .write(move |tx| tx.exec(&PUT_THING, p![id, json, None::<f64>, None::<Vec<u8>>, true, 7u32]))
            .await
            .unwrap();
        let row: Option<ConvertedThing> = store.read(move |tx| tx.one(&GET_THING, p![id])).await.unwrap();
        assert_eq!(row, Some(ConvertedThing { id, name: Json(map), size: None, body: None, flag: true, n: Some(7) }));
    })
    .await;
}

from_row!(ThingName { id: Uuid, name: String } => {
    let _ = (id, name);
    Self
});
struct ThingName;

from_row!(WrongThing {
    id: Uuid,
    name: i64,
    size: Option<f64>,
    body: Option<Vec<u8>>,
    flag: bool,
    n: i64,
} => {
    let _ = (id, name, size, body, flag, n);
    Self
});
struct WrongThing;

#[tokio::test]
async fn a_wrong_kind_or_number_of_values_is_an_error() {
    async fn mismatch<T: FromRow + Send + 'static>(store: &Store, id: Uuid) -> String {
        let error = store.read(move |tx| tx.one::<T>(&GET_THING, p![id])).await.err().unwrap();
        error.internal().to_owned()
    }
    on_both(async |store, _| {
        let id = Uuid::from_u128(1);
        put(&store, &Thing { id, name: Some("x".into()), size: None, body: None, flag: true, n: Some(5) })
            .await
            .unwrap();
        assert!(mismatch::<ThingName>(&store, id).await.contains("2 columns are read from a statement that returns 6"));
        assert!(mismatch::<WrongThing>(&store, id).await.contains("column 2: expected an integer, found text"));
        let text_for_int = store.write(|tx| tx.exec(&SET, p!["a", "b"])).await;
        assert!(matches!(text_for_int, Err(Error::Statement(_))), "{text_for_int:?}");
        let too_many = store.write(|tx| tx.exec(&SET, p!["a", 1i64, 2i64])).await.unwrap_err();
        assert!(too_many.internal().contains("SET: 3 parameters given, but $2 is the highest used"), "{too_many:?}");
        let too_few = store.write(|tx| tx.exec(&SET, p!["a"])).await;
        assert!(matches!(too_few, Err(Error::Statement(_))), "{too_few:?}");
    })
    .await;
}

#[tokio::test]
async fn a_swallowed_error_fails_the_unit() {
    on_both(async |store, _| {
        let result = store
            .write(|tx| {
                bump(tx, "kept?")?;
                let _ = tx.exec(&PUT_THING, p![Uuid::nil(), "x", 1.0, "no bytes", true, 1i64]);
                Ok::<_, Error>(())
            })
            .await;
        assert!(matches!(result, Err(Error::Statement(_))), "{result:?}");
        assert_eq!(store.read(|tx| get(tx, "kept?")).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_panic_fails_only_its_own_unit() {
    on_both(async |store, _| {
        let (a, b, c) = tokio::join!(
            store.write(|tx| bump(tx, "a")),
            store.write(|tx| -> Result<(), Error> {
                bump(tx, "b")?;
                panic!("on purpose")
            }),
            store.write(|tx| bump(tx, "c")),
        );
        assert_eq!((a.unwrap(), c.unwrap()), (1, 1));
        assert!(matches!(&b, Err(Error::Internal(text)) if &**text == "on purpose"), "{b:?}");
        assert_eq!(store.read(|tx| get(tx, "b")).await.unwrap(), None);
        let read = store.read(|_| -> Result<(), Error> { panic!("on purpose") }).await;
        assert!(matches!(read, Err(Error::Internal(_))));
        assert_eq!(store.write(|tx| bump(tx, "a")).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn readers_cannot_write_and_see_one_snapshot() {
    on_both(async |store, _| {
        assert!(store.read(|tx| bump(tx, "x")).await.is_err());
        store.write(|tx| bump(tx, "x")).await.unwrap();
        let writer = store.clone();
        let pair = store
            .read(move |tx| {
                let before = get(tx, "x")?;
                let writer = writer.clone();
                std::thread::spawn(move || writer.write_blocking(|tx| bump(tx, "x"))).join().unwrap()?;
                Ok::<_, Error>((before, get(tx, "x")?))
            })
            .await
            .unwrap();
        assert_eq!(pair, (Some(1), Some(1)));
        assert_eq!(store.read(|tx| get(tx, "x")).await.unwrap(), Some(2));
    })
    .await;
}

#[tokio::test]
async fn read_one_cannot_write_or_run_a_second_statement() {
    on_both(async |store, _| {
        store.write(|tx| bump(tx, "x")).await.unwrap();
        assert_eq!(store.read_in(ReadScope::Statement, |tx| get(tx, "x")).await.unwrap(), Some(1));
        assert!(store.read_in(ReadScope::Statement, |tx| bump(tx, "x")).await.is_err());
        let twice = |tx: &mut posthouse_store::Tx| Ok::<_, Error>((get(tx, "x")?, get(tx, "x")?));
        let refused = store.read_in(ReadScope::Statement, twice).await.unwrap_err();
        assert!(refused.internal().contains("GET: a unit limited to one statement"), "{refused:?}");
        assert_eq!(store.read(twice).await.unwrap(), (Some(1), Some(1)), "the limit ends with its unit");
    })
    .await;
}

#[tokio::test]
async fn every_statement_prepares() {
    on_both(async |store, _| prepare_all(&store, ALL).await).await;
}

/// Prepares every statement of the crate on the real schema.
#[tokio::test]
async fn every_statement_of_the_crate_prepares() {
    let dir = Dir::new();
    let postgres = crate::postgres::Cluster::shared().create_database().parse().unwrap();
    for url in [DatabaseUrl::Sqlite(dir.path().join("own.db")), postgres] {
        let store = Store::open(StoreConfig::new(url)).unwrap();
        for (_, all) in all_statements::FILES {
            prepare_all(&store, all).await;
        }
    }
}

/// Row types read several columns by name, so an expression needs a name that is the same on both engines.
#[tokio::test]
async fn statements_of_several_columns_name_each_of_them() {
    let dir = Dir::new();
    let postgres = crate::postgres::Cluster::shared().create_database().parse().unwrap();
    let urls = [DatabaseUrl::Sqlite(dir.path().join("own.db")), postgres];
    let [sqlite, postgres] = urls.map(|url| Store::open(StoreConfig::new(url)).unwrap());
    for sql in all_statements::FILES.iter().flat_map(|(_, all)| all.iter().copied()) {
        let names = sqlite.read(|tx| tx.prepare(sql)).await.unwrap();
        let other = postgres.read(|tx| tx.prepare(sql)).await.unwrap();
        let is_named = |name: &String| name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
        // Full-text search has statements that only one engine runs.
        if ["PUT_WORDS", "put_words", "SAMPLE"].contains(&sql.name()) {
            continue;
        }
        assert!(other.len() < 2 || other == names, "{}: {names:?} {other:?}", sql.name());
        assert!(other.len() < 2 || other.iter().all(is_named), "{}: {other:?}", sql.name());
    }
}

async fn prepare_all(store: &Store, all: &'static [&'static Sql]) {
    for sql in all.iter().copied() {
        let prepared = store.read(|tx| tx.prepare(sql)).await;
        let _ = prepared.unwrap_or_else(|e| panic!("{}: {}", sql.name(), e.internal()));
    }
}

#[tokio::test]
async fn text_sorts_bytewise() {
    on_both(async |store, _| {
        for name in ["b", "B", "a", "ä", "_", "A", "10", "9"] {
            store.write(move |tx| bump(tx, name)).await.unwrap();
        }
        let names: Vec<(String,)> = store.read(|tx| tx.rows(&NAMES, p![])).await.unwrap();
        let names: Vec<_> = names.iter().map(|(n,)| n.as_str()).collect();
        assert_eq!(names, ["10", "9", "A", "B", "_", "a", "b", "ä"]);
    })
    .await;
}

#[tokio::test]
async fn each_row_is_claimed_once() {
    on_both(async |store, _| {
        for i in 0..20 {
            store.write(move |tx| tx.exec(&SET, p![format!("j{i:02}"), 0i64])).await.unwrap();
        }
        let claim = || store.write(|tx| tx.rows::<(String,)>(&CLAIM, p![1i64, 5i64]));
        let (a, b, c, d, e) = tokio::join!(claim(), claim(), claim(), claim(), claim());
        let mut all: Vec<_> = [a, b, c, d, e].into_iter().flat_map(|r| r.unwrap()).collect();
        let claimed = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), claimed, "a row was claimed twice");
    })
    .await;
}

#[tokio::test]
async fn wakes_come_after_the_commit_and_only_for_committed_units() {
    on_both(async |store, _| {
        let id = Uuid::from_u128(5);
        let mut waiter = store.subscribe(id);
        let refused = store
            .write(move |tx| {
                tx.wake(id);
                Err::<(), _>(Refusal::Own(1))
            })
            .await;
        assert!(matches!(refused, Err(Refusal::Own(1))));
        let reader = store.clone();
        let woken = tokio::spawn(async move {
            loop {
                if let Some(n) = reader.read(|tx| get(tx, "w")).await.unwrap() {
                    return n; // a spurious wake is allowed, so read each time
                }
                waiter.changed().await;
            }
        });
        store
            .write(move |tx| {
                tx.wake(id);
                bump(tx, "w")
            })
            .await
            .unwrap();
        assert_eq!(woken.await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_older_binary_is_rejected_with_a_reason() {
    on_both(async |store, config| {
        store.close();
        assert_eq!(migrate::apply(&config.database, SCHEMA).unwrap(), Vec::<&str>::new());
        let mut older = config.clone();
        older.migrations = &SCHEMA[..1];
        let error = Store::open(older).err().unwrap().to_string();
        assert!(error.contains("newer than this version of posthouse: it has migration 0002_things"), "{error}");
        let golden = migrate::schema(&config.database).unwrap();
        assert!(golden.contains("things_by_name") && golden.contains("schema_migrations"), "{golden}");
    })
    .await;
}

#[tokio::test]
async fn a_closed_store_fails() {
    on_both(async |store, _| {
        store.close();
        assert!(matches!(store.write(|tx| bump(tx, "x")).await, Err(Error::Unavailable(_))));
        assert!(matches!(store.read(|tx| get(tx, "x")).await, Err(Error::Unavailable(_))));
    })
    .await;
}
