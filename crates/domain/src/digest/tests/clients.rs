//! Long threads as mail programs quote them.

use posthouse_mail::extract;

use super::*;

/// Messages of a thread.
const MESSAGES: usize = 12;
/// Threads of each style.
const THREADS: usize = 6;

/// How a mail program quotes the message that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuoteStyle {
    /// The answer above the marked quotation, with an attribution.
    Top,
    /// The same in another language.
    TopGerman,
    /// The same, with the quotation wrapped again.
    TopWrapped,
    /// The answer above the unmarked message, with its header.
    Outlook,
    /// The same, below a line.
    OutlookLine,
    /// The answer below the quotation.
    Bottom,
    /// Answers between the lines of the quotation.
    Interleaved,
    /// The quotation marked with bars.
    Bars,
    /// The message forwarded, with its header.
    Forwarded,
}

const STYLES: [QuoteStyle; 9] = [
    QuoteStyle::Top,
    QuoteStyle::TopGerman,
    QuoteStyle::TopWrapped,
    QuoteStyle::Outlook,
    QuoteStyle::OutlookLine,
    QuoteStyle::Bottom,
    QuoteStyle::Interleaved,
    QuoteStyle::Bars,
    QuoteStyle::Forwarded,
];

const WORDS: [&str; 40] = [
    "the",
    "order",
    "parcel",
    "arrives",
    "on",
    "Friday",
    "please",
    "send",
    "invoice",
    "again",
    "we",
    "have",
    "not",
    "received",
    "any",
    "answer",
    "from",
    "your",
    "team",
    "about",
    "price",
    "of",
    "blue",
    "chairs",
    "and",
    "tables",
    "which",
    "were",
    "promised",
    "last",
    "week",
    "because",
    "warehouse",
    "moved",
    "to",
    "Berlin",
    "thank",
    "you",
    "for",
    "patience",
];

const PEOPLE: [&str; 4] = ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra"];

struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap_or(0)
    }

    /// Returns paragraphs of sentences.
    fn paragraphs(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.next(3) {
            for _ in 0..=self.next(3) {
                let words: Vec<&str> = (0..5 + self.next(9)).map(|_| WORDS[self.next(WORDS.len())]).collect();
                text.push_str(&words.join(" "));
                text.push_str(".\n");
            }
            text.push('\n');
        }
        text
    }
}

fn marked(text: &str, mark: &str) -> String {
    text.lines().map(|line| format!("{mark}{}{line}\n", if line.starts_with(mark.trim()) { "" } else { " " })).collect()
}

/// Wraps lines at 60 columns, as a program does that marks them afterwards.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut column = 0;
        for word in line.split(' ') {
            if column > 0 && column + word.len() > 60 {
                out.push('\n');
                column = 0;
            } else if column > 0 {
                out.push(' ');
            }
            out.push_str(word);
            column += word.len() + 1;
        }
        out.push('\n');
    }
    out
}

/// Returns the text of an answer to a message.
fn answer(style: QuoteStyle, noise: &mut Noise, at: usize, parent: &str) -> String {
    let (new, writer, author) = (noise.paragraphs(), PEOPLE[at % 4], PEOPLE[(at + 3) % 4]);
    let signed = format!("{new}Best,\n{writer}\n");
    let address = author.to_lowercase().replace(' ', ".");
    let on = format!("On Mon, 4 Jan 2027 at 10:{at:02}, {author} <{address}@example.com> wrote:");
    let header = format!(
        "From: {author} <{address}@example.com>\nSent: Monday, January 4, 2027 10:{at:02} AM\nTo: {writer}\nSubject: RE: Chairs\n"
    );
    match style {
        QuoteStyle::Top => format!("{signed}\n{on}\n{}", marked(parent, ">")),
        QuoteStyle::TopGerman => {
            format!("{signed}\nAm 04.01.2027 um 10:{at:02} schrieb {author}:\n{}", marked(parent, ">"))
        }
        QuoteStyle::TopWrapped => format!("{signed}\n{on}\n{}", marked(&wrapped(parent), ">")),
        QuoteStyle::Outlook => format!("{signed}\n-----Original Message-----\n{header}\n{parent}"),
        QuoteStyle::OutlookLine => format!("{signed}\n________________________________\n{header}\n{parent}"),
        QuoteStyle::Bottom => format!("{on}\n{}\n{signed}", marked(parent, ">")),
        QuoteStyle::Interleaved => {
            let mut text = format!("{on}\n");
            for (number, line) in marked(parent, ">").lines().enumerate() {
                text.push_str(line);
                text.push('\n');
                if number % 5 == 2 {
                    let words: Vec<&str> = (0..6).map(|_| WORDS[noise.next(WORDS.len())]).collect();
                    text.push_str(&format!("\n{}.\n\n", words.join(" ")));
                }
            }
            text + &signed
        }
        QuoteStyle::Bars => format!("{signed}\n{on}\n{}", marked(parent, "|")),
        QuoteStyle::Forwarded => {
            let date = format!("Date: Mon, 4 Jan 2027 10:{at:02}\nSubject: Chairs\nTo: {writer}\n");
            let from = format!("From: {author} <{address}@example.com>\n{date}");
            format!("{signed}\n---------- Forwarded message ---------\n{from}\n{parent}")
        }
    }
}

/// Returns a thread of which each message answers the one before it.
fn thread(noise: &mut Noise, styles: &[QuoteStyle]) -> Vec<Mail> {
    let first = noise.paragraphs() + "Best,\nEdsger Dijkstra\n";
    let mut mails = vec![Mail { text: first, new_text: None }];
    for at in 0..MESSAGES - 1 {
        let style = styles[noise.next(styles.len())];
        let text = answer(style, noise, at, &mails[at].text);
        let new_text = extract::new_text(Some(&text), None).map(|new| new.text);
        mails.push(Mail { text, new_text });
    }
    mails
}

/// Returns how many percent of the tokens of the texts a digest saves.
fn saved_percent(threads: &[Vec<Mail>]) -> f64 {
    let full: usize = threads.iter().flatten().map(|mail| tokens(&mail.text)).sum();
    let given: usize = threads.iter().flat_map(|thread| read(thread, 2_000)).map(|digest| digest.tokens()).sum();
    100.0 - 100.0 * given as f64 / full as f64
}

#[test]
fn long_threads_are_much_shorter_and_complete_in_every_style() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for style in STYLES {
        let threads: Vec<Vec<Mail>> = (0..THREADS).map(|_| thread(&mut noise, &[style])).collect();
        for (budget, thread) in [100, 300, 2_000].into_iter().cycle().zip(&threads) {
            check(thread, budget);
        }
        let saved = saved_percent(&threads);
        println!("{style:?}: {saved:.1} % fewer tokens");
        // Between answers, each piece of the quotation needs a line of its own.
        let least = if style == QuoteStyle::Interleaved { 50.0 } else { 75.0 };
        assert!(saved >= least, "{style:?}: {saved:.1} %");
    }
    let threads: Vec<Vec<Mail>> = (0..THREADS).map(|_| thread(&mut noise, &STYLES)).collect();
    threads.iter().for_each(|thread| check(thread, 500));
    let saved = saved_percent(&threads);
    println!("mixed: {saved:.1} % fewer tokens");
    assert!(saved >= 60.0, "mixed: {saved:.1} %");
}

/// A quotation that an earlier message has is replaced by a line that names it: its words aren't there again.
#[test]
fn a_line_of_words_is_given_once_in_every_style() {
    let mut noise = Noise(7);
    for style in STYLES {
        let mails = thread(&mut noise, &[style]);
        let text: String = read(&mails, 100_000).iter().map(|digest| digest.text.as_str()).collect();
        let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for line in mails[0].text.lines().filter(|line| line.split(' ').count() >= 8) {
            assert_eq!(plain.matches(line).count(), 1, "{style:?}: {line}");
        }
        assert!(text.contains("[quotes #1"), "{style:?}");
    }
}
