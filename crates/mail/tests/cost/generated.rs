//! Shapes that nobody wrote down: each repeats a few of the tokens that some rule of this crate reads.

use std::fmt::Write;

use super::{LARGE, SMALL, cpu_ns, is_superlinear, receive, view_of};

/// Number of mails that are generated. `POSTHOUSE_COST_SEEDS=from..to` chooses others.
const SEEDS: std::ops::Range<u64> = 0..220;
/// How often a mail that seems superlinear is measured again.
const TRIES_MORE: usize = 4;

/// Tokens of texts and fields: what quotes, attributions, headers, signatures, codes, links and reports consist of.
const TEXT: &[&str] = &[
    "a",
    "x ",
    "\n",
    "\n\n",
    "  \n",
    "> ",
    ">",
    "| ",
    "-",
    "-- \n",
    "---",
    "---\n",
    "___\n",
    "===\n",
    "***\n",
    "* ",
    "# ",
    "On ",
    "wrote:",
    "wrote:\n",
    "Mon, 1 Jan 2024 10:00",
    "a@b.example",
    "<a@b.example>",
    "From: ",
    "To: ",
    "Sent: ",
    "Subject: ",
    "Date: ",
    "http://",
    "https://x.example/verify?token=",
    "pht",
    "pht0123456789abcdef",
    "&#x70;",
    "%70",
    "=70",
    "=\n",
    "cGh0",
    "123456",
    "code is ",
    "Your code: ",
    "\u{200b}",
    "\u{202e}",
    "\u{301}",
    "é",
    "中",
    "😀",
    "\t",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "<",
    "@",
    ":",
    ";",
    ",",
    ".",
    "Best regards,\n",
    "Sent from my phone\n",
    "Unsubscribe",
    "## Reply above this line ##\n",
    "-----Original Message-----\n",
    "---------- Forwarded message ---------\n",
    "1. ",
    "begin 644 a\n",
    "`\nend\n",
    "550 5.1.1 ",
    "Final-Recipient: rfc822; ",
    "\\",
    "=?utf-8?q?",
    "?=",
    "BEGIN:VEVENT\n",
];
/// Tokens of HTML.
const HTML: &[&str] = &[
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<br>",
    "<hr>",
    "<ul>",
    "<ol start=5>",
    "<li>",
    "<blockquote>",
    "</blockquote>",
    "<blockquote type=cite>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "<span>",
    "<a href=\"https://x.example/?t=1\">",
    "</a>",
    "<b>",
    "</b>",
    "<i>",
    "<img src=x alt=y>",
    "<pre>",
    "<h1>",
    "<style>",
    "</style>",
    ".a{display:none}",
    "<p hidden>",
    "<div style=\"display:none\">",
    "<font size=1 color=white>",
    "<div class=\"gmail_quote\">",
    "<div id=divRplyFwdMsg>",
    "<div style=\"border:none;border-top:solid #E1E1E1 1.0pt\">",
    "<!--",
    "-->",
    "<![if",
    "<o:p>",
    "<svg>",
    "<math>",
    "<template>",
    "<select><option>",
    "<textarea>",
    "<title>",
    "<input value=x>",
    "<button>",
    "&nbsp;",
    "&lt;",
    "&#8203;",
    "<center>",
    "<dl><dt>",
    "<dd>",
    "<body>",
    "</body>",
    "<head>",
    "<base href=//x>",
    "<code>",
    "<p style=\"",
    "\">",
    "<div dir=rtl>",
    "<del>",
    "<ruby><rt>",
    "<",
    "&",
    "</",
];
/// Fields whose value is read.
const FIELDS: &[&str] = &[
    "To",
    "Cc",
    "Subject",
    "References",
    "In-Reply-To",
    "Received",
    "Authentication-Results",
    "List-Unsubscribe",
    "Date",
    "Content-Type",
    "Content-Disposition",
    "Reply-To",
    "Auto-Submitted",
    "Message-ID",
    "DKIM-Signature",
    "ARC-Seal",
    "X-A",
];

/// A generator of numbers (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, max: usize) -> usize {
        usize::try_from(self.next() % max as u64).expect("less than a usize")
    }

    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A mail of any size: its header, what is there once, and what is repeated.
#[derive(Debug)]
struct GeneratedShape {
    header: String,
    once: String,
    unit: String,
    is_in_header: bool,
}

impl GeneratedShape {
    fn of(seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let kind = numbers.below(6);
        let tokens: &[&[&str]] = match kind {
            0 | 1 => &[TEXT],
            2 | 3 => &[HTML],
            _ => &[TEXT, HTML],
        };
        let mut some = |count: usize| -> String {
            (0..count)
                .map(|_| {
                    let tokens = numbers.of(tokens);
                    numbers.of(tokens)
                })
                .collect()
        };
        let unit = some(1 + usize::try_from(seed % 3).expect("small"));
        let once = if seed.is_multiple_of(4) { some(100) } else { String::new() };
        let (mut header, is_in_header) = ("From: a@b.example\r\nMIME-Version: 1.0\r\n".to_owned(), kind == 5);
        match kind {
            0 | 1 => header.push_str("Content-Type: text/plain; charset=utf-8\r\n\r\n"),
            2..=4 => header.push_str("Content-Type: text/html; charset=utf-8\r\n\r\n"),
            _ => write!(header, "{}: ", numbers.of(FIELDS)).expect("a string takes all"),
        }
        Self { header, once, unit, is_in_header }
    }

    fn mail(&self, size: usize) -> Vec<u8> {
        let body = format!("{}{}", self.once, self.unit.repeat(size / self.unit.len() + 1));
        let (newline, end) = if self.is_in_header { ("\r\n ", "\r\n\r\ntext") } else { ("\r\n", "") };
        format!("{}{}{end}", self.header, body.replace('\n', newline)).into_bytes()
    }

    /// Returns the time to receive and to view a mail of this size.
    fn cost(&self, size: usize) -> u64 {
        let mail = self.mail(size);
        let start = cpu_ns();
        std::hint::black_box(view_of(receive(&mail).as_deref()));
        cpu_ns() - start
    }
}

#[test]
fn generated_shapes_cost_at_most_linear_time() {
    let mut seeds = SEEDS;
    if let Some((from, to)) =
        std::env::var("POSTHOUSE_COST_SEEDS").ok().as_deref().and_then(|text| text.split_once(".."))
    {
        seeds = from.parse().expect("a number")..to.parse().expect("a number");
    }
    let mut broken = Vec::new();
    for seed in seeds {
        let shape = GeneratedShape::of(seed);
        let (mut small, mut large) = (shape.cost(SMALL), shape.cost(LARGE));
        for _ in 0..TRIES_MORE {
            if !is_superlinear(small, large) {
                break;
            }
            (small, large) = (small.min(shape.cost(SMALL)), large.min(shape.cost(LARGE)));
        }
        if is_superlinear(small, large) {
            broken.push(format!("{seed}: {small} ns, {large} ns: {shape:?}"));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
