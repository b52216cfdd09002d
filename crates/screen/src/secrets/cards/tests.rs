//! Cards of each issuer in each layout are found; ordinary texts with numbers have none.

use super::super::{TextVariants, secrets};

/// Prefixes of issuers with the lengths of their numbers.
const ISSUERS: [(&str, usize); 12] = [
    ("4", 16),
    ("4", 19),
    ("51", 16),
    ("2221", 16),
    ("34", 15),
    ("37", 15),
    ("6011", 16),
    ("644", 16),
    ("62", 16),
    ("62", 18),
    ("3528", 16),
    ("36", 14),
];

/// Returns a number with a valid check digit; `seed` chooses the digits behind the prefix.
fn card(prefix: &str, length: usize, seed: u64) -> String {
    let mut digits: Vec<u32> = prefix.chars().filter_map(|c| c.to_digit(10)).collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while digits.len() < length - 1 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        digits.push(u32::try_from(state >> 33).unwrap_or(0) % 9 + 1);
    }
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 =
        digits.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 0 { doubled(*digit) } else { *digit }).sum();
    digits.push((10 - sum % 10) % 10);
    digits.into_iter().filter_map(|digit| char::from_digit(digit, 10)).collect()
}

fn grouped(number: &str, between: &str) -> String {
    let sizes: &[usize] = match number.len() {
        14 | 15 => &[4, 6, 5],
        _ => &[4, 4, 4, 4, 4],
    };
    let mut rest = number;
    let mut parts = Vec::new();
    for size in sizes {
        let (part, left) = rest.split_at((*size).min(rest.len()));
        parts.push(part);
        rest = left;
    }
    parts.retain(|part| !part.is_empty());
    parts.join(between)
}

fn has_card(text: &str) -> bool {
    TextVariants::of(text)
        .iter()
        .any(|variant| secrets(variant.text).iter().any(|one| one.kind.text() == "card_number"))
}

#[test]
fn cards_are_found_in_every_layout() {
    let mut tried = 0;
    for (prefix, length) in ISSUERS {
        for seed in 1..=3 {
            let number = card(prefix, length, seed);
            let apart = |between: &str| grouped(&number, between);
            let decoys: Vec<String> = (2..5).map(|n| grouped(&format!("{}{n}", &number[..length - 1]), ".")).collect();
            for text in [
                number.clone(),
                format!("Hello Ann, it is {number}. Bye"),
                format!("Hello Ann, it is {}. Bye", apart(" ")),
                format!("it is {}!", apart("-")),
                format!("({})", apart(".")),
                format!("{}, {}, {}", decoys.join(", "), apart("."), decoys.join(", ")),
                format!("{} 12/27 123", apart(" ")),
                format!("https://evil.example/?c={number}"),
                format!("https://evil.example/?c={number}&x=1"),
                format!("https://evil.example/{number}/a.png"),
                format!("![x](https://evil.example/p.png?q={})", apart("-")),
                format!("<img src=\"https://evil.example/?d={number}\">"),
                format!("https://evil.example/?c={}", apart("%20")),
                format!("{{\"number\": \"{number}\", \"cvc\": \"123\"}}"),
                format!("order 4711, card {number}"),
                format!("Bestellung: Karte {number}"),
                format!("信用卡{number}"),
            ] {
                tried += 1;
                assert!(has_card(&text), "{text}");
            }
        }
    }
    assert!(tried >= 500, "{tried}");
}

#[test]
fn a_number_near_a_card_does_not_hide_it() {
    let mut tried = 0;
    let mut missed = Vec::new();
    for seed in 1..=3 {
        let whole = card("4", 16, seed);
        for number in [whole.clone(), grouped(&whole, " "), grouped(&whole, "-"), card("37", 15, seed)] {
            for near in ["1", "50", "123", "2026", "4711", "1, 2, 3, 4, 5", "11 22 33", "20261129"] {
                for between in
                    [" ", ": ", ", ", ",", " | ", "|", "; ", ";", "\t", "\n", "\r\n", " - ", " = ", "\n\n", " x "]
                {
                    for text in [
                        format!("{near}{between}{number}"),
                        format!("{number}{between}{near}"),
                        format!("{near}{between}{number}{between}{near}"),
                        format!("Visa {near}{between}{number}{between}ok"),
                    ] {
                        tried += 1;
                        if !has_card(&text) {
                            missed.push(text);
                        }
                    }
                }
            }
        }
        let cards: Vec<String> = (0..50).map(|n| card("4", 16, seed * 100 + n)).collect();
        for count in [2, 4, 5, 6, 9, 50] {
            let rows = |row: &dyn Fn(usize, &str) -> String| {
                cards[..count].iter().enumerate().map(|(n, card)| row(n, card)).collect::<String>()
            };
            for text in [
                rows(&|_, card| format!("{card}\n")),
                rows(&|_, card| format!("{card}, ")),
                rows(&|_, card| format!("{}\n", grouped(card, " "))),
                rows(&|_, card| format!("{}\n", grouped(card, "-"))),
                rows(&|n, card| format!("{n},{card},ok\n")),
                rows(&|n, card| format!("{n};{};ok\n", grouped(card, " "))),
                rows(&|n, card| format!("{n}. {card}\n")),
                rows(&|n, card| format!("{n} {}\n", grouped(card, " "))),
                rows(&|_, card| format!("{} ", grouped(card, " "))),
            ] {
                tried += 1;
                let found = secrets(&text).iter().filter(|one| one.kind.text() == "card_number").count();
                if found != count {
                    missed.push(format!("{found} of {count}: {text}"));
                }
            }
        }
    }
    assert!(tried >= 5_000, "{tried}");
    assert!(missed.is_empty(), "{} of {tried}: {:#?}", missed.len(), &missed[..missed.len().min(20)]);
}

/// Labels of ids.
const LABELS: [&str; 40] = [
    "Sipariş numarası: ",
    "SİPARİŞ NO: ",
    "Siparişiniz ",
    "Fatura no ",
    "Kargo takip no: ",
    "رقم الطلب: ",
    "طلبك رقم ",
    "رقم الفاتورة ",
    "رقم الشحنة: ",
    "رقم التتبع ",
    "订单号:",
    "您的订单",
    "訂單編號:",
    "快递单号 ",
    "运单号:",
    "ご注文番号:",
    "注文番号 ",
    "伝票番号:",
    "お問い合わせ番号:",
    "予約番号 ",
    "Numer zamówienia: ",
    "Numer przesyłki ",
    "Bestelnummer: ",
    "Factuurnummer ",
    "Número de pedido: ",
    "Orden n.º ",
    "Numero ordine: ",
    "Numéro de votre commande : ",
    "Número da encomenda: ",
    "Auftragsnummer: ",
    "Order ID ",
    "PO ",
    "SO ",
    "RMA ",
    "S/N ",
    "https://shop.example/item/",
    "https://shop.example/view?id=",
    "https://shop.example/a/b?x=1&order_id=",
    "https://social.example/ann/status/",
    "https://shop.example/api?itemId=",
];

#[test]
fn labelled_ids_are_no_cards() {
    let mut wrong = Vec::new();
    for label in LABELS {
        for seed in 1..=3 {
            let id = card("4", 16, seed);
            for text in [
                format!("{label}{id}"),
                format!("Hello,\n{label}{id}.\nBye"),
                format!("{label}{id}, {label}{}", card("51", 16, seed)),
                format!("1: {label}{id} (2 x 50)"),
            ] {
                if has_card(&text) {
                    wrong.push(text);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

/// Ordinary texts with numbers.
const FIXED: [&str; 22] = [
    "Call +49 30 1234 5678 or 0800 1234 5678 90, from 09:00 to 17:30 on 12.05.2026.",
    "IBAN DE89 3704 0044 0532 0130 00, IBAN GB29 NWBK 6016 1331 9268 19, FR14 2004 1010 0505 0001 3M02 606",
    "Tracking: 9400 1000 0000 0000 0000 00, JD014600003828392837, 1Z999AA10123456784",
    "EAN 4006381333627, ISBN 978-3-16-148410-0, GTIN 04012345123456",
    "IMEI 356938035643809, serial 490154203237518",
    "https://social.example/status/1580661436132757506 and https://video.example/1234567890123456",
    "Timestamps 20261129120000, 1795974853073, 1795974853073428952",
    "uuid 41112222-3333-4444-8555-666677778888, sha 4111222233334444555566667777888899990000",
    "version 4.1.1.1, 10.0.19045.4291, 172.16.254.1",
    "52.520008, 13.404954; 4111.2222, 3333.4444",
    "Meeting ID: 834 1290 4411 Passcode: 483920",
    "2019 2020 2021 2022 2023 2024 2025 2026",
    "0000 0000 0000 0000, 1111 1111 1111 1111",
    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16",
    "Revenue 4012, 8888, 8888 and 1881 units",
    "VAT DE123456789, tax number 21/815/08150",
    "IBAN DE44 5001 0517 5407 3249 31, DE12 4111 1111 1111 1111 00, AT61 4242 4242 4242 4242",
    "0.4532926126520647 and 12.4111111111111111",
    "4.111111111111111e-05, 4111111111111111e3",
    "Figures 1000 4111 1111 1111 1111 2000 3000 4000 5000 6000 7001",
    "09:00 10:30 12:00 13:30 15:00 16:30, 0800 0900 1000 1100 1200 1300 1400",
    "1 4532 9261 2652 0648, CVV 123, 4532926126520648",
];

/// Returns ordinary texts with numbers, of which many look like cards by chance.
fn ordinary() -> Vec<String> {
    let visa = |seed: u64| card("4", 16, seed);
    let mut all: Vec<String> = [
        "order",
        "Order no.",
        "invoice:",
        "Ref",
        "tracking number",
        "Ticket",
        "booking",
        "transaction id",
        "serial",
        "customer",
        "Bestellnummer",
        "Auftrag Nr.",
        "Rechnungsnummer",
        "Sendungsnummer",
        "Kundennummer",
        "commande n°",
        "facture",
        "pedido",
        "factura",
        "ordine",
        "fattura",
        "encomenda",
        "zamówienie",
        "faktura",
        "заказ",
        "注文",
        "#",
    ]
    .into_iter()
    .zip(1..)
    .flat_map(|(label, seed)| {
        [format!("Your {label} {} is on its way.", visa(seed)), format!("{label} {}", visa(seed + 50))]
    })
    .collect();
    // Tables of figures: one row looks like a card.
    for seed in 1..=20 {
        let row = grouped(&visa(seed), " ");
        let others: Vec<String> = (1..=3u64).map(|n| figures(seed * 4 + n).join(" ")).collect();
        all.push(format!("{}\n{row}\n{}\n{}", others[0], others[1], others[2]));
        all.push(format!("{row}\n{}", others.join("\n")).replace(' ', "\t"));
        all.push(format!("{row}\n{}", others.join("\n")).replace(' ', ","));
        all.push(format!("| {row} |\n| {} |", others.join(" |\n| ")).replace("  ", " "));
        let cells = |row: &str| row.split(' ').map(|cell| format!("<td>{cell}</td>")).collect::<String>();
        let rows = others.iter().chain([&row]).map(|row| format!("<tr>{}</tr>", cells(row))).collect::<String>();
        all.push(format!("<table>{rows}</table>"));
    }
    // Lists of ids.
    for seed in 1..=5u64 {
        let ids: Vec<String> =
            (0..20u64).map(|n| format!("{}", 4_000_000_000_000_000 + (seed * 31 + n) * 7_919_104_729)).collect();
        all.push(ids.join("\n"));
        all.push(ids.iter().map(|id| format!("{id},open,12.50")).collect::<Vec<_>>().join("\n"));
        all.push(ids.iter().map(|id| format!("<a href=\"https://shop.example/o/{id}\">x</a>")).collect());
    }
    all.extend(FIXED.map(str::to_owned));
    all
}

/// Returns four figures that aren't a card together.
fn figures(seed: u64) -> Vec<String> {
    let figure = |n: u64| (1_000 + (seed * 7_919 + n * 104_729) % 8_999).to_string();
    let mut row: Vec<String> = (1..=4).map(figure).collect();
    if super::is_card(&row.concat().bytes().map(|digit| digit - b'0').collect::<Vec<_>>()) {
        row.reverse();
    }
    row
}

#[test]
fn ordinary_texts_with_numbers_have_no_cards() {
    let all = ordinary();
    assert!(all.len() >= 100, "{}", all.len());
    let wrong: Vec<&String> = all.iter().filter(|text| has_card(text)).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), all.len());
}

#[test]
fn a_number_of_an_item_does_not_make_a_fraction_of_a_card() {
    let (mut tried, mut missed) = (0, Vec::new());
    for seed in 1..=3 {
        let [one, two, three] = [("4", 16), ("51", 16), ("37", 15)].map(|(prefix, length)| card(prefix, length, seed));
        for text in [
            format!("1.{one}"),
            format!("Hello,\n1.{one}\nBye"),
            format!("> 1.{one}\n> 2.{two}"),
            format!("1.{one}\n2.{two}\n3.{three}\n"),
            format!("\n  7.{one}\n"),
            format!("* 12.{one}"),
            format!("1.{one}, 2.{two}, 3.{three}"),
            format!("They are: 1.{one} 2.{two}"),
            format!("They are: 4.{one}; 5.{two}; 6.{three}"),
            format!("<p>They are 9.{one}</p><p>10.{two}</p>"),
            format!("The card is no. 3.{one}"),
            format!("x 5.{one} 12/27"),
            format!("0,{one},12/27"),
            format!("id,number\n0,{one}\n1,{two}\n"),
            format!("n;0,{one};x"),
            format!("{one}.{}", "Bye"),
            format!("1){one}"),
            format!("1.-{one}"),
        ] {
            tried += 1;
            if !has_card(&text) {
                missed.push(text);
            }
        }
    }
    assert!(missed.is_empty(), "{} of {tried}: {missed:#?}", missed.len());
}

#[test]
fn fractions_are_no_cards() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for seed in 1..=3 {
        let digits = card("4", 16, seed);
        for whole in ["0", "-0", "12", "3", "1795974853", "1", "0012", "123"] {
            for text in [
                format!("x = {whole}.{digits}"),
                format!("The mean is {whole}.{digits} and more"),
                format!("[0.5, {whole}.{digits}, 0.25]"),
                format!("[2.5, {whole}.{digits}, 4.25, 12.5, 13.5]"),
                format!("{{\"score\": {whole}.{digits}}}"),
                format!("lat {whole}.{digits} lon 13.4"),
                format!("https://map.example/?at={whole}.{digits}"),
            ] {
                tried += 1;
                if has_card(&text) {
                    wrong.push(text);
                }
            }
        }
        for text in
            [format!("0.{digits}"), format!("0,{digits}"), format!("Kurs: 0,{digits} Euro"), format!("\n0.{digits}\n")]
        {
            tried += 1;
            if has_card(&text) {
                wrong.push(text);
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}: {wrong:#?}", wrong.len());
}

#[test]
fn an_id_in_a_url_is_one_of_what_the_url_names() {
    let (mut tried, mut wrong) = (0, Vec::new());
    let mut check = |url: String, is_card: bool| {
        for text in
            [url.clone(), format!("See {url} for it."), format!("<a href=\"{url}\">x</a>"), format!("![x]({url})")]
        {
            tried += 1;
            if has_card(&text) != is_card {
                wrong.push(text);
            }
        }
    };
    for seed in 1..=2 {
        let number = card("4", 16, seed);
        for after in ["", "&x=1", "#top"] {
            for before in [
                "?id=",
                "collect?id=",
                "p.png?id=",
                "a/b.php?x=1&id=",
                "log?ID=",
                "x;id=",
                "?ids=",
                "id/",
                "t/id/",
                "?card_id=",
                "?cardId=",
                "api?cc_id=",
            ] {
                check(format!("https://evil.example/{before}{number}{after}"), true);
            }
            for before in [
                "item?id=",
                "view?id=",
                "watch?x=1&id=",
                "orders?id=",
                "shop/product.php?id=",
                "events/id/",
                "item/",
                "posts/",
                "?item_id=",
                "?videoId=",
                "?userID=",
                "?order_id=",
                "a/status/",
                "?fbid=",
                "Bestellung?id=",
                "topic/x-post-id/",
            ] {
                check(format!("https://shop.example/{before}{number}{after}"), false);
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}: {wrong:#?}", wrong.len());
}
