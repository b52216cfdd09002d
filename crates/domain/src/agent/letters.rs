//! Letters that people read as a letter from A to Z, and that neither Unicode's compatible form (NFKC) nor its list of
//! confusable characters (UTS #39) turns into it. Pure.

/// Letters from A to Z and characters that are read as them.
struct LetterTable(&'static [(char, &'static str)]);

impl LetterTable {
    fn letter(&self, c: char) -> Option<char> {
        self.0.iter().find(|(_, forms)| forms.contains(c)).map(|(letter, _)| *letter)
    }
}

/// What stands for a sign of a trademark, which NFKC would join to the word before it.
const BREAK: char = ' ';

/// Latin letters whose Unicode name is that of a plain letter "WITH" a stroke, hook or tail, or of a small capital, turned
/// or open form of one, as far as they have no decomposition.
const VARIANTS: LetterTable = LetterTable(&[
    ('a', "ȺɐᴀᶏⱥⱯ"),
    ('b', "ƀƁƂƃɃɓʙᴃᵬᶀꞖꞗ"),
    ('c', "ƇƈȻȼɕᴄↄꜾꜿꞒꞓꞔꟄ𝼝"),
    ('d', "ĐđƊƋƌȡɖɗᴅᵭᶁᶑꝹꝺꟇꟈ"),
    ('e', "ƎƐǝɆɇɘɛɜɝʚᴇᴈᶒᶓᶔⱸⱻꞫꬲꬳꬴ"),
    ('f', "ƑƒᵮᶂꜰꝻꝼꞘꞙ"),
    ('g', "ƓǤǥɠɡɢʛᵷᵹᶃꝽꞠꞡꞬꬶ𝼂"),
    ('h', "ĦħɥɦʜʮʯⱧⱨꞍꞕꞪ"),
    ('i', "ıƗɨɪᴉᶖ𝼚"),
    ('j', "ȷɈɉɟʄʝᴊꞲ"),
    ('k', "ƘƙʞᴋᶄⱩⱪꝀꝁꝂꝃꝄꝅꞢꞣꞰ𝼃𝼐"),
    ('l', "ŁłƚȴȽɫɬɭʟᴌᶅⱠⱡⱢꝆꝇꝈꝉꞀꞁꞎꞭꬷꬸꬹ𝼄𝼑𝼓"),
    ('m', "ƜɯɰɱᴍᵯᶆⱮꟺꬺ"),
    ('n', "ƝƞȠȵɲɳɴᴎᵰᶇꞐꞑꞤꞥꬻ"),
    ('o', "ØøƆƟǾǿɔɵᴏᴑᴓᶗⱺꝊꝋꝌꝍꟀꟁꬽꬾꬿ𝼛"),
    ('p', "ƤƥᴘᵱᵽᶈⱣꝐꝑꝒꝓꝔꝕ"),
    ('q', "ɊɋʠꝖꝗꝘꝙꞯ"),
    ('r', "ɌɍɹɺɻɼɽɾɿʀʁᴙᴚᵲᵳᶉⱤⱹꝚꝛꞂꞃꞦꞧꭆꭉꭋꭌꭨ𝼈𝼕𝼖"),
    ('s', "ȿʂᵴᶊẜẝⱾꜱꞄꞅꞨꞩꟅꟉꟊ𝼞"),
    ('t', "ŦŧƫƬƭƮȶȾʇʈᴛᵵⱦꞆꞇꞱ𝼉𝼍"),
    ('u', "ɄʉᴜᴝᶙꞸꞹꭎꭒ"),
    ('v', "ƲɅʋʌᴠᶌỼỽⱱⱴꝞꝟ"),
    ('w', "ʍᴡⱲⱳꟂꟃ"),
    ('x', "ᶍꭖꭗꭘꭙ"),
    ('y', "ƳƴɎɏʎʏỾỿꭚ𝼆"),
    ('z', "ƵƶȤȥɀʐʑᴢᵶᶎⱫⱬⱿꝢꝣꟆ"),
]);

/// Armenian letters that are drawn like a letter from A to Z. Some are confusable with another letter.
const ARMENIAN: LetterTable =
    LetterTable(&[('e', "Եե"), ('h', "Հհ"), ('n', "Ոո"), ('o', "Օօ"), ('p', "Քք"), ('s', "Տ"), ('u', "Սս")]);

/// Brackets that are drawn like an `o` between letters, as in `p()st`.
const ROUND: [&str; 3] = ["()", "[]", "{}"];

/// Currency signs and the letter that they are drawn over.
const CURRENCIES: LetterTable = LetterTable(&[
    ('a', "₳"),
    ('b', "฿₿"),
    ('c', "¢₡₢₵"),
    ('d', "₫"),
    ('e', "€₠"),
    ('f', "₣"),
    ('g', "₲"),
    ('k', "₭"),
    ('l', "£₤"),
    ('m', "₥"),
    ('n', "₦"),
    ('p', "₱₽₧"),
    ('r', "₹"),
    ('s', "$₴"),
    ('t', "₮₸"),
    ('w', "₩"),
    ('y', "¥"),
]);

/// The first of 26 letters in circles, squares and flags that have no compatible form.
const ENCLOSED: [char; 3] = ['\u{1f150}', '\u{1f170}', '\u{1f1e6}'];

/// Returns a text with letters in place of enclosed letters, currency signs and empty brackets, and with breaks in place of signs and
/// raised digits that stand beside a word, such as in `Name™` and `Name²`.
pub(super) fn symbols_as_letters(text: &str) -> String {
    let mut marked = text.replace("ᵀᴹ", "™").replace("ˢᴹ", "℠");
    for round in ROUND {
        marked = marked.replace(round, "o");
    }
    marked
        .chars()
        .map(|c| if is_beside_a_word(c) { BREAK } else { enclosed(c).or_else(|| CURRENCIES.letter(c)).unwrap_or(c) })
        .collect()
}

/// Returns a text with the plain letter in place of its variants.
pub(super) fn plain_letters(text: &str) -> String {
    text.chars().map(|c| VARIANTS.letter(c).or_else(|| ARMENIAN.letter(c)).unwrap_or(c)).collect()
}

/// Returns a text with letters in place of the digits that are drawn like them, and of two letters that look like one.
/// Confusable characters replace 0, and 1 by an l.
pub(super) fn digits_as_letters(text: &str) -> String {
    let letter = |c| match c {
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '6' | '9' => 'g',
        '7' => 't',
        '8' => 'b',
        c => c,
    };
    text.chars().map(letter).collect::<String>().replace("vv", "w")
}

/// Returns the words of a text without the digits at their ends. Words of digits alone are left out.
pub(super) fn without_end_digits(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(|word| word.trim_matches(|c: char| c.is_ascii_digit()));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

const fn is_beside_a_word(c: char) -> bool {
    matches!(c, '™' | '℠' | '®' | '©' | '℗' | '²' | '³' | '¹' | '\u{2070}' | '\u{2074}'..='\u{2079}' | '\u{2080}'..='\u{2089}')
}

fn enclosed(c: char) -> Option<char> {
    let letter = |first: &char| u32::from(c).checked_sub(u32::from(*first)).filter(|at| *at < 26);
    let at = ENCLOSED.iter().find_map(letter)?;
    char::from_u32(u32::from('a') + at)
}
