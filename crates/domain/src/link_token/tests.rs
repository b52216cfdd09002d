//! Tokens in every form, break and place; ordinary text; and the work that dear shapes cost.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::user::sign_in_code;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn token() -> String {
    of_secret(SECRET)
}

fn mask(text: &str) -> Option<String> {
    masked(text, &mut TokenCodes::default())
}

#[test]
fn a_token_is_recognized_exactly() {
    let token = token();
    assert!(is_token(&token) && token.len() == TOKEN_CHARS && token.starts_with("pht0123"));
    let last = if token.ends_with('0') { '1' } else { '0' };
    let altered = format!("{}{last}", &token[..TOKEN_CHARS - 1]);
    for other in ["", SECRET, &token[1..], &token[..TOKEN_CHARS - 1], &altered, &token.to_uppercase()] {
        assert!(!is_token(other), "{other}");
    }
    assert!(!is_token(&format!("{token}0")));
}

/// What may stand between two characters of a token.
const GAPS: &[&str] = &[
    "",
    "\n",
    "\r\n> ",
    "\n>> ",
    "=\r\n",
    " ",
    "\n| ",
    "\n│ ",
    "\n» ",
    "\n- ",
    "\n* ",
    "\n# ",
    "\n: ",
    "\n+ ",
    "\nAB> ",
    "\n pht> ",
    "\nPat | ",
    "_",
    "**",
    "-\n",
    "\\\n",
    "\\n",
    "\\u000a",
    "%0A",
    "%20",
    "=20",
    "\u{a0}",
    "\u{ad}",
    "\u{34f}",
    "\u{85}",
    "\u{b}",
    "\u{c}",
    "\u{180e}",
    "\u{2007}",
    "\u{2009}",
    "\u{200b}",
    "\u{200e}",
    "\u{200f}",
    "\u{2028}",
    "\u{202a}",
    "\u{202f}",
    "\u{2062}",
    "\u{3000}",
    "\u{fe0f}",
    "\u{feff}",
    "\u{e0020}",
    "%E2%80%8B",
    "&shy;",
    "&nbsp;",
    "&zwnj;",
    "&ZeroWidthSpace;",
    "&#8204;",
    "&#xAD;",
    "&#160;",
    "\n&#62; ",
    "&#08203;",
    "&amp;shy;",
    "<wbr>",
    "</span><span style=\"x\">",
    "<br>\n&gt; ",
    "<br>\nAB&gt; ",
    "<span title=\"a>b\">",
    "<!-- > -->",
    "<!-- pht0 -->",
    "<style>a{}</style>",
];

/// What surrounds a token, with `@` for it.
const PLACES: &[&str] = &[
    "@",
    "> Open https://x.example/claim/@\n> and press the button. pht0 p",
    "<p>@</p>",
    "<a href=\"http://h/claim/@\">x</a>",
    "<img src=@>",
    "<p title='@'",
    "<!-- @ -->",
    "<!-- <p>@</p> -->",
    "<style>a{content:'@'}</style>",
    "<template><b>@</b></template>",
    "</p><a href=http://h/?a=1&amp;b=%3D@&amp;c>",
    "{\"link\":\"http:\\/\\/h\\/@\"}",
    "https://safe.example/?url=http%3A%2F%2Fh%2Fclaim%2F@&data=1",
    "<title>@",
];

const WORDS_BEFORE: &[&str] =
    &["", "help ", "ph ", "pht", "<p>", "<P>\n", "<pre>\r\n", "<b>pht0</b>", "&p", "%70", "p\u{200b}"];

/// Returns the token in each form of its letters.
fn forms() -> Vec<Vec<String>> {
    let each = |form: &dyn Fn(char) -> String| token().chars().map(form).collect::<Vec<_>>();
    vec![
        each(&|c| c.to_string()),
        each(&|c| c.to_ascii_uppercase().to_string()),
        each(&|c| format!("&#{};", c as u32)),
        each(&|c| format!("&#x{:X};", c as u32)),
        each(&|c| format!("&amp;#{};", c as u32)),
        each(&|c| format!("%{:02x}", c as u32)),
        each(&|c| format!("%25{:02X}", c as u32)),
        each(&|c| format!("={:02X}", c as u32)),
        each(&|c| format!("\\u{:04x}", c as u32)),
        each(&|c| char::from_u32(c as u32 + 0xfee0).unwrap().to_string()),
        each(&|c| if c == '0' { "&#48;".to_owned() } else { c.to_string() }),
        each(&|c| if c == 'p' { "&#112;".to_owned() } else { c.to_string() }),
        each(&|c| if c == 'p' { "%70".to_owned() } else { c.to_string() }),
    ]
}

/// Returns a form with a gap after a number of letters.
fn split(form: &[String], gap: &str, at: usize) -> String {
    format!("{}{gap}{}", form[..at].concat(), form[at..].concat())
}

#[test]
fn every_quote_of_a_token_is_masked() {
    let mut cases = 0;
    for (which, form) in forms().iter().enumerate() {
        for place in PLACES {
            for (index, gap) in GAPS.iter().enumerate() {
                // A comment within a comment ends it, quotes and tags end an attribute, and nobody sees a part of an
                // element that isn't shown.
                let is_hidden = ["<!--", "<style>", "<template>"].iter().any(|start| place.contains(start));
                if place.contains("<!--") && gap.contains("-->")
                    || place.contains(['=', '\'']) && gap.contains(['"', '<'])
                    || is_hidden && gap.contains("<style>")
                {
                    continue;
                }
                for word in WORDS_BEFORE.iter().skip(cases % 4).step_by(4) {
                    let at = 1 + (index + which + cases) % (TOKEN_CHARS - 1);
                    let text = format!("{word}{}", place.replace('@', &split(form, gap, at)));
                    let masked = mask(&text).unwrap_or_else(|| panic!("{text:?}"));
                    assert!(masked.contains(MASK) && is_in(&text), "{text:?}: {masked:?}");
                    assert!(!masked.contains(&form[30..].concat()), "{text:?}: {masked:?}");
                    assert_eq!(mask(&masked), None, "{text:?}: {masked:?}");
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 20_000, "{cases}");
}

#[test]
fn a_gap_may_be_anywhere() {
    let form = &forms()[0];
    for gap in GAPS {
        for at in 1..TOKEN_CHARS {
            let text = format!("See {}.", split(form, gap, at));
            assert_eq!(mask(&text).as_deref(), Some("See [link of this service]."), "{text:?}");
        }
    }
}

#[test]
fn text_around_a_token_stays() {
    let token = token();
    let twice = format!("{token}, {token}{token}");
    assert_eq!(mask(&twice), Some(format!("{MASK}, {MASK}{MASK}")));
    assert_eq!(mask(&format!("pppht {token}p")), Some(format!("pppht {MASK}p")));
    let html = format!("<p>help <a href=\"http://h/claim/{token}\">{token}</a> x</p>");
    assert_eq!(mask(&html), Some(format!("<p>help <a href=\"http://h/claim/{MASK}\">{MASK}</a> x</p>")));
}

#[test]
fn a_token_without_its_check_digits_is_masked() {
    let token = token();
    for kept in 0..CHECK_DIGITS {
        let cut = &token[..TOKEN_CHARS - CHECK_DIGITS + kept];
        for (text, rest) in [
            (format!("See {cut}"), ""),
            (format!("See {cut}. x"), ". x"),
            (format!("See {cut} be careful"), " be careful"),
        ] {
            assert_eq!(mask(&text), Some(format!("See {MASK}{rest}")), "{text}");
        }
    }
    assert_eq!(mask(&format!("pht{SECRET}00000")), Some(MASK.to_owned()));
    assert_eq!(mask(&format!("pht{}\n{}", &SECRET[..9], &SECRET[9..])), Some(MASK.to_owned()));
}

#[test]
fn other_text_stays() {
    let numbers = "PHT 0800 0900 1000 1100 1200 1300 1400 1500 1600 1700 1800 1900";
    let sum = format!("{SECRET} index.pht\n{SECRET} other.pht\n");
    let id = "pht-550e8400-e29b-41d4-a716-446655440000";
    for text in ["", "p", "pht", "photography", &"pht".repeat(1_000), &"p<".repeat(9), numbers, &sum, id, SECRET] {
        assert_eq!(mask(text), None, "{text}");
        assert!(!is_in(text), "{text}");
    }
}

#[test]
fn the_code_that_stands_for_a_token_is_masked_too() {
    let token = token();
    let code = sign_in_code(&token);
    let mut codes = TokenCodes::default();
    assert_eq!(codes.masked(&code), None);
    masked(&token, &mut codes).expect("a token");
    let entity = format!("&#{};{}", code.as_bytes()[0], &code[1..]);
    let text = format!("{code}, {entity}x, {code}1 or 1{code}, not 000000, &amp;");
    assert_eq!(codes.masked(&text), Some(format!("{MASK}, {MASK}x, {code}1 or 1{code}, not 000000, &amp;")));
    assert_eq!(codes.masked("not 000000"), None);
    assert!(codes.is_code(&code) && !codes.is_code("1"));
}

#[test]
fn many_tokens_hide_every_code() {
    let mut codes = TokenCodes::default();
    for number in 0..10_000 {
        masked(&of_secret(&format!("a{number:031x}")), &mut codes).expect("a token");
    }
    assert_eq!(codes.masked("000000, 1234567"), Some(format!("{MASK}, 1234567")));
}

#[test]
fn most_texts_are_not_searched() {
    let id = "550e8400-e29b-41d4-a716-446655440000";
    for text in [
        format!("{MASK}\n").repeat(1_000),
        format!("Message-ID: <{id}@x.example>\r\nContent-Type: text/plain; boundary=\"{id}\"\r\n"),
        format!(
            "<style>p {{ color: #aabbcc }}</style><!-- {id} --><p>See <a href=\"https://x.example/{id}\">{id}</a></p>"
        ),
        "> A quoted line of a hundred bytes, as programs write it, and its end\n".repeat(100),
        "Grüße und 中文, &amp; &nbsp; <br>".repeat(100),
    ] {
        assert!(!candidate::is_in(text.as_bytes()), "{text}");
    }
}

/// Shapes that could cost more than their length.
const SHAPES: &[&str] = &[
    "@",
    "@ ",
    "@\n",
    "pht",
    "pht0",
    "pht0 ",
    "p<",
    "p<p>",
    "<p>",
    "p ",
    "pht0123456789abcdef0123456789abcde\n",
    "pht0\npht> ",
    "p\npht> 0",
    "&",
    "&amp;",
    "&amp;amp;",
    "amp;",
    "&#",
    "&#0",
    "&#x",
    "%",
    "%25",
    "%2",
    "=",
    "=3",
    "\\",
    "\\u00",
    "<!--",
    "<!-- p",
    "-->",
    "<!--<a b=\"-->",
    "<!--<a b='\"-->",
    "<a b=\"",
    "<a b=\"p>",
    "<style>",
    "<style>p",
    "<svg><style>",
    "</style>",
    "<!",
    "<?",
    "</",
    "ｐ",
    "\u{200b}",
    "p\u{200b}",
    "123456",
    "123456 ",
    "1",
    "pht<!-- pht0 -->",
    "<title>pht",
];

/// Returns how many bytes were looked at in a shape of this size.
fn cost(shape: &str, bytes: usize) -> usize {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < bytes {
        let secret = format!("a{number:031x}");
        let _ = write!(text, "{}", shape.replace('@', &of_secret(&secret)));
        number += 1;
    }
    tokens::cost(&text) * 1_000 / text.len()
}

#[test]
fn every_shape_costs_linear_work() {
    for shape in SHAPES.iter().chain(GAPS).chain(PLACES).filter(|shape| !shape.is_empty()) {
        let (small, large) = (cost(shape, 20_000), cost(shape, 80_000));
        assert!(large <= 30_000, "{shape:?}: {large} for 1,000 bytes");
        assert!(large <= small + small / 5 + 100, "{shape:?}: {small}, {large}");
    }
}

proptest! {
    #[test]
    fn text_without_the_start_of_a_token_stays(text in "[a-oq-zA-OQ-Z0-9 <>!;#/|\n\"'.,:_-]{0,400}|[^p𝐩P&%=\\\\\u{1d00}-\u{1dff}\u{2000}-\u{2fff}\u{f000}-\u{10ffff}]{0,200}") {
        prop_assert_eq!(mask(&text), None);
    }

    #[test]
    fn text_without_a_token_stays(text in "([pht0-9a-f]{1,20}[g-z \n<>&;]){0,40}") {
        prop_assert_eq!(mask(&text), None);
    }

    #[test]
    fn any_text_is_read(text in "(?s:[pht0-9a-f<>&#;%=\\\\!/ \n\"'-]|.){0,200}") {
        let masked = mask(&text);
        prop_assert_eq!(masked.is_some(), is_in(&text));
    }

    #[test]
    fn a_token_in_any_text_is_masked(before in "(?s:[pht0-9a-f<>&#;%=\\\\!/ \n\"'-]|.){0,100}", after in "(?s:.){0,100}") {
        let text = format!("{before} {}{after}", token());
        let masked = mask(&text);
        prop_assert!(masked.as_deref().is_some_and(|masked| !masked.contains(&token())), "{:?}", masked);
    }
}
