//! Measures the search of knowledge: how often the right document is among the first five, by words alone and with the
//! meaning, on the questions of banking77 (CC BY 4.0, github.com/PolyAI-LDN/task-specific-datasets, `banking_data`), and how long a
//! search of 10,000 documents takes.
//!
//! ```console
//! $ cargo run --release -p posthouse-app --example knowledge_search -- banking_data/train.csv banking_data/test.csv
//! ```

use std::{collections::BTreeMap, error::Error, time::Instant};

use posthouse_categoriser::Model;
use posthouse_domain::KnowledgeId;
use posthouse_domain::knowledge::{KnowledgeIndex, KnowledgeQuery, KnowledgeReach, PassageVector, split, terms};
use uuid::Uuid;

/// Questions in the document of a category.
const PER_DOCUMENT: [usize; 3] = [1, 2, 5];
/// Documents that are searched for the time.
const DOCUMENTS: usize = 10_000;
/// Searches that are timed.
const SEARCHES: usize = 300;

/// Reads the questions of a file with their categories.
fn questions(path: &str) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut all = Vec::new();
    let mut record = String::new();
    for line in text.lines().skip(1) {
        record.push_str(line);
        // A quoted text may contain line breaks.
        if record.matches('"').count() % 2 == 1 {
            record.push(' ');
            continue;
        }
        if let Some((question, category)) = record.rsplit_once(',') {
            all.push((question.trim_matches('"').replace("\"\"", "\""), category.to_owned()));
        }
        record.clear();
    }
    Ok(all)
}

fn id(number: usize) -> KnowledgeId {
    KnowledgeId(Uuid::from_u128(number as u128))
}

/// Prints how often the right document is among the first ones, if each has this many questions.
fn recall(
    count: usize,
    categories: &BTreeMap<&str, Vec<&str>>,
    test: &[(String, String)],
    embed: &impl Fn(&str) -> Option<PassageVector>,
) {
    let names: Vec<&str> = categories.keys().copied().collect();
    let mut index = KnowledgeIndex::default();
    for (number, questions) in categories.values().enumerate() {
        let body = questions[..count.min(questions.len())].join("\n");
        index.put(id(number), None, &split("", &body, embed));
    }
    println!("{} documents of {count} questions, {} searches", index.len(), test.len());
    for (kind, has_meaning) in [("words", false), ("hybrid", true)] {
        let (mut first, mut five) = (0, 0);
        for (question, category) in test {
            let vector = has_meaning.then(|| embed(question)).flatten();
            let query = KnowledgeQuery { terms: terms(question), vector, reach: KnowledgeReach::All, limit: 5 };
            let found = index.search(&query);
            let rank = found.iter().position(|hit| names[hit.document.0.as_u128() as usize] == category);
            first += usize::from(rank == Some(0));
            five += usize::from(rank.is_some());
        }
        let share = |count: usize| count as f64 / test.len() as f64;
        println!("{kind}: recall@1 {:.3}, recall@5 {:.3}", share(first), share(five));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (train, test) = (arguments.next().ok_or("name train.csv")?, arguments.next().ok_or("name test.csv")?);
    let (train, test) = (questions(&train)?, questions(&test)?);
    let model = Model::builtin();
    let embed = |text: &str| PassageVector::of(&model.embed(text));
    let mut categories: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (question, category) in &train {
        categories.entry(category).or_default().push(question);
    }
    println!("model {}", model.version());
    for count in PER_DOCUMENT {
        recall(count, &categories, &test, &embed);
    }
    let mut index = KnowledgeIndex::default();
    for number in 0..DOCUMENTS {
        let body: Vec<&str> = (0..20).map(|at| train[(number * 17 + at * 31) % train.len()].0.as_str()).collect();
        index.put(id(number), None, &split(&train[number % train.len()].1, &body.join("\n\n"), embed));
    }
    let mut times: Vec<f64> = Vec::new();
    for (question, _) in test.iter().take(SEARCHES) {
        let start = Instant::now();
        let query =
            KnowledgeQuery { terms: terms(question), vector: embed(question), reach: KnowledgeReach::All, limit: 10 };
        let found = index.search(&query);
        assert!(!found.is_empty());
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
    }
    times.sort_by(f64::total_cmp);
    let (half, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("{DOCUMENTS} documents, {} MB: p50 {half:.2} ms, p99 {late:.2} ms", index.bytes() / 1_000_000);
    Ok(())
}
