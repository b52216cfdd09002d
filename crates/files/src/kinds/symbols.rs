//! Signs of fonts whose characters are no letters, such as Symbol and Wingdings: office documents name the font and a code.

use std::{collections::HashMap, rc::Rc};

/// The signs of each font: a line has the font, the first digit of 16 codes in hexadecimal, and their signs. A space stands
/// for none.
const TABLE: &str = include_str!("symbols.txt");
/// The private characters that stand for the codes of such a font.
const PRIVATE: std::ops::RangeInclusive<u32> = 0xf000..=0xf0ff;

/// The signs of a font by their codes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolFont(Rc<HashMap<u8, char>>);

impl SymbolFont {
    /// Returns the signs of a font; `None` if its characters are letters, or its signs aren't known.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let letters = |c: &char| c.is_ascii_alphanumeric();
        let wanted: String = name.chars().filter(letters).collect::<String>().to_ascii_lowercase();
        let mut signs = HashMap::new();
        for (place, row) in TABLE.lines().filter_map(|line| line.split_once('\t')) {
            let Some((font, digit)) = place.split_once(' ') else { continue };
            let Ok(digit) = u8::from_str_radix(digit, 16) else { continue };
            if font == wanted {
                let codes = digit * 16..=digit * 16 + 15;
                signs.extend(codes.zip(row.chars()).filter(|(_, sign)| *sign != ' '));
            }
        }
        (!signs.is_empty()).then(|| Self(Rc::new(signs)))
    }

    /// Returns the sign of a code, or of the private character that stands for it.
    pub(crate) fn sign(&self, code: u32) -> Option<char> {
        let code = if PRIVATE.contains(&code) { code - PRIVATE.start() } else { code };
        if code == u32::from(b' ') {
            return Some(' ');
        }
        self.0.get(&u8::try_from(code).ok()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_have_the_characters_that_look_like_them() {
        let table = [
            ("Wingdings", 0xf0fe, Some('☑')),
            ("wingdings", 0xfc, Some('✓')),
            ("Wingdings", 0xf0a8, Some('☐')),
            ("Wingdings", 0xf0e0, Some('→')),
            ("Wingdings", 0x20, Some(' ')),
            ("Wingdings", 0x27, None),
            ("Wingdings 2", 0xf052, Some('☑')),
            ("Webdings", 0x61, Some('✓')),
            ("Symbol", 0xf061, Some('α')),
            ("Symbol", 0x41, Some('Α')),
            ("Symbol", 0xb7, Some('•')),
            ("Symbol", 0xfe, Some('⎭')),
            ("Symbol", 0x1f4a9, None),
        ];
        for (font, code, sign) in table {
            assert_eq!(SymbolFont::named(font).and_then(|font| font.sign(code)), sign, "{font} {code:x}");
        }
        for font in ["Arial", "", "Segoe UI Symbol"] {
            assert!(SymbolFont::named(font).is_none(), "{font}");
        }
    }

    #[test]
    fn each_row_has_sixteen_codes() {
        for line in TABLE.lines() {
            let row = line.split_once('\t').map_or("", |(_, row)| row);
            assert!((1..=16).contains(&row.chars().count()), "{line}");
        }
    }
}
