//! Attacks in disguises: each seed in each disguise.

use super::{HARMLESS, SEEDS, html_score, text_score};
use crate::FLAGGED_FROM;

/// Share of disguised attacks that are flagged, in percent.
const RECALL_PERCENT_MIN: usize = 95;
/// Share of the seeds that each disguise leaves flagged, in percent.
const RECALL_OF_ONE_PERCENT_MIN: usize = 75;

type Disguise = (&'static str, fn(&str) -> String);

fn map(text: &str, change: impl Fn(char) -> char) -> String {
    text.chars().map(change).collect()
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.as_bytes()
        .chunks(3)
        .flat_map(|chunk| {
            let all = chunk.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            (0..4).map(
                move |at| {
                    if at <= chunk.len() { char::from(DIGITS[(all >> (18 - 6 * at)) as usize & 63]) } else { '=' }
                },
            )
        })
        .collect()
}

fn look_alike(c: char) -> char {
    match c {
        'a' => 'а',
        'e' => 'е',
        'o' => 'о',
        'p' => 'р',
        'c' => 'с',
        'i' => 'і',
        's' => 'ѕ',
        c => c,
    }
}

fn leet(c: char) -> char {
    match c {
        'a' => '4',
        'e' => '3',
        'i' => '1',
        'o' => '0',
        's' => '5',
        't' => '7',
        c => c,
    }
}

fn styled(c: char, upper: u32, lower: u32) -> char {
    let to = |base: u32, first: char| char::from_u32(base + c as u32 - first as u32).unwrap_or(c);
    if c.is_ascii_lowercase() {
        to(lower, 'a')
    } else if c.is_ascii_uppercase() {
        to(upper, 'A')
    } else {
        c
    }
}

fn every(text: &str, between: &str) -> String {
    text.split(' ')
        .map(|word| word.chars().map(String::from).collect::<Vec<_>>().join(between))
        .collect::<Vec<_>>()
        .join(" ")
}

fn halves(text: &str, between: &str) -> String {
    let halve = |word: &str| match word
        .char_indices()
        .nth(word.chars().count() / 2)
        .filter(|_| word.len() > 4 && !word.contains('@'))
    {
        Some((at, _)) => format!("{}{between}{}", &word[..at], &word[at..]),
        None => word.to_owned(),
    };
    text.split(' ').map(halve).collect::<Vec<_>>().join(" ")
}

fn codes(text: &str, code: impl Fn(u8) -> String, between: &str) -> String {
    text.bytes().map(code).collect::<Vec<_>>().join(between)
}

fn styled_html(style: &str, text: &str) -> String {
    format!("<p>Hello Ann, see you on Tuesday.</p><div style=\"{style}\">{text}</div><p>Bye</p>")
}

const TEXT_DISGUISES: [Disguise; 26] = [
    ("base64", base64),
    ("base64 in lines", |t| {
        base64(t)
            .as_bytes()
            .chunks(60)
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect::<Vec<_>>()
            .join("\r\n")
    }),
    ("base64 twice", |t| base64(&base64(t))),
    ("hex", |t| codes(t, |b| format!("{b:02x}"), "")),
    ("hex with blanks", |t| codes(t, |b| format!("{b:02x}"), " ")),
    ("escapes", |t| codes(t, |b| format!("\\x{b:02x}"), "")),
    ("percent", |t| codes(t, |b| format!("%{b:02X}"), "")),
    ("references", |t| codes(t, |b| format!("&#{b};"), "")),
    ("decimal", |t| codes(t, |b| b.to_string(), " ")),
    ("binary", |t| codes(t, |b| format!("{b:08b}"), " ")),
    ("rot13", |t| {
        map(t, |c| match c {
            'a'..='z' => char::from((c as u8 - b'a' + 13) % 26 + b'a'),
            'A'..='Z' => char::from((c as u8 - b'A' + 13) % 26 + b'A'),
            c => c,
        })
    }),
    ("atbash", |t| {
        map(&t.to_lowercase(), |c| if c.is_ascii_lowercase() { char::from(b'z' - (c as u8 - b'a')) } else { c })
    }),
    ("reversed", |t| t.chars().rev().collect()),
    ("reversed words", |t| t.split(' ').map(|w| w.chars().rev().collect::<String>()).collect::<Vec<_>>().join(" ")),
    ("leet", |t| map(&t.to_lowercase(), leet)),
    ("look-alikes", |t| map(t, look_alike)),
    ("full width", |t| map(t, |c| styled(c, 0xff21, 0xff41))),
    ("mathematical", |t| map(t, |c| styled(c, 0x1d400, 0x1d41a))),
    ("apart", |t| every(t, " ").replace("  ", "   ")),
    ("dots", |t| every(t, ".")),
    ("zero width", |t| every(t, "\u{200b}")),
    ("hyphens", |t| halves(t, "-")),
    ("blanks within words", |t| halves(t, " ")),
    ("soft hyphens", |t| halves(t, "\u{ad}")),
    ("turned", |t| format!("\u{202e}{}\u{202c}", t.chars().rev().collect::<String>())),
    ("capitals", |t| t.to_uppercase()),
];

const HTML_DISGUISES: [Disguise; 30] = [
    ("display", |t| styled_html("display:none", t)),
    ("white", |t| styled_html("color:#ffffff", t)),
    ("zero size", |t| styled_html("font-size:0px", t)),
    ("off page", |t| styled_html("position:absolute;left:-9999px", t)),
    ("faint", |t| styled_html("opacity:0.01", t)),
    ("tiny", |t| styled_html("font-size:1px;color:#eee", t)),
    ("comment", |t| format!("<p>Hello</p><!-- {t} --><p>Bye</p>")),
    ("alt", |t| format!("<p>Hello</p><img src='a' alt=\"{t}\">")),
    ("aria", |t| format!("<p aria-label=\"{t}\">Hello</p>")),
    ("class", |t| format!("<style>.pre{{display:none}}</style><span class='pre'>{t}</span>Hello")),
    ("title of a link", |t| format!("<p>Hello</p><a href=x title=\"{t}\">more</a>")),
    ("title", |t| format!("<html><head><title>{t}</title></head><p>Hello</p>")),
    ("hidden attribute", |t| format!("<p>Hello</p><p hidden>{t}</p>")),
    ("noscript", |t| format!("<p>Hello</p><noscript>{t}</noscript>")),
    ("preheader", |t| styled_html("max-height:0px;overflow:hidden;font-size:1px;line-height:1px;color:#fff", t)),
    ("scale", |t| styled_html("transform: scale(0)", t)),
    ("scale of one side", |t| styled_html("transform: scaleX(0)", t)),
    ("moved away", |t| styled_html("transform: translateX(-200vw)", t)),
    ("clip path", |t| styled_html("clip-path: inset(50%)", t)),
    ("clip path of nothing", |t| styled_html("clip-path: polygon(0 0, 0 0, 0 0)", t)),
    ("clip", |t| styled_html("position:absolute;clip:rect(0 0 0 0)", t)),
    ("small in em", |t| styled_html("font-size:0.01em", t)),
    ("small in percent", |t| styled_html("font-size: 1%", t)),
    ("zoom", |t| styled_html("zoom:0", t)),
    ("same color", |t| styled_html("background:#123456;color:#123456", t)),
    ("same color in hsl", |t| styled_html("color:hsl(0, 0%, 100%)", t)),
    ("visibility", |t| styled_html("visibility:hidden", t)),
    ("id", |t| format!("<style>#p{{visibility:hidden}}</style><span id='p'>{t}</span>Hello")),
    ("tags within words", |t| halves(t, "<b></b>")),
    ("tags", |t| format!("Hello{}", t.chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect::<String>())),
];

#[test]
fn disguises_are_flagged() {
    let (mut all, mut missed) = (0, Vec::new());
    let mut check = |name: &'static str, scores: Vec<f32>| {
        let flagged = scores.iter().filter(|score| **score >= FLAGGED_FROM).count();
        all += scores.len();
        missed.extend(vec![name; scores.len() - flagged]);
        assert!(flagged * 100 >= scores.len() * RECALL_OF_ONE_PERCENT_MIN, "{name}: {flagged} of {}", scores.len());
    };
    for (name, disguise) in TEXT_DISGUISES {
        let mail =
            |seed: &str| format!("Hello Ann,\n\nsee you on Tuesday at noon.\n\n{}\n\nBye, Bob\n", disguise(seed));
        check(name, SEEDS.map(|seed| text_score(&mail(seed))).to_vec());
    }
    for (name, disguise) in HTML_DISGUISES {
        check(name, SEEDS.map(|seed| html_score(&disguise(seed))).to_vec());
    }
    assert!(missed.len() * 100 <= all * (100 - RECALL_PERCENT_MIN), "missed {} of {all}: {missed:?}", missed.len());
}

#[test]
fn harmless_text_in_markup_is_not_flagged() {
    let shapes: [Disguise; 5] = [
        ("plain", |t| format!("<p>{t}</p>")),
        ("preheader", |t| styled_html("max-height:0px;overflow:hidden", t)),
        ("comment", |t| format!("<!-- {t} --><p>Hello</p>")),
        ("title", |t| format!("<title>{t}</title><p>Hello</p>")),
        ("alt", |t| format!("<p>Hello</p><img src=a alt=\"{t}\">")),
    ];
    let mut alarms = Vec::new();
    for (name, shape) in shapes {
        alarms.extend(
            HARMLESS.into_iter().filter(|text| html_score(&shape(text)) >= FLAGGED_FROM).map(|text| (name, text)),
        );
    }
    // A hidden text that speaks about attacks is one of a hundred.
    assert!(alarms.len() * 40 <= shapes.len() * HARMLESS.len(), "{alarms:#?}");
}

#[test]
fn attacks_in_conditional_comments_are_flagged() {
    let forms: [fn(&str) -> String; 5] = [
        |t| format!("<p>Hello</p><!--[if mso]>{t}<![endif]--><p>Bye</p>"),
        |t| format!("<p>Hello</p><!--[if gte mso 9]><table><tr><td>{t}</td></tr></table><![endif]-->"),
        |t| format!("<!--[if (mso)|(IE)]></td></tr><p>{t}</p><![endif]--><p>Hello</p>"),
        |t| format!("<p>Hello</p><!--<![endif]{t}-->"),
        |t| format!("<p>Hello</p><!--[if {t}]><![endif]-->"),
    ];
    for form in forms {
        let missed = SEEDS.map(form).into_iter().filter(|html| html_score(html) < FLAGGED_FROM).count();
        assert!(missed <= 2, "{missed}: {}", form("x"));
        for text in HARMLESS {
            assert!(html_score(&form(text)) < FLAGGED_FROM, "{}", form(text));
        }
    }
}
