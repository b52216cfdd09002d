//! Attributions, separators, header blocks and helpdesk markers of mail clients in many languages. Generated.

use crate::extract::new_text;

const REPLY: &str = "Yes, tomorrow works.\n\nJo";
const HISTORY: &str = "Could you send the report?\nBest, Ann";

fn check(texts: impl IntoIterator<Item = String>) {
    let (mut total, mut wrong) = (0, Vec::new());
    for text in texts {
        total += 1;
        let found = new_text(Some(&text), None).map(|new| new.text).unwrap_or_default();
        if found != REPLY {
            wrong.push(format!("{found:?}: {text:?}"));
        }
    }
    assert!(total >= 20, "{total} variants");
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
}

fn quoted() -> String {
    HISTORY.lines().map(|line| format!("> {line}\n")).collect()
}

/// Labels of the sender, the date, the recipient and the subject.
const BLOCKS: [[&str; 4]; 20] = [
    ["A-berzh:", "Kaset:", "Da:", "Danvez:"],
    ["Da:", "Mandatu :", "À :", "Sughjettu :"],
    ["Oddi wrth:", "Anfonwyd:", "At:", "Pwnc:"],
    ["De:", "Sendita je:", "Al:", "Temo:"],
    ["Kellelt:", "Saadetud:", "Kellele:", "Teema:"],
    ["Nork:", "Bidalita:", "Nori:", "Gaia:"],
    ["Fan:", "Ferstjoerd:", "Oan:", "Underwerp:"],
    ["Ó:", "Seolta:", "Chuig:", "Ábhar:"],
    ["O:", "Air a chur:", "Gu:", "Cuspair:"],
    ["Dende:", "Enviado:", "Para:", "Asunto:"],
    ["Ումից՝", "Ուղարկուած՝", "Ում՝", "Վերնագիր՝"],
    ["ვისგან:", "გაიგზავნა:", "ვის:", "საგანი:"],
    ["Sɣur:", "Yettwazen:", "I:", "Asentel:"],
    ["Kas:", "Nosūtīts:", "Kam:", "Temats:"],
    ["Frå:", "Sendt:", "Til:", "Emne:"],
    ["Nga:", "Dërguar më:", "Për:", "Subjekt:"],
    ["Од:", "Послато:", "Прима:", "Тема:"],
    ["مِن :", "المُرسل:", "إلى :", "الموضوع :"],
    ["থেকে:", "পাঠানো হয়েছে:", "প্রতি:", "বিষয়:"],
    ["से:", "तारीख:", "को:", "सबजेक्ट:"],
];

#[test]
fn header_blocks_of_more_languages_are_cut() {
    check(BLOCKS.map(|[from, date, to, subject]| {
        let block = format!("{from} Ann <ann@a.example>\n{date} 20.11.2026 10:01\n{to} jo@b.example\n{subject} Report");
        format!("{REPLY}\n\n{block}\n\n{HISTORY}\n")
    }));
}

#[test]
fn separators_of_more_languages_and_dashes_are_cut() {
    let words = [
        "Зыходны ліст",
        "Оригинално Писмо",
        "Kemennadenn Orin",
        "Messaghju d’origine",
        "Neges Wreiddiol",
        "Πρωτότυπο μήνυμα",
        "Originala mesaĝo",
        "Correo original",
        "Courriel initial",
        "Orizjineel berjocht",
        "Bunteachtaireacht",
        "Pesan Orisinal",
        "元メール",
        "Originalus tekstas",
        "Sākotnējā ziņa",
        "Original Melding",
        "Opphavleg melding",
        "Özgün İleti",
        "İlk mesaj",
        "Replied Message",
        "Original Message",
    ];
    let dashes = ["--------", "‐‐‐‐‐‐‐‐", "――――――", "————"];
    check(words.iter().flat_map(|words| dashes.map(|dash| format!("{REPLY}\n\n{dash} {words} {dash}\n\n{HISTORY}\n"))));
}

#[test]
fn attributions_of_more_languages_are_cut() {
    let named = [
        "Ann <ann@a.example> كَتَب :",
        "Ann <ann@a.example> піша:",
        "Skrivet eo bet gant Ann <ann@a.example>:",
        "Ann <ann@a.example> hà scrittu :",
        "Ann <ann@a.example> skreau:",
        "Sgrìobh Ann <ann@a.example>:",
        "Ann <ann@a.example> գրել է՝",
        "Ann <ann@a.example> より:",
        "Ann <ann@a.example>이 씀:",
        "Ann <ann@a.example> sporoča:",
        "Ann <ann@a.example>寫到:",
        "2026-11-20 10:01-ին, Ann-ը գրեց.",
        "Ann yozgan kun 2026-11-20 10:01:",
        "Ann 於 2026-11-20 10:01 寫到:",
    ];
    let dated = [
        "20. Nov. 2026, 10:01 von ann@a.example:",
        "Nov 20, 2026, 10:01 by ann@a.example:",
        "20 nov. 2026, 10:01 par ann@a.example :",
        "Вы писали 20 ноября 2026 г., 10:01:22:",
        "Ann Doe ---20.11.2026 10:01:22---Could you send the report?",
        "ուրբ, 20 նոյ, 2026 թ., 10:01 Ann <ann@a.example> գրել է.",
    ];
    let above_quotes = named.iter().chain(&dated).map(|line| format!("{REPLY}\n\n{line}\n{}", quoted()));
    let without_quotes = dated.iter().map(|line| format!("{REPLY}\n\n{line}\n\n{HISTORY}\n"));
    check(above_quotes.chain(without_quotes));
}

#[test]
fn markers_of_helpdesks_in_more_languages_are_cut() {
    let markers = [
        "Antwoordt a.u.b. boven deze lijn",
        "Bitte über dieser Linie antworten",
        "Kérlek, válaszolj e vonal felett",
        "Lütfen bu satırın üstünden cevap verin",
        "Molimo odgovorite iznad ove linije",
        "Odgovori nad to vrstico",
        "Odpovezte prosím nad tento riadok",
        "Odpovězte prosím nad tímto řádkem",
        "Per favore rispondi sopra questa riga",
        "Por favor responda sobre esta línea",
        "Proszę odpowiadać powyżej tej linii",
        "Responeu per sobre d'aquesta línia",
        "Svara ovanför denna rad",
        "Vastaa tämän rivin yläpuolelle",
        "Vennligst svar over denne linjen",
        "Veuillez répondre au-dessus de cette ligne",
        "Vă rugăm să răspundeți deasupra acestei linii.",
        "Будь ласка, відповідайте вище цього рядка",
        "Пожалуйста, пишите ваш ответ выше этой строки",
        "אנא השב מעל קו זה",
        "الرجاء الرد فوق هذا الخط",
        "لطفا بالای این خط پاسخ دهید",
        "この行の上に返信してください",
        "請在此行上方回覆",
        "이 행 위에 회신을 입력하십시오",
    ];
    let forms = |marker: &str| [format!("-- {marker} --"), marker.to_owned(), format!("##- {marker} -##")];
    let marked = markers.iter().flat_map(|marker| forms(marker));
    check(marked.map(|line| format!("{REPLY}\n\n{line}\n\nAnn, Support\n\n{HISTORY}\n")));
}
