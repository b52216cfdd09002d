//! Who wrote a message: every reader of the header names the same author, and a second reader that is written in another way
//! finds no other one.

use posthouse_mail::{
    address::Address,
    auth::Digest,
    author::{self, Author},
    dkim, header, parse, submission,
};

/// The input is a message; one without a From field is also tried as the value of one.
pub fn run(data: &[u8]) {
    compare(data);
    if !data.contains(&b'\n') {
        compare(&[b"From: ", data, b"\r\n\r\n"].concat());
    }
}

fn compare(raw: &[u8]) {
    let author = author::author(raw);
    assert_eq!(parse::parse(raw).author, author, "display and author disagree");
    assert_eq!(Digest::of(raw, 0).author(), author.as_ref(), "authentication and author disagree");
    let signed = dkim::canonical_fields(raw, "From");
    if let Ok(author) = &author {
        assert_eq!(signed.len(), 1, "a signature covers another number of authors");
        let alone = [&signed[0][..], b"\r\n\r\n"].concat();
        let read = author::author(&alone).expect("the canonical form of an author's field names him too");
        // Relaxed canonicalization makes one blank of several, also within a quoted local part.
        let folded = |address: &Address| {
            address.canonical().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(folded(read.address()), folded(author.address()), "what is signed names another author");
        naive(raw, author);
    }
    submitted(raw, author.ok().as_ref());
}

/// What submission lets through has the author that everybody reads, before and after it is completed.
fn submitted(raw: &[u8], author: Option<&Author>) {
    let Ok(draft) = submission::Draft::read(raw) else { return };
    let author = author.expect("a submitted message has an author");
    assert_eq!(&draft.authors()[0], author.address(), "submission and author disagree");
    let complete = draft.complete("<1@x.example>", 0);
    let read = author::author(&complete).expect("a completed message has an author");
    assert_eq!(read.address(), author.address(), "completing changed the author");
    let froms = header::fields(&complete).filter(|field| field.is("from")).count();
    assert_eq!(froms, 1, "a completed message has one From field");
}

/// Reads as little as possible: the lines of the header, split at LF; a From line is one that begins with the name. The
/// author's domain must stand in its text, and no other address outside of quotes, comments and encoded words.
fn naive(raw: &[u8], author: &Author) {
    let text = String::from_utf8_lossy(raw);
    let mut froms: Vec<String> = Vec::new();
    let mut is_from = false;
    for line in text.split('\n').map(|line| line.trim_end_matches('\r')) {
        if line.is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            if let (true, Some(last)) = (is_from, froms.last_mut()) {
                last.push_str(line);
            }
            continue;
        }
        let name = line.split(':').next().unwrap_or_default().trim_end_matches([' ', '\t']);
        is_from = line.contains(':') && name.eq_ignore_ascii_case("from");
        if is_from {
            froms.push(line[line.find(':').map_or(0, |colon| colon + 1)..].to_owned());
        }
    }
    assert_eq!(froms.len(), 1, "another reader finds another number of authors: {froms:?}");
    let angles: Vec<&str> =
        froms[0].match_indices('<').filter_map(|(at, _)| froms[0][at + 1..].split('>').next()).collect();
    let readable: Vec<Address> = angles.iter().filter_map(|text| Address::parse_smtp(text.trim()).ok()).collect();
    // Brackets within quotes, comments and encoded words are display text.
    if !froms[0].contains(['"', '(']) && !froms[0].contains("=?") {
        assert!(readable.iter().all(|address| address == author.address()), "another address in brackets: {froms:?}");
        let ats = froms[0].matches('@').count();
        let others = froms[0].split([' ', '\t', ',', ';', '<', '>']).filter(|word| word.contains('@'));
        assert!(ats == 1 || others.clone().all(|word| names(word, author)), "another address: {froms:?}");
    }
}

/// Whether a word with an `@` names the author's domain.
fn names(word: &str, author: &Author) -> bool {
    let domain = word.rsplit('@').next().unwrap_or_default();
    let is_domain = |next: char| !next.is_ascii() || next.is_ascii_alphanumeric() || ".-_".contains(next);
    let domain = domain.split(|next: char| !is_domain(next)).next().unwrap_or_default().trim_end_matches(['.', '-']);
    let read = Address::parse_smtp(&format!("x@{domain}"));
    read.is_ok_and(|address| address.domain() == author.address().domain())
}
