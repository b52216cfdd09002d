//! Fuzzes the author of a message: all parsers of the header must find the same author, and so must a second,
//! independent implementation.

use posthouse_mail::{
    address::Address,
    auth::AuthDigest,
    author::{self, Author},
    dkim, header, parse, submission,
};

/// Checks a message. Input without a line break is also tried as the value of a From field.
pub fn run(data: &[u8]) {
    check_author(data);
    if !data.contains(&b'\n') {
        check_author(&[b"From: ", data, b"\r\n\r\n"].concat());
    }
}

fn check_author(raw: &[u8]) {
    let author = author::author(raw);
    // A parsed message decodes raw bytes of the name as its other texts; the address never depends on them.
    let parsed = parse::parse(raw).author.map(|author| author.address().clone());
    assert_eq!(parsed, author.clone().map(|author| author.address().clone()), "the parsed message has another author");
    assert_eq!(AuthDigest::of(raw, 0).author(), author.as_ref(), "authentication uses another author");
    let signed = dkim::canonical_fields(raw, "From");
    if let Ok(author) = &author {
        assert_eq!(signed.len(), 1, "the signature covers another number of From fields");
        let alone = [&signed[0][..], b"\r\n\r\n"].concat();
        let read = author::author(&alone).expect("the canonical From field has an author");
        // Relaxed canonicalization reduces runs of white space to one space, also within a quoted local part.
        let folded = |address: &Address| {
            address.canonical().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(folded(read.address()), folded(author.address()), "the signed From field has another author");
        check_with_minimal_parser(raw, author);
    }
    check_submission(raw, author.ok().as_ref());
}

/// Checks that messages accepted for submission have the same author before and after completion.
fn check_submission(raw: &[u8], author: Option<&Author>) {
    let Ok(draft) = submission::SubmittedMessage::read(raw) else { return };
    let author = author.expect("a submitted message has an author");
    assert_eq!(&draft.authors()[0], author.address(), "submission uses another author");
    let complete = draft.complete(submission::SubmissionHost { message_id: "<1@x.example>", date_ms: 0, names: &[] });
    let read = author::author(&complete).expect("a completed message has an author");
    assert_eq!(read.address(), author.address(), "completion changed the author");
    let froms = header::fields(&complete).filter(|field| field.is("from")).count();
    assert_eq!(froms, 1, "a completed message has one From field");
}

/// Compares the author with a minimal parser, which splits the header into lines at LF and collects the From fields.
/// The author's domain must occur in the field, and no other address outside of quotes, comments and encoded words.
fn check_with_minimal_parser(raw: &[u8], author: &Author) {
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
    assert_eq!(froms.len(), 1, "the minimal parser finds another number of From fields: {froms:?}");
    let angles: Vec<&str> =
        froms[0].match_indices('<').filter_map(|(at, _)| froms[0][at + 1..].split('>').next()).collect();
    let readable: Vec<Address> = angles.iter().filter_map(|text| Address::parse_smtp(text.trim()).ok()).collect();
    // Angle brackets within quotes, comments and encoded words are display text.
    if !froms[0].contains(['"', '(']) && !froms[0].contains("=?") {
        assert!(readable.iter().all(|address| address == author.address()), "another address in brackets: {froms:?}");
        let ats = froms[0].matches('@').count();
        let others = froms[0].split([' ', '\t', ',', ';', '<', '>']).filter(|word| word.contains('@'));
        assert!(
            ats == 1 || others.clone().all(|word| contains_author_domain(word, author)),
            "another address: {froms:?}"
        );
    }
}

/// Returns whether a word with an `@` contains the author's domain.
fn contains_author_domain(word: &str, author: &Author) -> bool {
    let domain = word.rsplit('@').next().unwrap_or_default();
    // White space and typographic quotation marks end a domain; no other character beyond ASCII does.
    let is_domain = |next: char| {
        next.is_ascii_alphanumeric()
            || ".-_".contains(next)
            || (!next.is_ascii() && !next.is_whitespace() && !"“”‘’".contains(next))
    };
    let domain = domain.split(|next: char| !is_domain(next)).next().unwrap_or_default().trim_end_matches(['.', '-']);
    let read = Address::parse_smtp(&format!("x@{domain}"));
    read.is_ok_and(|address| address.domain() == author.address().domain())
}
