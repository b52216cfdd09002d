//! Fuzzes the cursors of lists: a cursor continues the list and the filters it was made for, and no other; and the only
//! text that a list accepts is one that it returned.
//!
//! An input is a sort value (8 bytes), an id (16 bytes), and two lines: the filters of a list, and any cursor.

use posthouse_domain::page::{CursorKey, CursorPosition, NamedCursorPosition, PageRequest};

/// Makes cursors of both kinds and continues lists with them, with changed ones, and with the text of the input.
pub fn run(data: &[u8]) {
    let Some((place, rest)) = data.split_first_chunk::<24>() else { return };
    let text = String::from_utf8_lossy(rest);
    let (filters, cursor) = text.split_once('\n').unwrap_or((&text, ""));
    let position = CursorPosition::of_key(place).expect("24 bytes are a position");
    let name = format!("{filters}@{cursor}");
    check_list(filters, cursor, || position);
    check_list(filters, cursor, || NamedCursorPosition { sort: position.sort, name: name.clone() });
}

fn check_list<P: CursorKey + PartialEq + std::fmt::Debug>(filters: &str, given: &str, place: impl Fn() -> P) {
    let own = cursor_of(filters, &place);
    let read = |filters: &str, cursor: &str| PageRequest::<P>::new(filters.to_owned(), Some(cursor), 1);
    let accepted = read(filters, &own).expect("a list accepts its own cursor").after;
    assert_eq!(accepted, Some(place()), "a cursor changed its position");
    for other in [format!("{filters} "), format!(" {filters}"), filters.replacen('a', "b", 1), String::new()] {
        assert!(other == filters || read(&other, &own).is_err(), "a cursor of {filters:?} continues {other:?}");
    }
    for at in 0..own.len() {
        let mut changed = own.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).expect("base64 with another letter is text");
        assert!(read(filters, &changed).is_err(), "a changed cursor was accepted");
    }
    for changed in [format!("{own}A"), format!("{own}="), own[1..].to_owned(), own[..own.len() - 1].to_owned()] {
        assert!(read(filters, &changed).is_err(), "{changed} was accepted");
    }
    if let Ok(page) = read(filters, given) {
        let position = page.after.as_ref().expect("a page with a cursor has a position");
        let own = |_: &i32| P::of_key(&position.key()).expect("a position reads its own key");
        let again = page.page_of(vec![0; 2], own).cursor_after(1);
        assert_eq!(again.as_deref(), Some(given), "a cursor has two forms");
    }
}

/// Returns the cursor that a list with one more row returns.
fn cursor_of<P: CursorKey>(filters: &str, place: &impl Fn() -> P) -> String {
    let page = PageRequest::<P>::new(filters.to_owned(), None, 1).expect("a first page");
    page.page_of(vec![0; 2], |_| place()).cursor_after(1).expect("a page with more rows has a cursor")
}
