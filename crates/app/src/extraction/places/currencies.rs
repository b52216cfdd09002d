//! The signs of currencies, which documents have in place of their codes (ISO 4217).

/// The signs of each currency. Some currencies share one.
const SIGNS: [(&str, &[&str]); 26] = [
    ("AUD", &["A$", "$"]),
    ("BRL", &["R$"]),
    ("CAD", &["C$", "$"]),
    ("CHF", &["SFr.", "Fr."]),
    ("CNY", &["¥", "￥", "元"]),
    ("CZK", &["Kč"]),
    ("DKK", &["kr.", "kr"]),
    ("EUR", &["€"]),
    ("GBP", &["£"]),
    ("HKD", &["HK$", "$"]),
    ("HUF", &["Ft"]),
    ("ILS", &["₪"]),
    ("INR", &["₹", "Rs."]),
    ("JPY", &["¥", "￥", "円"]),
    ("KRW", &["₩", "원"]),
    ("MXN", &["MX$", "$"]),
    ("NOK", &["kr"]),
    ("NZD", &["NZ$", "$"]),
    ("PLN", &["zł"]),
    ("RUB", &["₽"]),
    ("SEK", &["kr"]),
    ("SGD", &["S$", "$"]),
    ("THB", &["฿"]),
    ("TRY", &["₺"]),
    ("UAH", &["₴"]),
    ("USD", &["US$", "$"]),
];

/// Returns the signs of a currency by its code; none if the text is no such code.
pub(super) fn signs(code: &str) -> &'static [&'static str] {
    SIGNS.iter().find(|(known, _)| *known == code).map_or(&[], |(_, signs)| signs)
}
