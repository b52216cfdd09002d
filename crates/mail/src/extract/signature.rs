//! Signatures: the delimiter `-- `, lines of mobile clients, footers of mailing lists, "Best regards" with a name.
//!
//! A signature reaches to the end of the text or to the next quoted line. Where it is doubtful it stays.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, StartKind};

use super::line::{Line, Mark, trim};

/// Most lines below `--` without its space (RFC 3676 4.3 wants `-- `), which also separates paragraphs of notes.
const BARE_LINES_MAX: usize = 25;
/// Most lines of a mailing-list footer.
const FOOTER_LINES_MAX: usize = 10;
/// Most lines of a name block below a closing formula, and the longest of its lines in characters.
const CLOSING_LINES_MAX: usize = 6;
const CLOSING_CHARS_MAX: usize = 60;
/// Longest beginning of [`SENT_FROM`], in bytes, with room to spare.
const START_BYTES_MAX: usize = 64;
/// Longest line of a mobile client, in characters, without links.
const SENT_FROM_CHARS_MAX: usize = 80;

/// How lines of mobile clients begin, lower-case.
const SENT_FROM: &[&str] = &[
    "sent from my ",
    "sent from ",
    "sent via ",
    "sent with ",
    "sent using ",
    "get outlook for ",
    "sent by ",
    "sent on the go",
    "sent while mobile",
    "gesendet von ",
    "gesendet mit ",
    "von meinem ",
    "von unterwegs gesendet",
    "diese nachricht wurde von meinem ",
    "holen sie sich outlook für ",
    "outlook für ",
    "envoyé de mon ",
    "envoyé depuis ",
    "envoyé de ",
    "envoyé à partir ",
    "envoyé avec ",
    "obtenez outlook pour ",
    "télécharger outlook pour ",
    "obtenir outlook pour ",
    "enviado desde ",
    "enviado de ",
    "enviado do ",
    "enviado a partir ",
    "enviado con ",
    "enviado com ",
    "enviado pelo ",
    "enviado vía ",
    "enviado via ",
    "obtener outlook para ",
    "obter outlook para ",
    "obter o outlook para ",
    "enviat des ",
    "inviato da ",
    "inviato dal ",
    "inviato con ",
    "scarica outlook per ",
    "ottieni outlook per ",
    "trimis de pe ",
    "trimis din ",
    "obțineți outlook pentru ",
    "verzonden vanaf ",
    "verzonden met ",
    "verstuurd vanaf ",
    "verstuurd via ",
    "outlook voor ",
    "outlook downloaden voor ",
    "gestuur van my ",
    "sendt fra ",
    "sendt med ",
    "hent outlook til ",
    "skaff deg outlook for ",
    "skickat från ",
    "skickades från ",
    "hämta outlook för ",
    "sent úr ",
    "sent frá ",
    "lähetetty ",
    "hanki outlook ",
    "saadetud minu ",
    "saadetud ",
    "išsiųsta iš ",
    "nosūtīts no ",
    "отправлено с ",
    "отправлено из ",
    "послано с ",
    "скачайте outlook для ",
    "надіслано з ",
    "надіслано від ",
    "отримати outlook для ",
    "адпраўлена з ",
    "изпратено от ",
    "послато са ",
    "послато с ",
    "odesláno z ",
    "odesláno ze ",
    "odoslané z ",
    "získat outlook pro ",
    "wysłane z ",
    "wysłano z ",
    "pobierz outlook dla ",
    "poslano z ",
    "poslano s ",
    "poslato sa ",
    "στάλθηκε από ",
    "εστάλη από ",
    "απεστάλη από ",
    "elküldve az ",
    "iphone-ról küldve",
    "küldve ",
    "gönderildi: ",
    "iphone'umdan gönderildi",
    "ipad'imden gönderildi",
    "outlook'u edinin",
    "telefonumdan gönderildi",
    "أرسلت من ",
    "أُرسلت من ",
    "تم الإرسال من ",
    "مرسل من ",
    "נשלח מה",
    "נשלח מ",
    "ارسال شده از ",
    "ارسال از ",
    "发自我的",
    "发自",
    "從我的",
    "傳送自",
    "從 ",
    "自我的",
    "从我的",
    "通过",
    "获取 outlook for ",
    "获取 ",
    "iphoneから送信",
    "ipadから送信",
    "スマートフォンから送信",
    "androidから送信",
    "outlook for ",
    "나의 iphone에서 보냄",
    "나의 ipad에서 보냄",
    "나의 ",
    "iphone에서 보냄",
    "galaxy에서 보냄",
    "내 ",
    "đã gửi từ ",
    "được gửi từ ",
    "gửi từ ",
    "tải outlook cho ",
    "ส่งจาก ",
    "ส่งมาจาก ",
    "ส่งจากไอโฟน",
    "dikirim dari ",
    "dikirim melalui ",
    "dihantar dari ",
    "dapatkan outlook untuk ",
    "ipinadala mula sa ",
    "आई-फ़ोन से भेजा गया",
    "मेरे ",
    "iphone",
    "ipad",
];

/// [`SENT_FROM`] in a form that looks at a line once.
static SENT_FROM_STARTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let starts = AhoCorasick::builder().start_kind(StartKind::Anchored).build(SENT_FROM);
    starts.expect("a table of this size makes an automaton")
});

/// A mobile line names a device, a client or a system; without such a name only "sent from my …" counts.
const DEVICES: &[&str] = &[
    "iphone",
    "ipad",
    "ipod",
    "android",
    "galaxy",
    "samsung",
    "blackberry",
    "windows",
    "nokia",
    "huawei",
    "xiaomi",
    "redmi",
    "pixel",
    "wiko",
    "sony",
    "xperia",
    "lg ",
    "htc",
    "oneplus",
    "oppo",
    "vivo",
    "honor",
    "motorola",
    "lenovo",
    "zte",
    "outlook",
    "gmail",
    "yahoo",
    "proton",
    "mail",
    "typeapp",
    "spark",
    "airmail",
    "superhuman",
    "aquamail",
    "mobil",
    "phone",
    "tablet",
    "handy",
    "smartphone",
    "telefon",
    "téléphone",
    "teléfono",
    "cellulare",
    "device",
    "gerät",
    "ios",
    "bluemail",
    "app",
    "verizon",
    "at&t",
    "t-mobile",
    "vodafone",
    "orange",
    "mac",
    "айфон",
    "телефон",
    "手机",
    "手機",
    "華為",
    "华为",
    "小米",
    "スマート",
    "휴대",
    "آيفون",
    "הטלפון",
    "אייפון",
];

/// Closing formulas that cannot be a sentence, lower-case. Others stay, with the name below them.
const CLOSINGS: &[&str] = &[
    "regards",
    "best regards",
    "kind regards",
    "kindest regards",
    "warm regards",
    "warmest regards",
    "many regards",
    "with regards",
    "with best regards",
    "with kind regards",
    "best wishes and regards",
    "thanks and regards",
    "thanks & regards",
    "thank you and regards",
    "br",
];

/// Marks signatures among the lines that are still plain.
pub(super) fn mark(lines: &mut [Line<'_>]) {
    let mut at = 0;
    let mut has_text = false;
    let mut fenced = false;
    while at < lines.len() {
        let line = lines[at];
        if line.mark == Mark::Forward {
            return;
        }
        if !line.is_plain() || line.is_blank() {
            at += 1;
            continue;
        }
        fenced ^= trim(line.text).starts_with("```");
        if !fenced && let Some(marked) = signature(lines, at, has_text) {
            lines[at..at + marked].iter_mut().for_each(|line| line.mark = Mark::Signature);
            at += marked;
            continue;
        }
        has_text = true;
        at += 1;
    }
}

/// Where the run of undecided lines that begins at `at` ends. Bounded: a signature longer than this is none.
fn section_end(lines: &[Line<'_>], at: usize) -> usize {
    const SECTION_LINES_MAX: usize = 200;
    let run =
        lines[at..].iter().take(SECTION_LINES_MAX).take_while(|line| line.is_plain() || line.mark == Mark::Signature);
    at + run.count()
}

/// How many lines from `at` on are a signature.
fn signature(lines: &[Line<'_>], at: usize, has_text: bool) -> Option<usize> {
    let text = lines[at].text;
    // What the first line cannot begin need not be looked for in those below it.
    let section = || &lines[at..section_end(lines, at)];
    if trim(text) == "--" {
        let rest = section().len();
        if text == "-- " || text == "--\u{a0}" || rest <= BARE_LINES_MAX {
            return has_text.then_some(rest);
        }
    }
    if is_sent_from(text) {
        // What follows such a line is history that carries no mark of its own; alone at the top it is only a line.
        return Some(if has_text { section().len() } else { 1 });
    }
    if is_underscores(text) && is_list_footer(section()) {
        return Some(section().len());
    }
    (has_text && is_formula(text) && is_closing(section())).then(|| section().len())
}

/// "Sent from my iPhone" and the like, in the languages of the table.
fn is_sent_from(text: &str) -> bool {
    let text = trim(text).trim_start_matches(['[', '(', '*', '_']);
    // Lower-casing a line of ASCII does not move anything, so its beginning can be looked at alone.
    let head = text.get(..START_BYTES_MAX).unwrap_or(text);
    if text.len() > 600 || head.is_ascii() && !starts_like_sent_from(&head.to_ascii_lowercase()) {
        return false;
    }
    let lower = text.to_lowercase();
    let words = lower.split(['<', '[']).next().unwrap_or("").trim_end_matches([')', ']', '*', '_', ' ']);
    if words.chars().count() > SENT_FROM_CHARS_MAX || !starts_like_sent_from(&lower) {
        return false;
    }
    // A full stop is fine after a short line; a sentence with a comma or a second clause is prose.
    let prose = words.contains([',', '!', '?', ';']) || words.trim_end_matches('.').contains(". ");
    let device = DEVICES.iter().any(|device| lower.contains(device));
    // "Sent from a magnificent …" is a joke of its author.
    device && !prose && !words.starts_with("sent from a ")
}

fn starts_like_sent_from(lower: &str) -> bool {
    SENT_FROM_STARTS.find(Input::new(lower).anchored(Anchored::Yes)).is_some()
}

/// A rule of underscores.
fn is_underscores(text: &str) -> bool {
    let rule = trim(text);
    rule.len() >= 2 && rule.bytes().all(|byte| byte == b'_')
}

/// A mailing list's footer: below its rule of underscores a few lines with the list's name and address.
fn is_list_footer(lines: &[Line<'_>]) -> bool {
    let below: Vec<&str> =
        lines[1..].iter().filter(|line| !line.is_blank()).map(|line| line.text).take(FOOTER_LINES_MAX + 1).collect();
    let about_a_list = below.iter().any(|text| {
        let text = text.to_lowercase();
        ["mailing list", "mailman", "listinfo", "unsubscribe", "://lists.", "mailing-list"]
            .iter()
            .any(|word| text.contains(word))
    });
    below.len() <= FOOTER_LINES_MAX && about_a_list
}

/// A closing formula.
fn is_formula(text: &str) -> bool {
    let line = trim(text);
    let formula = line.trim_end_matches([',', '.', '!', ' ', ';', ':']);
    line.len() <= CLOSING_CHARS_MAX && CLOSINGS.iter().any(|closing| formula.eq_ignore_ascii_case(closing))
}

/// Below a closing formula, a short block of name lines to the end.
fn is_closing(lines: &[Line<'_>]) -> bool {
    let below: Vec<&Line<'_>> = lines[1..].iter().filter(|line| !line.is_blank()).take(CLOSING_LINES_MAX + 1).collect();
    let short =
        below.iter().all(|line| line.text.chars().count() <= CLOSING_CHARS_MAX && !line.text.ends_with(['?', ':']));
    below.len() <= CLOSING_LINES_MAX && short
}
