//! Whether a quote holds a value: a word by its letters, a number by its digits, a date by its day, month and year. Pure.

use serde_json::Value;

use super::{SearchedText, currencies};

/// Decimals of a number in a quote.
const DIGITS_MAX: usize = 60;

/// The names of each month, in lower case. The first three letters of a name, or more, stand for it.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner", "janvier", "enero", "gennaio", "janeiro", "januari", "styczeń", "stycznia"],
    &["february", "februar", "février", "febrero", "febbraio", "fevereiro", "februari", "luty", "lutego"],
    &["march", "märz", "mars", "marzo", "março", "maart", "mrt", "marzec", "marca"],
    &["april", "avril", "abril", "aprile", "kwiecień", "kwietnia"],
    &["may", "mai", "mayo", "maggio", "maio", "mei", "maj", "maja"],
    &["june", "juni", "juin", "junio", "giugno", "junho", "czerwiec", "czerwca"],
    &["july", "juli", "juillet", "julio", "luglio", "julho", "lipiec", "lipca"],
    &["august", "août", "agosto", "augustus", "augusti", "sierpień", "sierpnia"],
    &["september", "septembre", "septiembre", "settembre", "setembro", "wrzesień", "września"],
    &["october", "oktober", "octobre", "octubre", "ottobre", "outubro", "październik", "października"],
    &["november", "novembre", "noviembre", "novembro", "listopad", "listopada"],
    &["december", "dezember", "décembre", "diciembre", "dicembre", "dezembro", "grudzień", "grudnia"],
];

/// Eras of Japan, with the year before their first one.
const ERAS: [(&str, u32); 3] = [("令和", 2018), ("平成", 1988), ("昭和", 1925)];

/// Returns whether a quote holds a value.
pub(super) fn holds(quote: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let quote_text = SearchedText::new(quote);
            let is_there = |words: &str| quote_text.find(words, 0).is_some();
            is_there(text)
                || currencies::signs(text).iter().any(|sign| is_there(sign))
                || Date::parse(text).is_some_and(|date| date.is_in(quote))
        }
        Value::Number(number) => {
            let wanted = canonical_number(&number.to_string());
            wanted.is_some_and(|wanted| numbers(quote).contains(&wanted))
        }
        // Words that mean yes or no are anything.
        Value::Bool(_) => true,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns the digits of a number without those that change nothing: `1250.5` for `-1250.50` and `1.2505e3`.
fn canonical_number(text: &str) -> Option<String> {
    let text = text.trim_start_matches('-').to_ascii_lowercase();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().ok().filter(|exponent: &i32| exponent.unsigned_abs() <= 60)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    Some(canonical(whole, fraction, exponent))
}

/// Returns a number of these digits, times a power of ten.
fn canonical(whole: &str, fraction: &str, exponent: i32) -> String {
    let mut digits = format!("{whole}{fraction}");
    let point = i32::try_from(whole.len()).unwrap_or(i32::MAX).saturating_add(exponent);
    let missing = usize::try_from(-point).unwrap_or(0);
    digits.insert_str(0, &"0".repeat(missing));
    let point = usize::try_from(point).unwrap_or(0);
    if digits.len() < point {
        digits.push_str(&"0".repeat(point - digits.len()));
    }
    let (whole, fraction) = digits.split_at(point);
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    format!("{whole}.{fraction}")
}

/// Returns the numbers of a text in each way that it can be read: `1.250` is a thousand and more, or one and a quarter.
fn numbers(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().map(plain_digit).collect();
    let mut found = Vec::new();
    for separators in [".,'\u{2019}\u{66b}\u{66c}", ".,'\u{2019}\u{66b}\u{66c} \u{a0}\u{2009}\u{202f}"] {
        let mut at = 0;
        while at < chars.len() {
            if !chars[at].is_ascii_digit() {
                at += 1;
                continue;
            }
            let start = at;
            while at < chars.len() && continues(&chars, at, separators) {
                at += 1;
            }
            let is_percent = chars[at..].iter().find(|c| !c.is_whitespace()).is_some_and(|c| matches!(c, '%' | '٪'));
            if at - start <= DIGITS_MAX {
                readings(&chars[start..at], is_percent, &mut found);
            }
        }
    }
    found
}

/// Returns whether a character is a digit of a number, or a separator within it.
fn continues(chars: &[char], at: usize, separators: &str) -> bool {
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    is_digit(at) || (separators.contains(chars[at]) && is_digit(at + 1))
}

/// Adds what a number with separators can mean.
fn readings(number: &[char], is_percent: bool, found: &mut Vec<String>) {
    let groups: Vec<String> =
        number.split(|c| !c.is_ascii_digit()).map(|group| group.iter().collect::<String>()).collect();
    let separators: Vec<char> = number.iter().copied().filter(|c| !c.is_ascii_digit()).collect();
    let mut add = |whole: &str, fraction: &str| {
        found.push(canonical(whole, fraction, 0));
        found.extend(is_percent.then(|| canonical(whole, fraction, -2)));
    };
    // Groups are of three digits, or of two before the last (Indian).
    let are_groups = |groups: &[String]| match groups {
        [] | [_] => true,
        [first, middle @ .., last] => {
            (1..=3).contains(&first.len()) && last.len() == 3 && middle.iter().all(|group| matches!(group.len(), 2 | 3))
        }
    };
    let is_uniform = |separators: &[char]| separators.windows(2).all(|pair| pair[0] == pair[1]);
    if are_groups(&groups) && is_uniform(&separators) {
        add(&groups.concat(), "");
    }
    if let ([whole @ .., fraction], [before @ .., point]) = (&*groups, &*separators)
        && matches!(point, '.' | ',' | '\'' | '\u{66b}')
        && !before.contains(point)
        && are_groups(whole)
        && is_uniform(before)
    {
        add(&whole.concat(), fraction);
    }
}

/// Returns the ASCII digit of a digit of Arabic, Persian, Hindi or full width, and other characters as they are.
fn plain_digit(c: char) -> char {
    let zero = [0x660, 0x6f0, 0x966, 0xff10].into_iter().find(|zero| (*zero..*zero + 10).contains(&u32::from(c)));
    zero.and_then(|zero| char::from_digit(u32::from(c) - zero, 10)).unwrap_or(c)
}

/// A day.
#[derive(Clone, Copy)]
struct Date {
    year: u32,
    month: u32,
    day: u32,
}

impl Date {
    /// Parses `YYYY-MM-DD`, with or without a time.
    fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.trim().split_at_checked(10)?;
        let mut parts = date.split('-').map(|part| part.parse::<u32>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let is_date = date.len() == 10 && (1..=12).contains(&month) && (1..=31).contains(&day);
        (is_date && (time.is_empty() || time.starts_with(['T', ' ']))).then_some(Self { year, month, day })
    }

    /// Returns whether a text has day, month and year in any order, each by a number or name of its own.
    fn is_in(self, text: &str) -> bool {
        let Self { year, month, day } = self;
        let plain: String = text.chars().map(plain_digit).flat_map(char::to_lowercase).collect();
        let mut numbers: Vec<&str> = plain.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
        let compact = [format!("{year:04}{month:02}{day:02}"), format!("{day:02}{month:02}{year:04}")];
        if numbers.iter().any(|run| compact.iter().any(|known| known == run)) {
            return true;
        }
        let mut take = |is_wanted: &dyn Fn(&str) -> bool| {
            let at = numbers.iter().position(|run| is_wanted(run));
            at.map(|at| numbers.remove(at)).is_some()
        };
        let is = |run: &str, number: u32| run.len() <= 2 && run.parse() == Ok(number);
        let full = format!("{year:04}");
        let of_era = year_of_era(&plain, year);
        let names = MONTHS[month as usize - 1];
        let is_month = |word: &str| word.chars().count() >= 3 && names.iter().any(|name| name.starts_with(word));
        let is_named = plain.split(|c: char| !c.is_alphabetic()).any(is_month);
        let is_of_era = of_era.is_some_and(|in_era| in_era.is_empty() || take(&|run| run == in_era));
        (is_of_era || take(&|run| run == full) || take(&|run| run.len() == 2 && full.ends_with(run)))
            && take(&|run| is(run, day))
            && (is_named || take(&|run| is(run, month)))
    }
}

/// Returns the digits of a year in an era of Japan, if a text has the year so; none for the first year, `元`.
fn year_of_era(text: &str, year: u32) -> Option<&str> {
    ERAS.iter().find_map(|(era, before)| {
        let rest = text.split_once(era)?.1.trim_start();
        if rest.starts_with('元') {
            return (before + 1 == year).then_some("");
        }
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        let in_era: u32 = digits.parse().ok()?;
        (before.checked_add(in_era) == Some(year)).then_some(digits)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_is_held_in_any_notation() {
        for (value, quotes) in [
            (
                json!(1250.5),
                &[
                    "1,250.50",
                    "1.250,50",
                    "1 250,50",
                    "1\u{202f}250,5",
                    "1'250.50",
                    "1250.5",
                    "Total: EUR 1.250,50.",
                    "-1250,50",
                ][..],
            ),
            (json!(1250), &["1,250", "1.250", "1 250 EUR", "1250", "1,250.00", "1250,-", "١٢٥٠", "１２５０"]),
            (json!(-12.5), &["-12.50", "(12,50)", "12.5-"]),
            (json!(1_234_567.89), &["1,234,567.89", "1.234.567,89", "12,34,567.89", "1 234 567,89"]),
            (json!(0.19), &["19 %", "19%", "0.19", "0,19"]),
            (json!(19), &["19 %", "MwSt. 19,00 %"]),
            (json!(1e21), &["1000000000000000000000"]),
            (json!(4), &["4", "Pos 4 Qty 3"]),
        ] {
            for quote in quotes {
                assert!(holds(quote, &value), "{value} in {quote}");
            }
        }
        for (value, quote) in [
            (json!(987_654.32), "page"),
            (json!(987_654.32), "987,654.23"),
            (json!(12), "12.50"),
            (json!(12), "112"),
            (json!(250), "1,250"),
            (json!(1250.5), "1,250.05"),
            (json!(125.05), "1250.5"),
            (json!(1213), "12 13"),
            (json!(12.3), "1.2.3"),
            (json!(0), "page"),
        ] {
            assert!(!holds(quote, &value), "{value} in {quote}");
        }
    }

    #[test]
    fn a_date_is_held_in_any_order() {
        let value = json!("2026-03-04");
        for quote in [
            "2026-03-04",
            "04.03.2026",
            "4.3.2026",
            "3/4/2026",
            "4/3/26",
            "04-03-26",
            "March 4, 2026",
            "4th March 2026",
            "4 Mar. 2026",
            "4. März 2026",
            "4 mars 2026",
            "4 de marzo de 2026",
            "4 marzo 2026",
            "4 maart 2026",
            "4 mrt 2026",
            "2026年3月4日",
            "令和8年3月4日",
            "支払期限：令和 ８ 年 3 月 4 日",
            "20260304",
            "04032026",
            "Due: 2026/03/04 12:00",
            "MARCH 4 2026",
        ] {
            assert!(holds(quote, &value), "{quote}");
        }
        for quote in
            ["page", "2026-04-05", "March 2026", "4 April 2026", "03/2026", "4.3.2025", "Marble 4 2026", "2026 4"]
        {
            assert!(!holds(quote, &value), "{quote}");
        }
        assert!(!holds("4/2026", &json!("2026-04-04")), "one number isn't both day and month");
        for (quote, value, is_held) in [
            ("令和元年5月1日", "2019-05-01", true),
            ("平成31年4月30日", "2019-04-30", true),
            ("昭和64年1月7日", "1989-01-07", true),
            ("令和7年3月4日", "2026-03-04", false),
            ("令和8年8月1日", "2026-08-08", false),
            ("令和8年", "2026-08-08", false),
        ] {
            assert_eq!(holds(quote, &json!(value)), is_held, "{quote}");
        }
    }

    #[test]
    fn words_are_held_without_regard_to_case_and_space() {
        for (value, quote, is_held) in [
            ("acme gmbh", "From: ACME  GmbH", true),
            ("DE89370400440532013000", "IBAN DE89 3704 0044 0532 0130 00", true),
            ("acme", "page", false),
            ("cat", "scatter", false),
            ("EUR", "12 EUR", true),
            ("EUR", "Total 12,00 €", true),
            ("JPY", "合計 ¥63,740", true),
            ("JPY", "63,740円", true),
            ("PLN", "1 230,00 zł", true),
            ("USD", "$12.00", true),
            ("EUR", "$12.00", false),
            ("SEK", "12 krona", false),
            ("2026-99-99", "99 99 2026", false),
        ] {
            assert_eq!(holds(quote, &json!(value)), is_held, "{value} in {quote}");
        }
        assert!(holds("yes", &json!(true)) && !holds("yes", &Value::Null));
    }
}
