//! Table tests of HTML to text, and tests with hostile input.

use proptest::prelude::*;

use super::*;

#[test]
fn html_is_converted_to_readable_text() {
    let table: &[(&str, &str)] = &[
        ("", ""),
        ("plain", "plain"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div>One</div><div>Two</div>", "One\nTwo"),
        ("One<br>Two<br/>\n<br />Three", "One\nTwo\n\nThree"),
        ("  a \n b\t c&nbsp;&nbsp;d ", "a b c d"),
        ("<b>Bo</b>ld <i>x</i>", "Bold x"),
        ("<ul><li>a</li><li>b<ul><li>c</ul></ul>d", "- a\n- b\n\n- c\n\nd"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<h1>Title</h1>text<hr>end", "Title\n\ntext\n---\nend"),
        ("<table><tr><td>Total</td><td> 12.00 </td></tr><tr><td></td><td>x</td></tr></table>", "Total\t12.00\nx"),
        ("See <a href=\"https://x.example/?a=1&amp;b=2\">the page</a>.", "See the page <https://x.example/?a=1&b=2>."),
        ("<a href='https://x.example/'>https://x.example</a>", "https://x.example"),
        ("<a href=mailto:a@x.example>a@x.example</a>", "a@x.example"),
        ("<a href='https://x.example'><img src=x></a>", "<https://x.example>"),
        ("<a href='javascript:alert(1)'>x</a><a href='#top'>y</a>", "xy"),
        ("<img alt='Logo'> hi", "Logo hi"),
        ("<head><title>No</title><style>p{a:b}</style></head><body>Yes</body>", "Yes"),
        ("a<script>if (a<b) x</script>b<!-- c > d -->e", "abe"),
        ("a<!--[if mso]><p>no</p><![endif]-->b<![if !mso]>c<![endif]>", "abc"),
        ("&lt;tag&gt; &amp;amp; &copy; &#8217;&#x2019;&#146; &unknown; &amp", "<tag> &amp; © ’’’ &unknown; &"),
        ("a < b and c > d", "a < b and c > d"),
        (
            "<p>On Monday Dana wrote:</p><blockquote>old<br>older</blockquote><p>new</p>",
            "On Monday Dana wrote:\n\n> old\n> older\n\nnew",
        ),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<img alt=\"a > b\" src=x>after", "a > bafter"),
        ("<p title=\"unclosed>text<p>more", "text\n\nmore"),
        ("<P CLASS=X>Upper</P>", "Upper"),
        ("soft\u{ad}hyphen", "softhyphen"),
    ];
    for (html, text) in table {
        assert_eq!(to_text(html), *text, "{html}");
    }
}

#[test]
fn hidden_text_is_returned_separately() {
    let hidden = |html: &str| {
        let extracted = extract(html);
        (extracted.visible, extracted.hidden)
    };
    let pair = |visible: &str, hidden: &str| (visible.to_owned(), hidden.to_owned());
    let table = [
        (
            "<div style=\"display: none; max-height:0\">Peek<div>in</div>side</div><p>Shown</p>",
            pair("Shown", "Peek in side"),
        ),
        ("<span style='DISPLAY:NONE !important'>x</span>y", pair("y", "x")),
        ("<p hidden>x</p>y", pair("y", "x")),
        ("<div style='display:block'>x</div>", pair("x", "")),
        ("<div style='display:none'>never closed <p>text", pair("never closed\n\ntext", "")),
    ];
    for (html, expected) in table {
        assert_eq!(hidden(html), expected, "{html}");
    }
    let preheader = format!("<div>{}</div><p>Hi</p>", "&zwnj;&nbsp;".repeat(100));
    assert_eq!(to_text(&preheader), "Hi");
}

/// Each input would cost a parser with lookahead quadratic time, or a recursive parser its stack.
#[test]
fn hostile_html_is_converted_in_linear_time() {
    let pieces = [
        "<",
        "<a ",
        "<a href=\"",
        "<!--",
        "<!",
        "<div>",
        "</div>",
        "<blockquote>",
        "<div style=display:none>",
        "<script",
        "<style>",
        "<title>",
        "<svg>",
        "&",
        "&#",
        "&amp",
        "<a href=http://x>",
        "<td>",
        "<pre>\n",
        " ",
        "<p",
        "</",
        "<template>",
        "x=\"",
        "<li>",
        "<ol>",
    ];
    for piece in pieces {
        let html = piece.repeat(300_000 / piece.len());
        let extracted = extract(&html);
        assert!(extracted.visible.len() <= 8 * html.len(), "{piece}");
        let mixed = format!("{}<p>x", piece.repeat(1_000));
        to_text(&mixed);
    }
}

#[test]
fn the_text_of_html_is_at_most_a_few_times_its_size() {
    let quotes = "<blockquote>".repeat(20_000);
    for html in [
        format!("{quotes}<pre>{}", "\n".repeat(200_000)),
        format!("{quotes}<pre>{}", "x\n".repeat(200_000)),
        format!("{quotes}{}", "<li>".repeat(100_000)),
        "<blockquote>x\n".repeat(20_000),
        format!("{}x{}", quotes, "</blockquote>x".repeat(20_000)),
    ] {
        let extracted = extract(&html);
        let bytes = extracted.visible.len() + extracted.hidden.len();
        assert!(bytes <= 4 * html.len(), "{bytes} bytes of {}", html.len());
    }
}

proptest! {
    #[test]
    fn arbitrary_html_never_panics_and_stays_bounded(words in proptest::collection::vec(
        prop_oneof![
            prop::sample::select(vec![
                "<", ">", "</", "<a href='", "'", "\"", "=", "<!--", "-->", "<div", "<div style='display:none'>", "</div>", "<blockquote>", "<pre>",
                "</pre>", "<li>", "<ol start=9>", "</ol>", "<br>", "&", ";", "&#", "x", "é", "\u{200c}", " ", "\n", "<script>", "</script>", "<img alt=",
            ]).prop_map(str::to_owned),
            "\\PC{0,6}",
        ], 0..80)) {
        let html = words.concat();
        let extracted = extract(&html);
        prop_assert!(extracted.visible.len() + extracted.hidden.len() <= 8 * html.len() + 64);
        prop_assert!(!extracted.visible.contains('\r'));
    }

    #[test]
    fn escaped_text_is_converted_back(text in "[a-z<>&\"';# ]{0,40}") {
        let mut html = String::new();
        push_escaped(&mut html, &text);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(words(&to_text(&html)), words(&text));
    }
}
