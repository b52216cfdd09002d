//! The addresses that a received mail names, however it spells them. Pure.
//!
//! An address is indexed by a number that its spellings share: case, plus tags, letters that look alike, digits for
//! letters, and what a large provider ignores in the name of a mailbox. Spellings that hide the `@` are undone before the
//! search: character references, escapes, percent signs, base64, numbers of characters, ` at ` and ` dot `, spaces and
//! invisible characters. Spellings that keep it, such as ROT13 or reversed text, are looked up from the other side
//! ([`lookup_keys`]).

mod spellings;

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use icu_normalizer::ComposingNormalizerBorrowed;
use posthouse_mail::address::Address;
use posthouse_screen::rot13;
use sha2::{Digest, Sha256};

use crate::party;

/// The maximum number of bytes of one mail that are searched. A longer one may name any address.
pub const SEARCHED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The maximum number of addresses that one mail adds to the index. The others are in its filter.
pub const KEYS_MAX: usize = 200;
/// The maximum number of addresses that are told apart. A mail with more may name any address.
const ADDRESSES_MAX: usize = 5_000;
/// Bits of a filter for each address: at most 1 other address in 200 seems to be in it under one of three numbers.
const FILTER_BITS_PER_KEY: usize = 32;
/// Positions of an address in a filter.
const FILTER_POSITIONS: u32 = 3;
/// Bits of a number of an address between two positions.
const FILTER_SHIFT: u32 = 20;
/// The maximum number of labels at the end of a domain that may be of another word.
const LABELS_LEFT_OUT_MAX: usize = 2;
/// The longest local part and the longest domain, in bytes (RFC 5321 §4.5.3.1).
const PART_BYTES_MAX: usize = 255;

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();

/// The providers that have several spellings of one mailbox, by their folded domains.
static PROVIDERS: LazyLock<HashMap<String, &'static str>> =
    LazyLock::new(|| party::providers_with_spellings().map(|domain| (folded(domain), domain)).collect());

/// Returns the number under which an address is indexed.
#[must_use]
pub fn key(address: &Address) -> i64 {
    let address = address.without_tag();
    mailbox_key(address.canonical_local(), &address.domain_unicode())
}

/// Returns the number of the handle of an agent, such as `@acme/support`.
#[must_use]
pub fn handle_key(handle: &str) -> i64 {
    hash(&folded(handle))
}

/// Returns the numbers under which a mail may have named an address: its own, and those of its spellings that keep the
/// `@`.
#[must_use]
pub fn lookup_keys(address: &Address) -> Vec<i64> {
    let bare = address.without_tag();
    let plain = format!("{}@{}", bare.canonical_local(), bare.domain_unicode());
    let rotated: String = plain.chars().map(rot13).collect();
    let reversed: String = plain.chars().rev().collect();
    let mut keys = vec![key(address), hash(&folded(&rotated)), hash(&folded(&reversed))];
    keys.dedup();
    keys
}

/// The numbers of the addresses that one mail names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeenKeys {
    /// Those of the index.
    pub indexed: Vec<i64>,
    /// The others, if there are any.
    pub rest: Option<SeenFilter>,
}

impl SeenKeys {
    /// No address.
    pub const NONE: &'static Self = &Self { indexed: Vec::new(), rest: None };

    /// Returns them without an address, such as that of the inbox.
    #[must_use]
    pub fn without(&self, own: Option<&Address>) -> Self {
        let own = own.map(key);
        let indexed = self.indexed.iter().copied().filter(|one| Some(*one) != own).collect();
        Self { indexed, rest: self.rest.clone() }
    }

    /// Adds the addresses that another part of the mail names.
    pub fn add(&mut self, other: Self) {
        self.indexed.extend(other.indexed);
        self.indexed.sort_unstable();
        self.indexed.dedup();
        self.rest = match (self.rest.take(), other.rest) {
            (Some(_), Some(_)) => Some(SeenFilter::all()),
            (one, other) => one.or(other),
        };
    }
}

/// A set of addresses in few bytes (a Bloom filter). It has every address that was added, and seems to have some others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenFilter(Vec<u8>);

impl SeenFilter {
    /// Returns the filter of a mail that wasn't read to its end: it may name any address.
    #[must_use]
    pub const fn all() -> Self {
        Self(Vec::new())
    }

    /// Returns a filter from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn of(keys: &[i64]) -> Self {
        let bytes = (keys.len() * FILTER_BITS_PER_KEY).next_power_of_two().max(64) / 8;
        let mut filter = Self(vec![0; bytes]);
        for key in keys {
            for (at, bit) in filter.places(*key) {
                filter.0[at] |= bit;
            }
        }
        filter
    }

    /// Returns whether the mail may name an address.
    #[must_use]
    pub fn may_have(&self, key: i64) -> bool {
        self.0.is_empty() || self.places(key).iter().all(|(at, bit)| self.0[*at] & bit != 0)
    }

    /// Returns the bytes and bits of an address. The number of bytes is a power of two.
    fn places(&self, key: i64) -> [(usize, u8); FILTER_POSITIONS as usize] {
        std::array::from_fn(|position| {
            let shift = FILTER_SHIFT * u32::try_from(position).unwrap_or_default();
            let bit = usize::try_from(key.cast_unsigned() >> shift & 0xf_ffff).unwrap_or_default() % (self.0.len() * 8);
            (bit / 8, 1 << (bit % 8))
        })
    }
}

/// Collects the addresses of one mail. What it doesn't read to the end may name any address.
#[derive(Debug)]
pub struct SeenAddresses {
    keys: Vec<i64>,
    known: HashSet<i64>,
    bytes_left: usize,
    is_unread: bool,
}

impl Default for SeenAddresses {
    fn default() -> Self {
        Self { keys: Vec::new(), known: HashSet::new(), bytes_left: SEARCHED_BYTES_MAX, is_unread: false }
    }
}

impl SeenAddresses {
    /// Leaves an address out, because something stronger is known about it.
    pub fn leave_out(&mut self, address: &Address) {
        self.known.insert(key(address));
    }

    /// Notes that a part of the mail can't be read.
    pub const fn leave_unread(&mut self) {
        self.is_unread = true;
    }

    /// Allows as many bytes again, for the source of the mail, which has its texts a second time.
    pub const fn begin_source(&mut self) {
        self.bytes_left += SEARCHED_BYTES_MAX;
    }

    /// Adds the addresses that a text names.
    pub fn read(&mut self, text: &str) {
        let end = text.floor_char_boundary(text.len().min(self.bytes_left));
        self.bytes_left -= end;
        self.is_unread |= end < text.len();
        let text = &text[..end];
        self.read_plain(text);
        spellings::each(text, |spelling| self.read_plain(spelling));
    }

    /// Adds the addresses and handles that stand in a text as they are.
    fn read_plain(&mut self, text: &str) {
        for at in memchr::memchr_iter(b'@', text.as_bytes()) {
            if self.is_unread {
                return;
            }
            self.read_at(text, at);
        }
    }

    fn read_at(&mut self, text: &str, at: usize) {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let domain_end = after.find(|c: char| !is_domain_char(c)).unwrap_or(after.len());
        let domain = after[..domain_end].trim_matches(['.', '-']);
        let local = local_part(before);
        if local.is_empty() {
            let end = after.find(|c: char| !(is_domain_char(c) || c == '/')).unwrap_or(after.len());
            if after[..end].contains('/') {
                self.add(hash(&folded(text[at..=at + end].trim_end_matches(['.', '/', '-']))));
            }
            return;
        }
        if domain.is_empty() || domain.len() > PART_BYTES_MAX || !(domain.contains('.') || local.contains('.')) {
            return;
        }
        // What stands beside the address without a space may be of it or not: `mailto=a@x`, `'a@x`, `a@x.example.txt`.
        for domain in domains(domain) {
            self.add_address(local, domain);
        }
    }

    fn add_address(&mut self, local: &str, domain: &str) {
        self.add(mailbox_key(without_tag(local), domain));
        let inner =
            local.rsplit(['=', '?', '&', '\'', '/', '|', '{', '}', '`', '!', '*', '^', '#', '$', '%', '"', '~']).next();
        let inner = inner.unwrap_or_default().trim_start_matches(['.', '-', '_']);
        if !inner.is_empty() && inner.len() < local.len() {
            self.add(mailbox_key(without_tag(inner), domain));
        }
    }

    fn add(&mut self, key: i64) {
        if self.known.insert(key) {
            self.keys.push(key);
            self.is_unread |= self.keys.len() > ADDRESSES_MAX;
        }
    }

    /// Returns the numbers of the addresses, each once.
    #[must_use]
    pub fn into_keys(mut self) -> SeenKeys {
        let others = self.keys.split_off(self.keys.len().min(KEYS_MAX));
        let rest = match (self.is_unread, others.is_empty()) {
            (true, _) => Some(SeenFilter::all()),
            (false, true) => None,
            (false, false) => Some(SeenFilter::of(&others)),
        };
        SeenKeys { indexed: self.keys, rest }
    }
}

/// Returns the number of a mailbox. The local part has no tag.
fn mailbox_key(local: &str, domain: &str) -> i64 {
    let (local, domain) = (folded(local), folded(domain));
    hash(&match PROVIDERS.get(&domain) {
        // Without its dots, a name can fold further.
        Some(provider) => folded(&party::one_spelling(&local, provider)),
        None => format!("{local}@{domain}"),
    })
}

/// Returns a domain, and what is left of it without its last labels, if that has a dot.
fn domains(domain: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(domain), |domain| shorter(domain)).take(1 + LABELS_LEFT_OUT_MAX)
}

fn shorter(domain: &str) -> Option<&str> {
    domain.rsplit_once('.').map(|(start, _)| start).filter(|start| start.contains('.'))
}

/// Returns what may be the local part of an address at the end of a text.
fn local_part(before: &str) -> &str {
    let quoted = before.strip_suffix('"').and_then(|rest| rest.rfind('"').map(|start| &rest[start + 1..]));
    if let Some(quoted) = quoted.filter(|quoted| quoted.len() <= PART_BYTES_MAX && !quoted.contains(['\n', '<'])) {
        return quoted;
    }
    let start = before.char_indices().rev().take(PART_BYTES_MAX).take_while(|(_, c)| is_local_char(*c)).last();
    start.map_or("", |(start, _)| &before[start..])
}

fn without_tag(local: &str) -> &str {
    local.split_once('+').map_or(local, |(name, _)| if name.is_empty() { local } else { name })
}

fn is_local_char(c: char) -> bool {
    c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c)
}

fn is_domain_char(c: char) -> bool {
    c.is_alphanumeric() || c == '.' || c == '-' || c == '_'
}

/// Returns a text with one letter for all that look like it.
fn folded(text: &str) -> String {
    let normal = NFKC.normalize(text).to_lowercase();
    let plain: String = unicode_security::skeleton(&normal).flat_map(char::to_lowercase).collect();
    plain.chars().filter(|c| !spellings::is_invisible(*c)).map(look_alike).collect::<String>().replace("rn", "m")
}

const fn look_alike(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | 'i' | '!' | '|' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        c => c,
    }
}

fn hash(text: &str) -> i64 {
    let digest = Sha256::digest(text.as_bytes());
    i64::from_be_bytes([digest[0], digest[1], digest[2], digest[3], digest[4], digest[5], digest[6], digest[7]])
}

#[cfg(test)]
mod tests;
