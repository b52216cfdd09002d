//! Tests of passages, their stored form, search and snippets.

use uuid::Uuid;

use super::*;

fn no_meaning(_: &str) -> Option<PassageVector> {
    None
}

/// Puts letters into a vector, so that texts with the same letters are near.
fn letters(text: &str) -> Option<PassageVector> {
    let mut counts = [0.0_f32; 26];
    for byte in text.bytes().filter(u8::is_ascii_lowercase) {
        counts[usize::from(byte - b'a')] += 1.0;
    }
    PassageVector::of(&counts)
}

fn query(text: &str) -> KnowledgeQuery {
    KnowledgeQuery { terms: terms(text), vector: None, reach: KnowledgeReach::All, limit: 10 }
}

fn id(number: u128) -> KnowledgeId {
    KnowledgeId(Uuid::from_u128(number))
}

fn found(index: &KnowledgeIndex, query: &KnowledgeQuery) -> Vec<u128> {
    index.search(query).iter().map(|hit| hit.document.0.as_u128()).collect()
}

#[test]
fn passages_follow_each_other_and_have_the_whole_body() {
    let long = "x".repeat(2_500);
    let chinese = "退款政策。".repeat(500);
    let paragraphs = "# Refunds\n\nWithin 30 days. ".repeat(90);
    let words = "word ".repeat(1_000);
    for body in ["", "a", "\n\n", long.as_str(), chinese.as_str(), paragraphs.as_str(), words.as_str()] {
        let passages = split("Title", body, no_meaning);
        let mut at = 0;
        for passage in &passages {
            assert_eq!(passage.start, at);
            let text = &body[passage.start as usize..passage.end as usize];
            assert!(!text.is_empty() && text.chars().count() <= PASSAGE_CHARS_MAX);
            at = passage.end;
        }
        assert_eq!(at as usize, body.len());
    }
    let sentences = split("", &chinese, no_meaning);
    assert!(sentences.iter().all(|p| chinese[..p.end as usize].ends_with('。')), "cut after sentences");
}

#[test]
fn the_stored_form_is_read_back_and_damage_is_noticed() {
    let passages = split("Returns", "How to return an order.\n\nWithin 30 days.", letters);
    let stored = encode(&passages);
    assert_eq!(decode(&stored), Some(passages));
    for cut in 2..stored.len() {
        assert!(decode(&stored[..cut]).is_none(), "{cut}");
    }
    assert_eq!(decode(&[9]), None);
    assert_eq!(decode(&encode(&[])), Some(Vec::new()));
}

#[test]
fn a_search_ranks_by_words_within_reach_and_forgets_old_versions() {
    let mut index = KnowledgeIndex::default();
    let inbox = InboxId(Uuid::from_u128(7));
    index.put(id(1), None, &split("Refunds", "How long does a refund take? Refunds take five days.", no_meaning));
    index.put(id(2), None, &split("Shipping", "Parcels take three days; a refund takes longer.", no_meaning));
    index.put(id(3), Some(inbox), &split("退款", "我们在三十天内退款。", no_meaning));
    assert_eq!(found(&index, &query("how long does a refund take")), [1, 2]);
    assert_eq!(found(&index, &query("退款")), [3]);
    let elsewhere = KnowledgeReach::Inboxes(vec![InboxId(Uuid::from_u128(8))]);
    assert_eq!(found(&index, &KnowledgeQuery { reach: elsewhere, ..query("退款") }), Vec::<u128>::new());
    let here = KnowledgeReach::Inboxes(vec![inbox]);
    assert_eq!(found(&index, &KnowledgeQuery { reach: here, ..query("退款") }), [3]);
    index.put(id(1), None, &split("Opening hours", "From nine to five.", no_meaning));
    assert_eq!(found(&index, &query("refund")), [2]);
    index.retain(&[id(1), id(3)]);
    assert_eq!(found(&index, &query("refund")), Vec::<u128>::new());
    assert_eq!(index.len(), 2);
}

#[test]
fn meaning_finds_what_words_do_not() {
    let mut index = KnowledgeIndex::default();
    index.put(id(1), None, &split("", "aabbcc", letters));
    index.put(id(2), None, &split("", "xxyyzz", letters));
    let wanted = KnowledgeQuery { vector: letters("abcabc"), ..query("abcabc") };
    assert_eq!(found(&index, &wanted), [1]);
    let both = KnowledgeQuery { vector: letters("xxyyzz"), ..query("xxyyzz") };
    assert!(index.search(&both)[0].rank > 0.99, "first in both rankings");
}

#[test]
fn snippets_mark_matches() {
    let wanted = words_of("refund of an order");
    let text = "Intro. ".repeat(40) + "We refund every order\nwithin 30 days. " + &"More. ".repeat(60);
    let snippet = marked_snippet(&text, &wanted);
    assert!(snippet.contains("We **refund** every **order** within 30 days."), "{snippet}");
    assert!(snippet.starts_with('…') && snippet.ends_with('…'));
    assert_eq!(marked_snippet("我们在三十天内退款。", &words_of("退款")), "我们在三十天内**退款**。");
    assert_eq!(marked_snippet("Nothing here.", &wanted), "Nothing here.");
}

#[test]
fn limits_of_a_workspace_are_checked() {
    let usage = |documents, chars| KnowledgeUsage { documents, chars };
    assert!(usage(10, 5).check(Some(10)).is_ok() && usage(10, 5).check(None).is_ok());
    for refused in [usage(11, 5), usage(1, WORKSPACE_CHARS_MAX + 1)] {
        assert_eq!(refused.check(Some(10)).unwrap_err().code, ErrorCode::PlanLimitKnowledge);
    }
}
