//! Texts and links that a reader of HTML can't see.

use crate::{
    html::tests::HIDING,
    verification::{VerificationInput, detect},
};

fn found(html: &str) -> (Option<String>, Option<String>) {
    let input = VerificationInput {
        subject: "Sign in to Acme",
        text: Some("Your verification code is 482913."),
        html: Some(html),
        from: "no-reply@acme.example",
    };
    detect(&input).map_or((None, None), |found| (found.code, found.link))
}

#[test]
fn hidden_code_does_not_win_over_the_visible_one() {
    for name in ["span", "div", "p", "td", "b", "h1", "a"] {
        for attributes in HIDING.iter().filter(|attributes| name != "a" || !attributes.contains("mso-hide")) {
            let hidden = format!("<{name} {attributes}><b>Your verification code: 111111</b></{name}>");
            for html in [
                format!("<p>Your verification code is 482913.</p>{hidden}<p>It expires soon.</p>"),
                format!("{hidden}<p>Your verification code is 482913.</p>"),
                format!("<div>Your verification code is <b>482913</b>.{hidden}</div>"),
            ] {
                assert_eq!(found(&html).0.as_deref(), Some("482913"), "{html}");
            }
        }
    }
}

#[test]
fn hidden_link_is_no_link() {
    const LINK: &str = "<a href='https://acme.example/verify?token=8f3kq2m9x7c4v1b6'>Verify your email</a>";
    assert!(found(LINK).1.is_some());
    for attributes in HIDING {
        let html = format!("<p>Hello,</p><div {attributes}>Please verify: {LINK}</div><p>Bye</p>");
        assert_eq!(found(&html).1, None, "{html}");
        let link = LINK.replace("<a ", &format!("<a {attributes} "));
        let is_button = attributes.contains("mso-hide");
        assert!(is_button || found(&format!("<p>Hello,</p>{link}<p>Bye</p>")).1.is_none(), "{link}");
    }
    for label in ["", " ", "&nbsp;", "&#8203;", "<b></b>", "<img style='display:none' alt='Verify your email'>"] {
        let html = LINK.replace("Verify your email", label);
        assert_eq!(found(&format!("<p>Verify your email:</p>{html}")).1, None, "{label}");
    }
}

#[test]
fn hidden_element_ends_where_a_browser_ends_it() {
    const HIDDEN: [&str; 12] = [
        "<div><span hidden>Your code: 111111</div>",
        "<span hidden></p>Your code: 111111</span>",
        "<span hidden></div>Your code: 111111</span>",
        "<span hidden><div></span>Your code: 111111</div></span>",
        "<div hidden><table><tr><td></div>Your code: 111111</td></tr></table></div>",
        "<table><tr><td hidden>Your code: 111111<td>x</table>",
        "<ul><li hidden>Your code: 111111<li>x</ul>",
        "<p hidden>Your code: 111111",
        "<div hidden><div>a</div>Your code: 111111</div>",
        "<span hidden/>Your code: 111111</span>",
        "<div style='display&#58;none'>Your code: 111111</div>",
        "<div style='display:/**/none'>Your code: 111111</div>",
    ];
    for hidden in HIDDEN {
        let html = format!("{hidden}<p>Your verification code is 482913.</p>");
        assert_eq!(found(&html).0.as_deref(), Some("482913"), "{html}");
        assert!(detected(hidden).is_none(), "{hidden}");
    }
    const SHOWN: [&str; 8] = [
        "<p hidden>x<p>Your verification code is 482913.",
        "<div><span hidden>x</div>Your verification code is 482913.",
        "<table><tr><td hidden>x<td>Your verification code is 482913.</table>",
        "<ul><li hidden>x<li>Your verification code is 482913.</ul>",
        "<img hidden><br hidden>Your verification code is 482913.",
        "<td style='font-size:0px'><div style='font-size:13px'>Your verification code is 482913.</div></td>",
        "<div style='font-size:0'><table style='font-size:1rem'><tr><td>Your verification code is 482913.</table></div>",
        "<div><b hidden><p>x</b>Your verification code is 482913.</p></div>",
    ];
    for shown in SHOWN {
        assert_eq!(detected(shown).as_deref(), Some("482913"), "{shown}");
    }
}

/// Returns the code of a mail that only has this HTML.
fn detected(html: &str) -> Option<String> {
    let input = VerificationInput { subject: "Acme", html: Some(html), ..VerificationInput::default() };
    detect(&input).and_then(|found| found.code)
}

#[test]
fn remark_behind_a_url_does_not_belong_to_it() {
    const REMARKS: [&str; 12] = [
        "(valid 24h)",
        "(valid)",
        "(gültig 24 Stunden)",
        "(24h gültig)",
        "[valid 24h]",
        ",gültig bis morgen",
        ",valid",
        ",expires.",
        ", bis morgen",
        "(有効期限 24 時間)",
        ",действует сутки",
        "(valide 24 h).",
    ];
    const URLS: [&str; 4] = [
        "https://acme.example/verify?t=a7",
        "https://acme.example/verify?token=8f3kq2m9x7c4v1b6",
        "https://acme.example/verify?user=a,b&t=a7",
        "https://acme.example/confirm/8f3kq2m9x7c4v1b6?list=(a)&t=1",
    ];
    for url in URLS {
        for remark in REMARKS {
            let text = format!("Confirm your email address:\n{url}{remark}\n");
            let input = VerificationInput { subject: "Confirm your email", text: Some(&text), ..Default::default() };
            assert_eq!(detect(&input).and_then(|found| found.link).as_deref(), Some(url), "{text}");
        }
    }
    for url in [
        "https://acme.example/verify/Foo_(bar)?t=a7",
        "https://acme.example/verify(x)/a?t=a7",
        "https://acme.example/verify?a[x]=1,2&t=a7",
    ] {
        let text = format!("Confirm your email address:\n{url}\n");
        let input = VerificationInput { subject: "Confirm your email", text: Some(&text), ..Default::default() };
        assert_eq!(detect(&input).and_then(|found| found.link).as_deref(), Some(url), "{text}");
    }
}
