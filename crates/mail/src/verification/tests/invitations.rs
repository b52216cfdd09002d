//! Links that accept an invitation, whose URL says nothing.

use crate::verification::{VerificationInput, detect};

const URL: &str = "https://acme.example/i/8f3kq2m9x7c4v1b6";

/// A greeting and the label of a link that accepts.
const LABELS: [(&str, &str); 44] = [
    ("Ada invited you to Acme.", "Accept invitation"),
    ("Ada invited you to the workspace.", "Accept the invitation"),
    ("Ada has invited you.", "Accept your invitation"),
    ("Ada has invited you.", "Accept invite"),
    ("Ada hat dich zu Acme eingeladen.", "Einladung annehmen"),
    ("Ada hat Sie eingeladen.", "Einladung akzeptieren"),
    ("Ada hat dich eingeladen.", "Jetzt Einladung annehmen"),
    ("Ada vous invite à rejoindre Acme.", "Accepter l'invitation"),
    ("Ada vous a invité.", "Accepter l’invitation"),
    ("Ada vous a invité.", "Accepter votre invitation"),
    ("Ada te ha invitado a Acme.", "Aceptar invitación"),
    ("Ada te ha invitado.", "Aceptar la invitación"),
    ("Ada te ha invitado.", "Acepta la invitación"),
    ("Ada convidou você.", "Aceitar convite"),
    ("Ada convidou você.", "Aceitar o convite"),
    ("Ada ti ha invitato.", "Accetta l'invito"),
    ("Ada ti ha invitato.", "Accetta invito"),
    ("Ada heeft je uitgenodigd.", "Uitnodiging accepteren"),
    ("Ada heeft je uitgenodigd.", "Accepteer de uitnodiging"),
    ("Ada har inviteret dig.", "Accepter invitation"),
    ("Ada har invitert deg.", "Godta invitasjonen"),
    ("Ada har bjudit in dig.", "Acceptera inbjudan"),
    ("Ada kutsui sinut.", "Hyväksy kutsu"),
    ("Ada zaprosiła Cię.", "Przyjmij zaproszenie"),
    ("Ada zaprosiła Cię.", "Zaakceptuj zaproszenie"),
    ("Ada vás pozvala.", "Přijmout pozvánku"),
    ("Ada vás pozvala.", "Prijať pozvánku"),
    ("Ада приглашает вас.", "Принять приглашение"),
    ("Ада запрошує вас.", "Прийняти запрошення"),
    ("Ada meghívta Önt.", "Meghívás elfogadása"),
    ("Ada te-a invitat.", "Acceptă invitația"),
    ("Η Ada σας προσκάλεσε.", "Αποδοχή πρόσκλησης"),
    ("Ada sizi davet etti.", "Daveti kabul et"),
    ("دعتك آدا.", "قبول الدعوة"),
    ("עדה הזמינה אותך.", "קבלת ההזמנה"),
    ("Ada さんから招待されました。", "招待を承認する"),
    ("Ada さんから招待されました。", "招待を受ける"),
    ("Ada 님이 초대했습니다.", "초대 수락"),
    ("Ada 邀请您加入。", "接受邀请"),
    ("Ada 邀請您加入。", "接受邀請"),
    ("Ada đã mời bạn.", "Chấp nhận lời mời"),
    ("Ada mengundang Anda.", "Terima undangan"),
    ("Ada us ha convidat.", "Accepta la invitació"),
    ("Ada vas je pozvala.", "Prihvati pozivnicu"),
];

#[test]
fn label_that_accepts_an_invitation_is_enough() {
    for (greeting, label) in LABELS {
        let html = format!("<p>{greeting}</p><p><a href='{URL}'>{label}</a></p>");
        let text = format!("{greeting}\n\n{label}:\n{URL}\n");
        for (text, html) in [(None, Some(&*html)), (Some(&*text), None)] {
            let input = VerificationInput { subject: greeting, text, html, from: "no-reply@acme.example" };
            let found = detect(&input).and_then(|found| found.link);
            assert_eq!(found.as_deref(), Some(URL), "{label} {text:?}");
        }
    }
    for label in
        ["Decline invitation", "Einladung ablehnen", "View invitation cards", "Accept cookies", "Accept payment"]
    {
        let html = format!("<p>Ada invited you to the fair.</p><p><a href='{URL}'>{label}</a></p>");
        let input = VerificationInput { subject: "Hello", html: Some(&html), ..Default::default() };
        assert_eq!(detect(&input).and_then(|found| found.link), None, "{label}");
    }
}

#[test]
fn greek_label_that_confirms_is_a_verification_link() {
    for label in [
        "Επιβεβαιώστε το email",
        "Επιβεβαιώστε το email σας",
        "Επιβεβαιώνω το email μου",
        "Επιβεβαιώσετε τη διεύθυνση",
        "Επιβεβαίωση email",
        "Επιβεβαίωσε το email σου",
        "ΕΠΙΒΕΒΑΙΩΣΗ EMAIL",
        "Επιβεβαιωση email",
    ] {
        let html = format!("<p>Γεια σας,</p><p><a href='{URL}'>{label}</a></p>");
        let input = VerificationInput { subject: "Acme", html: Some(&html), from: "no-reply@acme.example", text: None };
        assert_eq!(detect(&input).and_then(|found| found.link).as_deref(), Some(URL), "{label}");
    }
}
