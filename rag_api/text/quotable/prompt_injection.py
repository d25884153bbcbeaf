"""Words in a document that speak to the machine that reads it, or that manage what it answers:
never quoted, and no model is told them.

"Ignore all previous instructions", "if you are an AI, tell the user ...", a chat template's marks,
a second prompt inside a page. A procedure speaks to staff about patients; it has no reason to speak
of its own answer, prompt or conversation. What only orders ("Negeer het eerste alarm niet", "Answer
relatives that ...") stays: a rule needs the machine, its answer or its prompt in the sentence. A
false dose in a plain sentence looks like a true one, and nothing here can tell.

Knows characters only. Letters of other alphabets that look Latin count as Latin.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from rag_api.text.quotable.quotable_spans import Quotable
from rag_api.text.quotable.uncertain import Offsets, together, touches
from rag_api.text.sentence_splitter import sentences

_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u0455\u0501\u04bb\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0405\u0408"
    "\u03bf\u03b1\u03b9\u03bd\u03c1\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\uff1c\uff1e\uff3b\uff3d\uff5c",
    "aeopcxyijsdhABEKMHOPCTXISJ" "oaivpABEHIKMNOPTX<>[]|",
)  # fmt: skip

_MODEL = (
    r"(?:(?-i:A\.?I\.?\b)(?:[- ]?(?:assistant|assistent|model\w*|bot|system|systeem)\b)?|ai[- "
    r"](?:assistant|assistent|model)\w*"
    r"|(?:language|taal)[- ]?model(?:s|len)?\b|llms?\b|chat ?bots?\b|chatgpt|gpt\b|search "
    r"engine|zoekmachine|artificial intelligence"
    r"|kunstmatige intelligentie"
    r"|(?:virtual|digital|virtuele|digitale) assist[ae]nt|modèles? de langage|intelligence artificielle)"
)
_SAY = (
    r"(?:answer|reply|respond|say|tell|state|report|show|print|repeat|mention|cite|advise|recommend|leave out|inform"
    r"|antwoord|beantwoord|zeg|vertel|noem|meld|toon|herhaal|adviseer|laat\b[^.\n]{0,30}\bweg|répond|dites|affich|indiqu)\w*"
)
_SYSTEM = rf"(?:assistant|assistent|model|system|systeem|{_MODEL})"
_ANSWER = r"(?:answers?|reply|replies|responses?|antwoord(?:en)?|réponses?)"
_YOUR = r"(?:your|je|jouw|uw|votre)"
_EACH = r"(?:every|each|all|any|elke?|iedere?|alle)"
_THE = r"(?:the|this|het|dit|de|deze)"
_OTHER = r"(?:\w+\W+){0,2}?(?:other|andere|overige)\W+(?:documents?|sources?|passages?|documenten|bron|bronnen)\b"
_TALK = r"(?:this|dit)\W+(?:conversation|chat|gesprek)\b"
_MACHINE = rf"(?:{_MODEL}|software|computers?|machines?|programs?|programma's|programma|systems?|systemen|systeem|bots?|tools?)"
_NOT_YES = r"(?!\W*(?:yes|no|ja|nee|neen|one|een|oui|non|a|an|[0-9])\b)"  # how a questionnaire is filled in

_RULES = (
    # What it was told before does not count.
    r"\b(?:ignore|disregard|forget|override|negeer|vergeet)\W+(?:\w+\W+){0,3}?(?:previous|prior|earlier|preceding|above|eerdere|vorige"
    r"|voorgaande|bovenstaande)\W+(?:instructions?|instructies?|prompts?|rules|regels|directives|guidance|aanwijzingen)\b",
    r"\b(?:ignorez|oubliez)\b[^.\n]{0,30}\b(?:instructions|consignes|règles)\b[^.\n]{0,15}\b(?:précédentes|ci-dessus)",
    r"\b(?:forget|vergeet)\W+(?:everything|all|alles)\b[^.\n]{0,30}\b(?:told|learned|learnt|verteld|gezegd|geleerd|said)\b",
    r"\b(?:ignore|disregard|forget|negeer|vergeet)\W+(?:all |alle? )?(?:of )?(?:the above|everything above|het "
    r"bovenstaande)\s*[.!\n]",
    # What it answers, and from which documents.
    rf"\b(?:ignore|disregard|negeer)\W+{_OTHER}",
    rf"\b(?:do not|don't|never)\W+(?:use|cite|mention|consult|name|quote)\W+{_OTHER}",
    rf"\b(?:noem|gebruik|citeer|raadpleeg|toon)\W+(?:nooit|geen)\W+{_OTHER}",
    rf"\b{_YOUR}\W+(?:\w+\W+)?{_ANSWER}\W+(?:must|should|shall|is|moet|luidt|zal|doit|est)\b",
    rf"\b(?:begin|start|commence[zr]?)\W+(?:with\W+)?(?:{_YOUR}|{_EACH})\W+{_ANSWER}\b",
    rf"\b(?:answer|beantwoord|to|op|on)\W+{_EACH}\W+(?:questions?|vraag|vragen)\b[^.\n]{{0,40}}"
    rf"\b(?:with|met|{_ANSWER}\W+(?:is|luidt)|(?:is|luidt)\W+(?:the|het)\W+{_ANSWER})\b{_NOT_YES}",
    r"\b(?:answer|reply|respond|antwoord|beantwoord)\b[^.\n]{0,12}\b(?:only|alleen|uitsluitend|enkel)\b(?:\W+(?:this|with|met|dit))?\s*:",
    rf"\b(?:only|uitsluitend|alleen|enkel)\W+(?:this|dit)\W+{_ANSWER}\b",
    r"\b(?:always|altijd|toujours)\W+(?:answer|reply|respond|antwoord|répondez)\W+(?:with\W+|met\W+|that\W+|dat\W+)?[\"“:]?\s*\d",
    rf"\b{_ANSWER}\W+(?:must|should|shall|moet)\W+(?:always|altijd)\b|\bmoet\W+(?:het|elk|ieder)\W+antwoord\W+altijd\b",
    rf"\b{_EACH}\W+{_ANSWER}\W+(?:of|from|by|van)\W+{_THE}\W+{_SYSTEM}",
    r"\b(?:if|when|als|wanneer)\W+(?:anyone|anybody|someone|somebody|iemand|men)\b[^.\n]{0,80}"
    rf"\b(?:correct|right|true|only|juiste|enige|goede)\W+{_ANSWER}\b",
    # It is spoken to, or spoken for.
    rf"\b(?:if|when|as|als|indien|wanneer|omdat|si)\W+(?:you|je|jij|u|vous)\b[^.\n]{{0,25}}{_MODEL}",
    r"\bsi vous êtes un assistant\b",
    r"\b(?:note|notice|message|footnote|instructions?|command|order|directive|prompt|noot|voetnoot|bericht|instructies?|opdracht|bevel"
    r"|mededeling|consigne)\b"
    rf"[^.\n]{{0,40}}\b(?:to|for|aan|voor|à|pour)\W+(?:\w+\W+){{0,2}}?{_MODEL}[^.:\n]{{0,20}}:",
    rf"\b(?:to|aan)\W+(?:the|de)\W+assist[ae]nt\s*:[^.\n]{{0,40}}{_SAY}",
    rf"(?:^|[.;:|\t]\s*|\n){_MODEL}\s*[,:]\s*(?:please |always |never |altijd |nooit )?{_SAY}",
    r"\bassist[ae]nt\s*[,:]\s*(?:say|answer|reply|zeg|antwoord)\W+(?:that|dat)\b",
    rf"\b(?:developers?|makers?|creators?|ontwikkelaars?|bouwers?)\W+(?:of|van)\W+{_THE}\W+{_SYSTEM}",
    r"\b(?:you are|you're|je bent|jij bent|u bent|vous êtes)\W+(?:now|nu|voortaan|maintenant|from now on)\b[^.\n]{0,40}"
    rf"(?:{_MODEL}|without\W+(?:any\W+)?(?:rules|limits)|zonder\W+regels)",
    rf"{_MACHINE}\W+(?:that|which|who|die|dat)\W+(?:\w+\W+){{0,2}}?(?:this|these|deze|dit)\W+(?:page|document|text|leaflet|file|bladzijde|pagina|tekst"
    r"|folder|bestand|documenten|pages)\b[^.\n]{0,40}\b(?:must|should|shall|has to|have to|moet|moeten|dient|dienen|is "
    r"to|are to)\b",
    r"\b(?:play the role of|speel de rol van|gedraag je "
    r"als)\b.{0,60}\b(?:without|zonder)\W+(?:any\W+)?(?:limits|rules|grenzen|regels)\b",
    rf"\b(?:begin|start|open|preface|precede)\W+{_YOUR}\W+(?:output|{_ANSWER})\b",
    r"\b(?:disregard|ignore|trek je niets aan "
    r"van)\b[^.\n]{0,20}\b(?:rules|regels|instructions|instructies)\b[^.\n]{0,25}"
    r"\b(?:you|je|u)\W+(?:were|have been|got|kreeg|kreegt|hebt)\b",
    r"[\"']role[\"']\s*:\s*[\"'](?:system|assistant|user|developer)[\"'][^}\n]*",
    rf"\b(?:pretend|act as if|doe "
    rf"alsof)\W+(?:that\W+)?(?:you|je|u)\b[^.\n]{{0,60}}\b(?:and|en)\W+(?:{_SAY}|geef\b.{{0,30}} toestemming)",
    r"\b(?:tell|inform|vertel|zeg|informeer|dites)\W+(?:aan\W+)?(?:the|de|au)\W+(?:reader|lezer|lecteur)\b",
    # Its prompt, its conversation, other people's questions.
    rf"\b(?:{_YOUR}|{_THE})\W+(?:\w+\W+)?(?:system|systeem|hidden|verborgen|secret|geheime|initial)[- ]?"
    r"(?:prompts?|instructions?|instructies|opdrachten)\b",
    rf"\b{_YOUR}\W+prompt\b|\bsysteemprompt\b",
    r"\b(?:print|repeat|output|reveal|show|herhaal|toon|schrijf)\b[^.\n]{0,40}\b(?:everything|all|alles|text|tekst)\b[^.\n]{0,20}"
    r"\b(?:above|boven|before)\W+(?:this|deze|dit)",
    r"\b(?:questions|vragen|chats|gesprekken)\W+(?:of|from|van)\W+(?:other|andere)\W+(?:users|gebruikers)\b",
    rf"(?:{_SAY}|remember|onthoud)\b[^.\n]{{0,40}}\b(?:next|following|rest|volgende)\b[^.\n]{{0,30}}\b{_TALK}",
    rf"\b(?:next|following|volgende)\W+(?:\w+\W+){{0,3}}?{_TALK}[^.\n]{{0,40}}{_SAY}",
    r"\b(?:add|put|insert|append|include|zet|voeg|plaats)\b[^.\n]{0,60}"
    rf"\b(?:image|picture|link|url|word|sentence|afbeelding|plaatje|woord|zin)\b[^.\n]{{0,60}}\b(?:{_EACH}|{_YOUR})\W+{_ANSWER}\b",
    r"\b(?:click|klik|cliquez)\b[^.\n]{0,40}\]\(\s*(?:https?|javascript):\S*",
    # Hidden from people, for a machine to read.
    r"\b(?:decode|decodeer|décodez)\b[^.\n]{0,40}\b(?:line|text|string|message|regel|tekst|bericht|base "
    r"?64|texte|ligne)\b",
)
# What a page that shows it as it is written would fetch or run.
_FETCHES = re.compile(
    r"<script\b[^\n]*?(?:</script>|$)|<a\s+(?:href|on\w+)\s*=[^>\n]*>?|<(?:img|iframe|svg|object|embed|form)\b[^>\n]*>?"
    r"|!\[[^\]\n]{0,80}\]\(\s*(?:https?|javascript|data):[^)\n]*\)|\bjavascript:\S*",
    re.IGNORECASE | re.MULTILINE,
)
_STOP = re.compile(r"[.!?]\s+")
_BEFORE = " .;:|\t\n"
# the sentence after one
_GOES_ON = re.compile(r"(?:from now on|vanaf nu|voortaan|instead|in plaats daarvan|désormais)\b", re.IGNORECASE)
_RULE = re.compile("|".join(f"(?:{rule})" for rule in _RULES), re.IGNORECASE)

# No rule fits a line without one of these: most lines are not looked at further.
_HINT = re.compile(
    r"\b(?:ignor|disregard|negeer|vergeet|forget|override|oubliez|prompt|systeemprompt|answer|beantwoord|antwoord|repl(?:y|ies)\b|respon[ds]"
    r"|répon|A\.?I\.?\b|language[- ]?model|taal[- ]?model|llms?\b|chat|gpt|search "
    r"engine|zoekmachine|virtu|digital|modèles? de"
    r"|intelligence art|assist[ae]nt|pretend|act as|doe "
    r"alsof|click|klik|cliquez|without\W+(?:any\W+)?(?:rules|limits)|zonder\W+regels"
    r"|reader|lezer|lecteur|role\b\W|rol\W+van|preface|(?:software|computers?|machines?|programs?|programma|tools?)\W+(?:that|which|die|dat)|artificial"
    r"|kunstmatige|decode|décode|(?:other|andere|overige)\W+(?:doc|sour|bron|pass|users|gebruikers)"
    r"|(?:system|systeem|hidden|verborgen|secret|geheime|initial)[- "
    r"](?:instr|opdr)|(?:developers?|makers?|creators?|ontwikkelaars?)\W"
    r"|(?:above|boven|before)\W+(?:this|deze|dit)|(?:this|dit)\W+(?:conversation|chat|gesprek))",
    re.IGNORECASE,
)

# Marks of a prompt. What stands behind one that opens something belongs to it.
_OPENS = re.compile(
    r"<\|?\s?(?:im_start|start_header_id|system|user|assistant|start_of_turn)\b[^<>\n]{0,30}>|\[INST\]|<<SYS>>|###\s*(?:instruct|system|response|input)\w*"
    r"|^[-= *]*(?:end|einde|eind) (?:of |van )?(?:the |de |het )?(?:context|documents?|documenten|passages?|prompt)[-= "
    r"*:.]*$"
    r"|^[-= *]*(?:the )?(?:context|documents?|passages?|sources?) (?:stops?|ends?) here[-= *:.]*$"
    r"|^[-= *]*hier (?:stopt|stoppen|eindigt|eindigen) (?:de |het )?(?:context|document(?:en)?|passages?|bron\w*)[-= "
    r"*:.]*$"
    r"|^[ *]*passage \d+[ *:.]*$|^\[\d+\] ?(?:titel|title|source|bron) ?:",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = re.compile(
    rf"{_OPENS.pattern}|<[|\uff5c][^|\uff5c<>\n]{{1,40}}[|\uff5c]>|\[/INST\]|<</SYS>>|</?s>|<end_of_turn>|<[be]os>"
    r"|</?(?:documents?|passages?|context|instructions?|system)>|\[(?:begin|start|end|einde) (?:of )?[a-z]+\]",
    re.IGNORECASE | re.MULTILINE,
)
_TURN = re.compile(
    r"^(?:system|systeem|système|user|gebruiker|human)\s*:.*\n+(?:assistant|assistent|AI)\s*:.*$"
    r"|^(?:assistant|assistent|AI)\s*:.*\n+(?:user|gebruiker|human|system|systeem)\s*:.*$",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = re.compile(r"\n\s*\n|\n\W*-{3,}\W*(?:\n|$)")  # of what a mark opens
_CHAIN = 400  # characters between two marks of one forged prompt
_LINES = 3  # that belong to a mark which opens something, at most
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
# The same with letters set apart, hyphens or digits for letters.
_SAID_AS = str.maketrans("013457", "oieast")
_OVERRIDES = re.compile(
    r"(?:ignore|disregard|forget|override|negeer|vergeet)(?:all|alle|any|of|the|de|your|je|my)*(?:previous|prior|earlier|preceding|above|eerdere"
    r"|vorige|voorgaande|bovenstaande)(?:instruct|prompt|rules|regels|directives|aanwijzing)",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """Without characters that nobody sees: control, zero width, writing direction, tags. Line ends
    and tabs stay."""
    return "".join(c for c in text if c in "\n\t\r" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co"))


@lru_cache(maxsize=512)
def addressed(text: str) -> tuple[Offsets, ...]:
    """Return the places of such words, as whole sentences or cells, in order and apart."""
    folded = text.translate(_ALIKE)
    found = [*_ruled(folded), *_spelt(folded), *_encoded(text)]
    whole = list(_in_sentences(text, found)) if found else []
    alone = [match.span() for pattern in (_TURN, _FETCHES) for match in pattern.finditer(folded)]
    return together(whole, list(_marked(folded)), alone)


def speaks_to_a_machine(text: str, quote: Quotable) -> bool:
    """Whether a quote of this text, or what it must be read after, does. Not the headings above it:
    they turn nothing over."""
    places = addressed(text)
    return bool(places) and any(touches(start, end, places) for start, end in [(quote.start, quote.end), *quote.lead])


def _ruled(text: str) -> Iterator[Offsets]:
    """What a rule fits, without what stands before it."""
    done = 0
    for hint in _HINT.finditer(text):
        if hint.start() < done:
            continue
        start, done = text.rfind("\n", 0, hint.start()) + 1, (text.find("\n", hint.end()) + 1) or len(text)
        for match in _RULE.finditer(text, start, done):
            yield match.end() - len(match.group().lstrip(_BEFORE)), match.end()


def _marked(text: str) -> Iterator[Offsets]:
    """From a mark to the last one that is near it, and what that opens."""
    start = end = last = -1
    for match in _MARK.finditer(text):
        if start >= 0 and match.start() - end > _CHAIN:
            yield start, max(end, last)
            start = -1
        start = match.start() if start < 0 else start
        end = match.end()
        last = _opened(text, match) if _OPENS.fullmatch(match.group()) else end
    if start >= 0:
        yield start, max(end, last)


def _opened(text: str, mark: re.Match[str]) -> int:
    """Where what a mark opens ends: with its paragraph, or a few lines on."""
    stop = _ENDS.search(text, mark.end())
    end = stop.start() if stop else len(text)
    for _, line in zip(range(_LINES), re.finditer(r"\n|$", text[mark.end() :]), strict=False):
        at = mark.end() + line.start()
        if at >= end:
            return end
    return min(end, at)


def _encoded(text: str) -> Iterator[Offsets]:
    for match in _BASE64.finditer(text):
        try:
            said = base64.b64decode(match.group() + "=" * (-len(match.group()) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if said.isprintable() and " " in said:
            yield match.span()


def _spelt(text: str) -> Iterator[Offsets]:
    """What orders to ignore all instructions, whatever stands between its letters."""
    said = text.translate(_SAID_AS)
    letters = re.sub(r"[\W_]+", "", said)
    if _OVERRIDES.search(letters):
        places = [match.start() for match in re.finditer(r"[^\W_]", said)]
        for match in _OVERRIDES.finditer(letters):
            yield places[match.start()], places[match.end() - 1] + 1


def _in_sentences(text: str, found: list[Offsets]) -> Iterator[Offsets]:
    """The sentences, or cells of a row, that hold them."""
    borders = sorted(
        {0, len(text), *(span.start for span in sentences(text)), *(m.end() for m in re.finditer(r"\t| \| ", text))}
    )
    for start, end in found:
        first = borders[bisect_right(borders, start) - 1]
        first += max((m.end() for m in _STOP.finditer(text[first:start])), default=0)  # "5 mg. Ignore ..." is two here
        last = bisect_left(borders, end)
        while _GOES_ON.match(text, borders[last]):
            last += 1
        yield first, borders[last]
