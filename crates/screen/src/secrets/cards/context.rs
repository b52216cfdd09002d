//! What the text around a number says about it: words of cards, or a label such as "order".

use std::collections::HashSet;
use std::sync::LazyLock;

use super::DIGITS;
use crate::secrets::spelling;

/// Bytes on each side of a number in which words of cards are looked for.
const CONTEXT_BYTES: usize = 80;
/// Characters before a number in which its label is looked for.
const LABEL_CHARS: usize = 32;
/// Bytes before a number in which the URL that it is in begins.
const URL_BYTES: usize = 256;

/// Words beside the numbers of cards, in lower case.
const CARD_WORDS: [&str; 62] = [
    "card",
    "cards",
    "creditcard",
    "debitcard",
    "cardnumber",
    "cc",
    "ccn",
    "pan",
    "visa",
    "mastercard",
    "maestro",
    "amex",
    "diners",
    "jcb",
    "unionpay",
    "cvv",
    "cvc",
    "cvv2",
    "cvc2",
    "csc",
    "expiry",
    "exp",
    "thru",
    "kreditkarte",
    "kreditkartennummer",
    "karte",
    "kartennummer",
    "prüfziffer",
    "carte",
    "bancaire",
    "tarjeta",
    "caducidad",
    "carta",
    "scadenza",
    "cartão",
    "cartao",
    "validade",
    "kaart",
    "kaartnummer",
    "creditcardnummer",
    "karta",
    "karty",
    "karcie",
    "kort",
    "kortnummer",
    "kreditkort",
    "kortti",
    "kortin",
    "kártya",
    "kart",
    "kartı",
    "карта",
    "карты",
    "карте",
    "картой",
    "κάρτα",
    "κάρτας",
    "بطاقة",
    "البطاقة",
    "כרטיס",
    "kartu",
    "thẻ",
];
/// The words for a lookup: most texts around numbers have others.
static CARD_WORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| CARD_WORDS.into());
/// Words of cards in scripts without spaces between words.
const CARD_WORDS_UNSPACED: [&str; 5] = ["カード", "信用卡", "卡号", "卡號", "카드"];

/// Returns whether words of cards, or a month and a year, are near a number.
pub(super) fn is_among_words_of_cards(text: &str, start: usize, end: usize) -> bool {
    let before = &text[text.floor_char_boundary(start.saturating_sub(CONTEXT_BYTES))..start];
    let after = &text[end..text.ceil_char_boundary((end + CONTEXT_BYTES).min(text.len()))];
    [before, after].into_iter().any(|part| {
        let lower = part.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(is_card_word) || !lower.is_ascii() && CARD_WORDS_UNSPACED.iter().any(|word| lower.contains(word))
    }) || has_month(after)
}

fn is_card_word(word: &str) -> bool {
    // Other numbers are what most numbers are among.
    !word.bytes().all(|byte| byte.is_ascii_digit()) && CARD_WORD_SET.contains(word)
}

/// Returns whether a text begins with a month and a year, such as ` 12/27`.
fn has_month(after: &str) -> bool {
    let rest = after.trim_start_matches(|c: char| !c.is_alphanumeric()).as_bytes();
    matches!(rest, [b'0'..=b'1', b'0'..=b'9', b'/', b'2', b'0'..=b'9', ..])
}

/// Words that say what a number is, in lower case, and what they begin with, by language. Words in scripts without spaces,
/// and Arabic ones, may have others before them.
const LABELS: [(&str, &[&str]); 15] = [
    (
        "en",
        &[
            "order",
            "invoice",
            "reference",
            "ref",
            "tracking",
            "shipment",
            "parcel",
            "consignment",
            "ticket",
            "case",
            "booking",
            "reservation",
            "transaction",
            "txn",
            "serial",
            "imei",
            "ean",
            "gtin",
            "isbn",
            "upc",
            "sku",
            "customer",
            "policy",
            "contract",
            "meeting",
            "receipt",
            "confirmation",
            "purchase",
            "quote",
            "delivery",
        ],
    ),
    (
        "de",
        &[
            "bestell",
            "auftrag",
            "rechnung",
            "sendung",
            "kunden",
            "vorgang",
            "lieferung",
            "liefer",
            "buchung",
            "vertrag",
            "beleg",
            "paket",
            "aktenzeichen",
        ],
    ),
    (
        "fr",
        &["commande", "facture", "colis", "référence", "réservation", "expédition", "livraison", "dossier", "suivi"],
    ),
    ("es", &["pedido", "factura", "envío", "envio", "referencia", "reserva", "orden", "seguimiento", "compra"]),
    ("it", &["ordin", "fattura", "spedizione", "riferimento", "prenotazione", "tracciamento", "acquisto", "pratica"]),
    ("pt", &["encomenda", "fatura", "pedido", "referência", "reserva", "envio", "rastreamento", "rastreio", "compra"]),
    ("nl", &["bestel", "factuur", "zending", "pakket", "referentie", "reservering", "boeking", "klant", "levering"]),
    ("pl", &["zamówieni", "faktur", "przesyłk", "paczk", "rezerwac", "zleceni", "dostaw", "klient", "referenc"]),
    ("tr", &["sipariş", "fatura", "kargo", "gönderi", "takip", "referans", "rezervasyon", "müşteri", "teslimat"]),
    ("ar", &["طلب", "فاتور", "شحن", "تتبع", "مرجع", "حجز", "معاملة", "إيصال"]),
    ("ja", &["注文", "発注", "受注", "請求書", "伝票", "追跡", "予約", "お問い合わせ番号", "配送", "荷物", "領収"]),
    ("zh", &["订单", "訂單", "发票", "發票", "运单", "運單", "快递", "快遞", "物流", "单号", "單號", "流水", "交易"]),
    ("sv", &["beställning", "sändning", "kund"]),
    ("da", &["ordre", "faktura", "bestilling", "forsendelse"]),
    ("ru", &["заказ", "счет", "счёт", "накладн", "отправлени"]),
];
/// Labels that are no words: purchase, sales and work orders, returns, waybills and serial numbers.
const ABBREVIATIONS: [&str; 8] = ["PO", "SO", "WO", "RMA", "AWB", "BOL", "SN", "S/N"];
/// What the number after them in the path or query of a URL belongs to.
const URL_LABELS: [&str; 48] = [
    "id", "ids", "item", "items", "product", "products", "listing", "article", "articles", "page", "pages", "node",
    "status", "statuses", "post", "posts", "photo", "photos", "video", "videos", "watch", "story", "stories", "reel",
    "thread", "threads", "topic", "message", "messages", "comment", "comments", "event", "events", "issue", "issues",
    "task", "tasks", "group", "groups", "user", "users", "profile", "channel", "track", "doc", "docs", "view", "fbid",
];

static FOLDED_LABELS: LazyLock<Vec<String>> =
    LazyLock::new(|| LABELS.iter().flat_map(|(_, words)| words.iter().map(|word| plain(word))).collect());

/// Returns a text in lower case, with the letters that others look like, as a variant of the text has them.
fn plain(text: &str) -> String {
    spelling::folded(&text.to_lowercase()).text
}

/// Returns whether the words before a number on its line, or in its URL, say that it is something else.
pub(super) fn is_labelled(text: &str, start: usize) -> bool {
    let from = text[..start].char_indices().rev().take(LABEL_CHARS).last().map_or(start, |(at, _)| at);
    let before = &text[from..start];
    let raw = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
    let line = plain(raw);
    let is_label = |word: &str| FOLDED_LABELS.iter().any(|label| has_label(word, label));
    line.trim_end().ends_with('#')
        || line.split(|c: char| !c.is_alphanumeric()).any(is_label)
        || raw.split(|c: char| !c.is_alphanumeric() && c != '/').any(|word| ABBREVIATIONS.contains(&word))
        || is_labelled_in_url(text, start)
}

fn has_label(word: &str, label: &str) -> bool {
    let is_within = label.starts_with(|c: char| c >= '\u{600}');
    if is_within { word.contains(label) } else { word.starts_with(label) }
}

/// Returns whether the segment or the parameter of a URL before a number says that it is the id of something.
fn is_labelled_in_url(text: &str, start: usize) -> bool {
    let before = &text[text.floor_char_boundary(start.saturating_sub(URL_BYTES))..start];
    let is_outside = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '(' | ')' | '[' | ']');
    let token = before.rfind(is_outside).map_or(before, |at| &before[at + 1..]);
    let Some(path) = token.split_once("://").and_then(|(_, rest)| rest.split_once(['/', '?'])).map(|(_, path)| path)
    else {
        return false;
    };
    let Some(named) = path.strip_suffix(['/', '=']) else { return false };
    let at = named.rfind(['/', '?', '&', ';', '#', '=']).map_or(0, |at| at + 1);
    let words = words_of_name(&named[at..]);
    match words.split_last() {
        // An id alone is one of what the path names: a collector of numbers calls them ids, too.
        Some((last, [])) if is_id(last) => words_of_name(last_segment(&named[..at])).iter().any(|word| is_thing(word)),
        Some((last, before)) if is_id(last) => !before.iter().any(|word| is_card_word(word)),
        Some((last, _)) => URL_LABELS.contains(&last.as_str()),
        None => false,
    }
}

fn is_id(word: &str) -> bool {
    matches!(word, "id" | "ids")
}

fn is_thing(word: &str) -> bool {
    URL_LABELS.contains(&word) || FOLDED_LABELS.iter().any(|label| has_label(word, label))
}

/// Returns the last segment of a path without its query.
fn last_segment(path: &str) -> &str {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// Returns the words of a name such as `order_id` or `orderId`, in lower case.
fn words_of_name(name: &str) -> Vec<String> {
    let (mut words, mut word, mut was_lower) = (Vec::new(), String::new(), false);
    for c in name.chars() {
        if !c.is_alphanumeric() || was_lower && c.is_uppercase() {
            words.push(std::mem::take(&mut word));
        }
        was_lower = c.is_lowercase();
        word.extend(c.is_alphanumeric().then_some(c).into_iter().flat_map(char::to_lowercase));
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Digits of the number of an item of a list.
const ITEM_DIGITS_MAX: usize = 3;
/// Signs between two items of a list.
const BETWEEN_ITEMS_MAX: usize = 16;

/// Returns whether a number is the fraction of a decimal number, such as `0.4242424242424242`. After the number of an item,
/// as in a list with the lines `1.4242424242424242` and `2.5555555555554444`, it isn't one.
pub(super) fn is_fraction(text: &str, start: usize, end: usize) -> bool {
    let before = &text[..start];
    let sign = before.as_bytes().last().copied();
    let Some(whole) = before.strip_suffix(['.', ',']) else { return false };
    let (before, whole) = whole.split_at(whole.len() - digits(whole.bytes().rev()));
    // What was decoded by mistake, as `=12` is in `?at=12.4242424242424242`.
    if before.ends_with(|c: char| c.is_control() && !c.is_whitespace()) {
        return true;
    }
    // A comma is between the fields of a row, too.
    if whole.is_empty()
        || sign == Some(b',')
            && (whole != "0" || before.ends_with([',', ';', '|']) || text[end..].starts_with([',', ';', '|']))
    {
        return false;
    }
    let is_item = whole.len() <= ITEM_DIGITS_MAX && !whole.starts_with('0');
    !(is_item && (begins_line(before) || is_in_list(before, whole, &text[end..])))
}

/// Returns whether only blanks and signs, such as those of quotes and lists, are between the start of the line and a place.
fn begins_line(before: &str) -> bool {
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(BETWEEN_ITEMS_MAX))..];
    let line = near.rfind(['\n', '\r']).map(|at| &near[at + 1..]);
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '>' | '*' | '(' | '[' | '"' | '\u{2022}');
    line.or(Some(near).filter(|near| near.len() == before.len())).is_some_and(|line| line.chars().all(is_sign))
}

/// Returns whether the item before or after has the number before or after, and as many digits as a card.
fn is_in_list(before: &str, number: &str, after: &str) -> bool {
    let Ok(number) = number.parse::<u32>() else { return false };
    let is_between = |signs: &str| (1..=BETWEEN_ITEMS_MAX).contains(&signs.len());
    let next = || {
        let rest = after.trim_start_matches(|c: char| !c.is_alphanumeric());
        let item = rest.strip_prefix(&(number + 1).to_string()).and_then(|rest| rest.strip_prefix('.'));
        is_between(&after[..after.len() - rest.len()])
            && item.is_some_and(|item| DIGITS.contains(&digits(item.bytes())))
    };
    let previous = || {
        let rest = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let length = digits(rest.bytes().rev());
        let item = rest[..rest.len() - length].strip_suffix('.').unwrap_or_default();
        let one_before = item[item.len() - digits(item.bytes().rev())..].parse::<u32>();
        is_between(&before[rest.len()..]) && DIGITS.contains(&length) && one_before.is_ok_and(|one| one + 1 == number)
    };
    next() || previous()
}

/// Returns how many digits are in front, at most more than a card has.
fn digits(bytes: impl Iterator<Item = u8>) -> usize {
    bytes.take(DIGITS.end() + 1).take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every language whose words the local screen knows.
    const LANGUAGES: [&str; 12] = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ar", "ja", "zh"];

    #[test]
    fn every_language_has_words_of_orders() {
        for language in LANGUAGES {
            let words = LABELS.iter().find(|(of, _)| *of == language).map_or(0, |(_, words)| words.len());
            assert!(words >= 8, "{language}: {words}");
        }
    }

    #[test]
    fn a_label_is_found_in_any_case() {
        for (language, words) in LABELS {
            for word in words {
                for text in [format!("{word}: "), format!("{}: ", word.to_uppercase()), format!("a {word} no. ")] {
                    assert!(is_labelled(&text, text.len()), "{language}: {text}");
                }
            }
        }
    }
}
