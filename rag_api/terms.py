"""text -> the terms that BM25 counts: words without accents, without stop words, stemmed in their own language.

Every store indexes these terms and nothing else, so that Dutch and English live in one index and all stores rank alike
(Weaviate has no Dutch stemmer, LanceDB one language per index). A question's language is often unclear ("paracetamol dosis
kg"), so its words are stemmed in both languages; a document's words only in its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import snowballstemmer

LANGUAGES = ("nl", "en")
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


@lru_cache(maxsize=200_000)
def _stem(word: str, language: str) -> str:
    return snowballstemmer.stemmer(_SNOWBALL[language]).stemWord(word)


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
    """All terms in order, repeats kept: BM25 counts them. An unknown language is guessed, else Dutch."""
    language = language if language in LANGUAGES else language_of(text) or "nl"
    stop = STOP_WORDS[language]
    return [_stem(w, language) for w in words(text) if w not in stop]


def question_terms(text: str) -> list[tuple[str, ...]]:
    """One tuple of equivalent terms per distinct content word: its Dutch and its English stem.

    Stop words of the question's language are dropped, of both languages when it is unclear; a question of stop words
    only has no terms, and then BM25 has nothing to say.
    """
    language = language_of(text)
    stop = STOP_WORDS[language] if language else STOP_WORDS["nl"] | STOP_WORDS["en"]
    groups = (tuple(dict.fromkeys(_stem(w, lang) for lang in LANGUAGES)) for w in words(text) if w not in stop)
    return list(dict.fromkeys(groups))


def flat(groups: Sequence[tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(term for group in groups for term in group))
