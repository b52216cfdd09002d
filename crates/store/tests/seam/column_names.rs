//! Rows are read by the names of their columns.

use posthouse_store::{Sql, from_row, p, row_struct, statements};

use crate::support::{SET, on_both};

/// Two columns of one type: without names, a statement that returns them in another order would swap them silently.
#[derive(Debug, PartialEq)]
struct Span {
    first: i64,
    last: i64,
}
from_row!(Span { first = low, last = high });

statements! {
    SPAN = "SELECT min(n) AS low, max(n) AS high FROM counters";
    SWAPPED = "SELECT max(n) AS high, min(n) AS low FROM counters";
    UNNAMED = "SELECT min(n), max(n) FROM counters";
    RENAMED = "UPDATE counters SET n = n + 1 RETURNING n AS low, n AS high";
}

#[tokio::test]
async fn columns_in_another_order_or_without_a_name_are_rejected() {
    on_both(async |store, _| {
        store.write(|tx| tx.exec(&SET, p!["a", 3i64])).await.unwrap();
        store.write(|tx| tx.exec(&SET, p!["b", 9i64])).await.unwrap();
        let read = |sql: &'static Sql| store.read(move |tx| tx.one::<Span>(sql, p![]));
        // Twice, because the comparison is remembered.
        for _ in 0..2 {
            assert_eq!(read(&SPAN).await.unwrap(), Some(Span { first: 3, last: 9 }));
            let swapped = read(&SWAPPED).await.unwrap_err();
            let expected = "SWAPPED: column 1 is read as low, but the statement returns high";
            assert_eq!(swapped.internal(), expected);
            let unnamed = read(&UNNAMED).await.unwrap_err();
            assert!(unnamed.internal().contains("UNNAMED: column 1 is read as low, but"), "{unnamed:?}");
        }
        let returned = store.write(|tx| tx.rows::<Span>(&RENAMED, p![])).await.unwrap();
        assert_eq!(returned.len(), 2);
        let other_type = store.read(|tx| tx.one::<OtherSpan>(&SPAN, p![])).await.unwrap_err();
        assert!(other_type.internal().contains("column 1 is read as high"), "{other_type:?}");
    })
    .await;
}

row_struct!(
    #[derive(Debug)]
    #[allow(dead_code)]
    OtherSpan { high: i64, low: i64 }
);
