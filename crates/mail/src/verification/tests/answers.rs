//! Mails that ask a question with a pair of links, one of which refuses.

use crate::verification::{VerificationInput, detect};

/// A mail that asks, with the labels of its links.
struct Question {
    subject: &'static str,
    text: &'static str,
    approve: &'static str,
    refuse: &'static str,
}

/// Returns the questions of a table: subject | text | label that approves | label that refuses.
fn questions(table: &'static str) -> impl Iterator<Item = Question> {
    table.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| {
        let mut parts = line.split('|').map(str::trim);
        let mut part = || parts.next().unwrap();
        Question { subject: part(), text: part(), approve: part(), refuse: part() }
    })
}

/// Questions whether the reader acted, or to confirm something. None has to mention an account.
const CONFIRMATIONS: &str = "
    Was this you? | Somebody in Berlin wants in. | Yes, it was me | No, it wasn't
    Is this you? | Somebody in Berlin wants in. | Yes | No
    Acme | Is it you? Choose one. | 👍 Yes | 👎 No
    Acme | Somebody in Berlin wants in. | This was me | This wasn’t me
    Please confirm | We got a request. | Approve | Deny
    Please confirm | We got a request. | Accept | Decline
    Please confirm | We got a request. | Allow | Block
    Please confirm | We got a request. | Confirm | Cancel
    Please confirm | We got a request. | Authorize | Don't allow
    Acme | Did you just ask for this? | Yes, continue | No, report it
    Bestätigung | Bitte bestätigen Sie die Anfrage. | Zulassen | Ablehnen
    Acme | Waren Sie das? | Ja, das war ich | Nein, das war ich nicht
    Acme | Waren Sie das? | Ja | Nein
    Acme | Was jij dit? | Ja, ik was dit | Nee, ik was dit niet
    Bevestiging | Bevestig het verzoek. | Goedkeuren | Weigeren
    Acme | Var det du? | Ja, det var jag | Nej, det var inte jag
    Bekräfta | Bekräfta begäran. | Godkänn | Neka
    Acme | Var det dig? | Ja | Nej
    Bekræft | Bekræft anmodningen. | Godkend | Afvis
    Acme | Var dette deg? | Ja, det var meg | Nei, det var ikke meg
    Acme | Varst þetta þú? | Já, þetta var ég | Nei, þetta var ekki ég
    Acme | Olitko sinä? | Kyllä | Ei
    Acme | Kas see olid sina? | Jah | Ei
    Acme | Ön volt? | Igen, én voltam | Nem én voltam
    Acme | Était-ce vous ? | Oui, c'était moi | Non, ce n'était pas moi
    Confirmation | Merci de confirmer la demande. | Autoriser | Bloquer
    Acme | ¿Fuiste tú? | Sí, fui yo | No, no fui yo
    Confirmación | Confirma la solicitud. | Permitir | Rechazar
    Acme | Foi você? | Sim, fui eu | Não, não fui eu
    Confirmação | Confirme o pedido. | Aprovar | Rejeitar
    Acme | Sei stato tu? | Sì, sono stato io | No, non sono stato io
    Conferma | Conferma la richiesta. | Approva | Rifiuta
    Acme | Tu ai fost? | Da, eu am fost | Nu am fost eu
    Acme | Czy to Ty? | Tak, to ja | Nie, to nie ja
    Potwierdzenie | Potwierdź prośbę. | Zatwierdź | Odrzuć
    Acme | Byl jste to vy? | Ano | Ne
    Potvrzení | Potvrďte žádost. | Schválit | Zamítnout
    Potvrda | Potvrdite zahtjev. | Odobri | Odbij
    Acme | Вие ли бяхте? | Да, бях аз | Не бях аз
    Acme | Это вы? | Да, это я | Нет, это не я
    Подтверждение | Подтвердите запрос. | Разрешить | Отклонить
    Acme | Це ви? | Так, це я | Ні, це не я
    Acme | Ar tai jūs? | Taip, tai aš | Ne, tai ne aš
    Acme | Vai tas bijāt jūs? | Jā, tas biju es | Nē, tas nebiju es
    Acme | Εσείς ήσασταν; | Ναι | Όχι
    Acme | Bu siz miydiniz? | Evet, bendim | Hayır, ben değilim
    تأكيد | يرجى تأكيد الطلب. | موافقة | رفض
    Acme | האם זה אתה? | כן | לא
    Acme | क्या यह आप थे? | हाँ | नहीं
    確認 | リクエストを確認してください。 | 承認する | 拒否する
    Acme | ご本人ですか？ | はい | いいえ
    确认 | 请确认该请求。 | 允许 | 拒绝
    Acme | 是您本人吗？ | 是的 | 不是
    확인 | 요청을 확인하세요. | 승인 | 거부
    Acme | 본인이 맞습니까? | 예 | 아니요
    Acme | Có phải bạn không? | Có | Không
    Acme | ใช่คุณหรือไม่ | ใช่ | ไม่ใช่ฉัน
    Acme | Apakah ini Anda? | Ya | Bukan saya";

/// Questions about something else.
const OTHERS: &str = "
    Feedback | Did we solve your problem? | Yes | No
    Party on Friday | Will you come? | Accept | Decline
    Dinner | Kim invites you to dinner. | Ja | Nein
    Expense report | Bob sent an expense report of 50 EUR. | Approve | Reject
    News | Hello, here are our offers. | Yes, show me | No thanks
    Invoice 4829 | Please approve invoice 4829. | Approve | Reject";

/// The body of a mail.
enum Body {
    Text(String),
    Html(String),
}

/// Returns the mails of a question as texts and as HTML, with labels and URLs of links in this order.
fn mails(question: &Question, links: &[(&str, &str)]) -> Vec<Body> {
    let list = |render: &dyn Fn(&str, &str) -> String, between: &str| {
        links.iter().map(|(label, url)| render(label, url)).collect::<Vec<_>>().join(between)
    };
    let text = question.text;
    let anchor = |label: &str, url: &str| format!("<a href='{url}'>{label}</a>");
    vec![
        Body::Text(format!("{text}\n\n{}\n", list(&|label, url| format!("{label}: {url}"), "\n"))),
        Body::Text(format!("{text}\n\n{}\n", list(&|label, url| format!("{label}\n{url}"), "\n\n"))),
        Body::Text(format!("{text} {}\n", list(&|label, url| format!("[{label}]({url})"), " "))),
        Body::Html(format!("<p>{text}</p><p>{}</p><p>Acme, Main Street 1</p>", list(&anchor, " | "))),
        Body::Html(format!("<p>{text}</p><p>{}</p>", list(&anchor, "</p><p>"))),
    ]
}

fn link(subject: &str, mail: &Body) -> Option<String> {
    let (text, html) = match mail {
        Body::Text(text) => (Some(&**text), None),
        Body::Html(html) => (None, Some(&**html)),
    };
    let input = VerificationInput { subject, text, html, from: "Acme <noreply@acme.example>" };
    detect(&input).and_then(|found| found.link)
}

const APPROVE: &str = "https://acme.example/r/1?token=abc123def456ghi789jkl0";
const REFUSE: &str = "https://acme.example/r/2?token=abc123def456ghi789jkl0";
const UNSUBSCRIBE: &str = "https://acme.example/u/abc123def456ghi789jkl0";

/// Returns the links of all mails of a question.
fn found(question: &Question) -> Vec<Option<String>> {
    let (approve, refuse) = ((question.approve, APPROVE), (question.refuse, REFUSE));
    let orders = [vec![approve, refuse], vec![refuse, approve], vec![refuse, approve, ("Unsubscribe", UNSUBSCRIBE)]];
    let mails = orders.iter().flat_map(|links| mails(question, links));
    mails.map(|mail| link(question.subject, &mail)).collect()
}

#[test]
fn the_link_that_approves_is_followed() {
    let mut variants = 0;
    for question in questions(CONFIRMATIONS) {
        for link in found(&question) {
            assert_eq!(link.as_deref(), Some(APPROVE), "{} {}", question.subject, question.text);
            variants += 1;
        }
    }
    assert!(variants >= 500);
}

#[test]
fn the_link_that_refuses_is_never_followed() {
    let mut variants = 0;
    for question in questions(CONFIRMATIONS).chain(questions(OTHERS)) {
        for links in [vec![(question.refuse, REFUSE)], vec![("Unsubscribe", UNSUBSCRIBE), (question.refuse, REFUSE)]] {
            for mail in mails(&question, &links) {
                assert_eq!(link(question.subject, &mail), None, "{}", question.refuse);
                variants += 1;
            }
        }
    }
    assert!(variants >= 500);
}

#[test]
fn answers_to_other_questions_are_not_followed() {
    let mut variants = 0;
    for question in questions(OTHERS) {
        for link in found(&question) {
            assert_eq!(link, None, "{} {}", question.subject, question.text);
            variants += 1;
        }
    }
    assert!(variants >= 20);
}
