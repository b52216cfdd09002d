//! Signs of fonts whose characters are no letters, such as Symbol and Wingdings: office documents name the font and a code.

/// The signs of each font: a line has the font, the first digit of 16 codes in hexadecimal, and their signs. A space stands
/// for none.
const TABLE: &str = include_str!("symbols.txt");
/// The private characters that stand for the codes of such a font.
const PRIVATE: std::ops::RangeInclusive<u32> = 0xf000..=0xf0ff;

/// The fonts of the table.
const FONTS: [&str; 4] = ["symbol", "wingdings", "wingdings2", "webdings"];

/// A font whose characters are no letters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymbolFont(&'static str);

impl SymbolFont {
    /// Returns a font by its name; `None` if its characters are letters, or its signs aren't known.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let is_it = |font: &&&str| {
            let letters = name.chars().filter(char::is_ascii_alphanumeric);
            letters.map(|c| c.to_ascii_lowercase()).eq(font.chars())
        };
        FONTS.iter().find(is_it).map(|font| Self(font))
    }

    /// Returns the sign of a code, or of the private character that stands for it.
    pub(crate) fn sign(self, code: u32) -> Option<char> {
        let code = if PRIVATE.contains(&code) { code - PRIVATE.start() } else { code };
        if code == u32::from(b' ') {
            return Some(' ');
        }
        let digit = char::from_digit(code / 16, 16)?.to_ascii_uppercase();
        let row =
            |line: &'static str| line.strip_prefix(self.0)?.strip_prefix(' ')?.strip_prefix(digit)?.strip_prefix('\t');
        let signs = TABLE.lines().find_map(row)?;
        signs.chars().nth(code as usize % 16).filter(|sign| *sign != ' ')
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
            ("Symbol", u32::MAX, None),
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
