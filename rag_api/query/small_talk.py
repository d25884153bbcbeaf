"""Is it a question for the documents at all? Greetings, thanks, and what people ask of Bedside
itself. By its words, Dutch and English.

Only what is nothing else is small talk: "dag, hoeveel paracetamol?" is a question.
"""

from __future__ import annotations

import re
from enum import StrEnum


class SmallTalk(StrEnum):
    GREETING = "greeting"
    THANKS = "thanks"
    ABOUT = "about_bedside"  # who or what it is, what it can do, whom it obeys


_NAMES = r"(?:bedside|bot|assistent|assistant|computer|chatgpt)"
_GREETING = (
    r"(?:hallo+|hoi+|hey+|hi+|hello|dag|goede ?(?:morgen|middag|avond|nacht|dag)|good "
    r"(?:morning|afternoon|evening|day)|yo|salut|"
    r"hoe (?:gaat het|is het|gaat ie|voel je je)(?: (?:met je|met jou|met u|ermee|vandaag))?|how are you(?: doing)?(?: "
    r"today)?|"
    r"alles goed|test(?:ing|je)?|is (?:er )?(?:iemand|daar iemand)(?: daar)?|anybody there)"
)
_THANKS = (
    r"(?:(?:ok(?:e|é|ay)?|oké|top|super|prima)? ?(?:heel |erg |hartelijk )?"
    r"(?:bedankt|dank (?:je|u)(?: ?wel)?|dankje(?:wel)?|merci|thx|thanks|thank you)"
    r"(?: (?:very much|a lot|so much|hoor|alvast))?|"
    r"(?:super|top|prima|ok(?:e|é|ay)?|oké|goed zo|great|perfect|fijn|mooi|duidelijk|tot ziens|doei|bye|goodbye|fijne "
    r"(?:dag|dienst)))"
)
_ABOUT = re.compile(
    rf"(?:wie|wat) (?:ben|bent) (?:je|jij|u)(?: (?:eigenlijk|precies))?|who are you|what are you|"
    rf"(?:wat|hoe) is {_NAMES}|what is {_NAMES}|hoe heet (?:je|jij|u)|(?:what is|what's) your name|"
    r"(?:wat|waarmee) (?:kan|kun|kunt) (?:je|jij|u)(?: (?:allemaal|me|mij|zoal))?(?: (?:doen|helpen|mee helpen))?|"
    r"what can (?:you|i) (?:do|ask)(?: (?:for me|you|here))?|"
    r"(?:wat|waarover) (?:kan|mag|moet) ik (?:je |jou |u |hier )?(?:aan je |aan u )?(?:vragen|opzoeken)|"
    r"hoe (?:werk|werkt) (?:je|jij|u|dit|het|bedside|deze (?:app|site|chatbot))|how (?:do you|does "
    r"(?:this|it|bedside)) work|"
    r"ben je (?:een )?(?:robot|mens|computer|ai|bot|echt)|are you (?:a |an )?(?:robot|human|computer|ai|bot|real)|"
    r"wie (?:heeft|hebben) (?:je|jou|dit|bedside) (?:gemaakt|gebouwd)|"
    r"who (?:made|built) (?:you|this)|"
    r"(?:kan|kun) je (?:me |mij )?helpen|can you help(?: me)?|help(?: me)?|"
    r"(?:waar haal je|hoe weet je) (?:dit|dat|je antwoorden|je informatie)(?: vandaan)?|"
    r"where do you get (?:this|your (?:answers|information))(?: from)?|"
    r"welke (?:documenten|bronnen) (?:ken|gebruik|heb) je|which (?:documents|sources) do you (?:know|use|have)",
    re.IGNORECASE,
)
_SAID = re.compile(rf"{_GREETING}|{_THANKS}", re.IGNORECASE)
_THANKED = re.compile(_THANKS, re.IGNORECASE)


def small_talk(question: str) -> SmallTalk | None:
    """What the words are when they are no question for the documents; None of one that is."""
    parts = [part.strip() for part in re.split(r"[.,!?;:\n]+", question) if part.strip(" \"'()-🙂😀👍🙏❤️")]
    words = [
        re.sub(rf"^(?:en|and|maar|but)\s+|\s+{_NAMES}$|^{_NAMES}$", "", part, flags=re.IGNORECASE).strip()
        for part in parts
    ]
    if any(_ABOUT.fullmatch(part) for part in words) and all(
        not part or _ABOUT.fullmatch(part) or _SAID.fullmatch(part) for part in words
    ):
        return SmallTalk.ABOUT
    if not parts or not all(not part or _SAID.fullmatch(part) for part in words):
        return None
    return SmallTalk.THANKS if all(not part or _THANKED.fullmatch(part) for part in words) else SmallTalk.GREETING
