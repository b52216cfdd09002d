//! Numbers as office programs show them, in cells, charts and lists.

use std::borrow::Cow;

/// Decimals of a number.
pub(super) const DECIMALS_MAX: usize = 15;

/// Returns a number without the digits that only the binary form has, and without zeros after the point.
pub(super) fn general(value: &str, number: f64) -> Cow<'_, str> {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let has_exponent = value.contains(['e', 'E']);
    if !number.is_finite() || (digits <= DECIMALS_MAX && (has_exponent || !value.trim().ends_with('0'))) {
        return value.into();
    }
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    format!("{rounded}").into()
}

/// The form of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum NumberForm {
    /// 1, 2, 3. Also in place of forms in words or of other scripts.
    #[default]
    Decimal,
    /// 01, 02, 03.
    Padded,
    /// a, b, c.
    Lower,
    /// A, B, C.
    Upper,
    /// i, ii, iii.
    LowerRoman,
    /// I, II, III.
    UpperRoman,
    /// A bullet.
    Bullet,
    /// Nothing.
    Empty,
}

/// Most letters of a number: `zz` is 52.
const LETTERS_MAX: i64 = 8;
/// The largest Roman number.
const ROMAN_MAX: i64 = 3_999;

const ROMAN: [(i64, &str); 13] = [
    (1_000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

impl NumberForm {
    /// Returns a number in this form.
    pub(crate) fn shown(self, number: i64) -> String {
        match self {
            Self::Decimal => number.to_string(),
            Self::Padded => format!("{number:02}"),
            Self::Lower => letters(number),
            Self::Upper => letters(number).to_uppercase(),
            Self::LowerRoman => roman(number),
            Self::UpperRoman => roman(number).to_uppercase(),
            Self::Bullet => "•".to_owned(),
            Self::Empty => String::new(),
        }
    }
}

/// Office programs repeat the letter after `z`.
fn letters(number: i64) -> String {
    let (index, times) = ((number - 1).rem_euclid(26), (number - 1) / 26 + 1);
    if number < 1 || times > LETTERS_MAX {
        return number.to_string();
    }
    let letter = u8::try_from(index).map_or('a', |index| char::from(b'a' + index));
    std::iter::repeat_n(letter, usize::try_from(times).unwrap_or(1)).collect()
}

fn roman(number: i64) -> String {
    if !(1..=ROMAN_MAX).contains(&number) {
        return number.to_string();
    }
    let (mut left, mut text) = (number, String::new());
    for (value, letters) in ROMAN {
        while left >= value {
            text.push_str(letters);
            left -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_form_of_office_programs() {
        let table = [
            (NumberForm::Decimal, 12, "12"),
            (NumberForm::Padded, 7, "07"),
            (NumberForm::Lower, 1, "a"),
            (NumberForm::Upper, 26, "Z"),
            (NumberForm::Lower, 28, "bb"),
            (NumberForm::Lower, 0, "0"),
            (NumberForm::Lower, i64::MAX, "9223372036854775807"),
            (NumberForm::LowerRoman, 1_994, "mcmxciv"),
            (NumberForm::UpperRoman, 4_000, "4000"),
            (NumberForm::Bullet, 3, "•"),
        ];
        for (form, number, expected) in table {
            assert_eq!(form.shown(number), expected);
        }
    }
}
