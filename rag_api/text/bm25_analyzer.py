"""text -> the terms that BM25 counts: stems of the content words, their runs of four characters,
and pairs of words.

Every store indexes these terms and nothing else, so that Dutch and English live in one index and
all stores rank alike (Weaviate has no Dutch stemmer, LanceDB one language per index). A question's
language is often unclear ("paracetamol dosis kg"), so its words are stemmed in both languages; a
document's words only in its own. The runs find what stems do not: parts of Dutch compounds
("zuurstofdebiet"), misspellings ("kathter"), words that both languages write alike. The pairs
prefer the text in which the question's words stand together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

VERSION = 2  # one more whenever other terms come out: an index holds the terms of its version
LANGUAGES = ("nl", "en")
GRAM = 4  # characters; 4 or 5 make no difference on SQuAD, docs/evaluation.md
MOST_WORDS = 30_000  # whose stems and runs are kept: some 20 MB, and more would hardly be faster
LONGEST = 40  # of a word: what is longer is no word
_SNOWBALL = {"nl": "dutch", "en": "english"}
# A number with its decimals, else a word; "12kg" is two tokens, "b12" is one.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_][\w]*")

_DUTCH = """
aan al alle als altijd ander andere anders bij daar dan dat de der deze die dit doe doen door dus een eens er gaat ge geef graag
haar had heb hebben heeft hem het hier hij hoe hoelang hoeveel hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen
maar mag me meer men met mij mijn moet moeten mogen na naar nog nu of om omdat ons onze ook op over reeds s t te tegen toch toe
tot u uit uw van vanaf veel voor waar waarom wanneer want waren was wat we wel welk welke werd wie wij wil word worden wordt zal
ze zelf zich zij zijn zo zoals zonder zou zullen
"""
_ENGLISH = """
a about after again all also am an and any are as at be because been before being but by can could did do does doing during each
for from further get give given had has have having he her here hers him his how i if in into is it its itself just long many
may me more most much must my of off on once only or other our ours out over own please s same shall she should so some such t
than that the their theirs them then there these they this those through to too under until up us very was we were what when
where which while who whom whose why will with would you your yours
"""
STOP_WORDS = {"nl": frozenset(_DUTCH.split()), "en": frozenset(_ENGLISH.split())}


@lru_cache(maxsize=MOST_WORDS)
def stem(word: str, language: str) -> str:
    return str(snowballstemmer.stemmer(_SNOWBALL[language]).stemWord(word))


@lru_cache(maxsize=MOST_WORDS)
def _grams(word: str) -> tuple[str, ...]:
    """Its runs of GRAM characters, with marks where it begins and ends: "^kin", "kind", "ind$"."""
    marked = f"^{word[:LONGEST]}$"
    return tuple(marked[i : i + GRAM] for i in range(max(1, len(marked) - GRAM + 1)))


def words(text: str) -> list[str]:
    """Lower-case words and numbers, accents removed, decimal commas as points."""
    folded = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return [w.replace(",", ".") for w in _TOKEN.findall(folded)]


def language_of(text: str) -> str:
    """'nl', 'en' or '' when its function words do not tell."""
    found = words(text)
    nl = sum(w in STOP_WORDS["nl"] for w in found)
    en = sum(w in STOP_WORDS["en"] for w in found)
    return "nl" if nl > en else "en" if en > nl else ""


def document_terms(text: str, language: str = "") -> list[str]:
    """All terms in order, repeats kept: BM25 counts them. An unknown language is guessed, else
    Dutch."""
    language = language if language in LANGUAGES else language_of(text) or "nl"
    stop, found = STOP_WORDS[language], words(text)
    return [
        *(t for word in found if word not in stop for t in (stem(word, language), *_grams(word))),
        *_pairs(found, stop, language),
    ]


def question_terms(text: str) -> list[str]:
    """The distinct terms of a question's words: each content word's Dutch and English stem and its
    grams.

    Stop words of the question's language are dropped, of both languages when it is unclear; a
    question of stop words only has no terms, and then BM25 has nothing to say.
    """
    stop = _stop_words(text)
    content = [word for word in words(text) if word not in stop]
    return list(
        dict.fromkeys(term for word in content for term in (*(stem(word, lang) for lang in LANGUAGES), *_grams(word)))
    )


def further_terms(text: str, others: Sequence[str] = ()) -> list[str]:
    """What is looked up beside them: the question's pairs of words, and the terms and pairs of
    other words for what it says (query/synonyms.py). BM25 counts these too; they do not add to what
    the question's own words could tell."""
    own = set(question_terms(text))
    terms = [
        *_question_pairs(text),
        *(term for other in others for term in (*question_terms(other), *_question_pairs(other))),
    ]
    return [term for term in dict.fromkeys(terms) if term not in own]


def _stop_words(question: str) -> frozenset[str]:
    language = language_of(question)
    return STOP_WORDS[language] if language else STOP_WORDS["nl"] | STOP_WORDS["en"]


def _question_pairs(text: str) -> Iterator[str]:
    for language in LANGUAGES:
        yield from _pairs(words(text), _stop_words(text), language)


def _pairs(found: Sequence[str], stop: frozenset[str], language: str) -> Iterator[str]:
    """Stems of two content words with nothing but stop words between, "infuus_kalium", and of two
    words side by side of which one may be a stop word, "met+kalium". Two content words side by side
    are both."""
    stems = [(stem(word, language), word in stop) for word in found]
    for (one, empty), (other, also_empty) in pairwise(stems):
        if not (empty and also_empty):
            yield f"{one}+{other}"
    for one, other in pairwise(stem for stem, empty in stems if not empty):
        yield f"{one}_{other}"
