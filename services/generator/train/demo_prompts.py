"""The prompts that the demo model's heads were trained on, written for this project: nothing comes
from a data set.

Two rounds. First the model explains, lists and tells (instructions without a context). Then its own
explanations become passages, three to a prompt with a question about one of them, in the demo's
template: so the head learns what answers from passages look like, and the handbook and its judged
questions stay unseen, to measure on.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOPICS = """hand hygiene|blood pressure|intravenous therapy|pain after surgery|fever in children|wound care|asthma|type 2 diabetes
insulin|anaemia|a healthy diet|sleep|pregnancy|breastfeeding|vaccination|antibiotics|viral infections|bone fractures
physical therapy|blood transfusion|dehydration|stroke|heart failure|chest pain|the kidneys|the liver|the immune system
allergies|anaphylaxis|epilepsy|migraine|depression|anxiety|dementia|delirium|falls in older people|pressure ulcers
urinary catheters|oxygen therapy|pneumonia|influenza|sepsis|local anaesthesia|general anaesthesia|X-ray imaging
magnetic resonance imaging|ultrasound|blood tests|patient identification|medication errors|patient privacy
informed consent|a hospital pharmacy|an emergency department|an intensive care unit|a nursing shift handover
infection control|sterilisation of instruments|fire safety in a hospital|medical waste|nutrition in hospital
palliative care|newborn screening|childhood growth|exercise|the water cycle|volcanoes|photosynthesis|the solar system
electricity|magnets|rivers|forests|honey bees|migration of birds|coral reefs|the ocean|weather forecasts|earthquakes
recycling|wind energy|solar panels|the steam engine|bridges|trains|bicycles|the printing press|paper|glass|bread
cheese|coffee|tea|olive oil|rice|potatoes|medieval castles|the Roman roads|the Silk Road|lighthouses|museums
libraries|public parks|chess|football|the piano|jazz|the theatre|photography|maps|calendars|clocks|computers
databases|encryption|the internet|spreadsheets|money|insurance|taxes|elections|courts|schools|teamwork
a job interview|time management|public speaking"""

EXPLAIN = (
    "Write a short encyclopedia article about {}.",
    "Explain {} to a new colleague in one paragraph.",
    "Describe the most important facts about {}.",
    "What should everybody know about {}?",
)
"""What these are answered with serves as passages in the second round."""

INSTRUCT = (
    "Give five practical tips about {}.",
    "List the main advantages and disadvantages of {}.",
    "Write a short story in which {} plays a part.",
    "Write an e-mail to a friend about {}.",
    "Explain the history of {} step by step.",
    "What are common mistakes with {}, and how are they avoided?",
    "Write three questions about {} and answer them.",
    "Summarise in two sentences why {} matters.",
)

ASK = (
    "What is {}?",
    "Why is {} important?",
    "How does {} work?",
    "What should be checked about {}?",
    "What are the main points about {}?",
    "Which risks or problems come with {}?",
    "What is said about the use of {}?",
    "When does {} matter most?",
)


def topics() -> list[str]:
    return [topic.strip() for line in TOPICS.splitlines() for topic in line.split("|")]


def first_round() -> Iterator[dict[str, Any]]:
    """Every explanation of every topic, and three other instructions each; shuffled, so that any
    beginning of it is a fair sample."""
    choose = random.Random(1)  # noqa: S311 - reproducible, not secret
    rows = [
        {"id": f"explain-{topic}-{number}", "prompt": form.format(topic)}
        for topic in topics()
        for number, form in enumerate(EXPLAIN)
    ]
    for topic in topics():
        rows += [
            {"id": f"instruct-{topic}-{number}", "prompt": INSTRUCT[number].format(topic)}
            for number in choose.sample(range(len(INSTRUCT)), 3)
        ]
    choose.shuffle(rows)
    yield from rows


def second_round(explained: dict[str, str], words: int = 80) -> Iterator[dict[str, Any]]:
    """Ask again.

    `explained`: id of a first-round explanation -> the answer. Each becomes a passage, cut at a
    sentence's end near `words` words.
    """
    choose = random.Random(2)  # noqa: S311
    passages = {ident: shortened(text, words) for ident, text in explained.items() if ident.startswith("explain-")}
    passages = {ident: text for ident, text in passages.items() if len(text.split()) >= 30}
    rows = []
    for ident, text in passages.items():
        topic = ident.removeprefix("explain-").rpartition("-")[0]
        others = [other for other in passages if other.removeprefix("explain-").rpartition("-")[0] != topic]
        for number in choose.sample(range(len(ASK)), 2):
            picked = [text, *(passages[other] for other in choose.sample(others, min(2, len(others))))]
            choose.shuffle(picked)
            documents = [{"title": "", "text": part} for part in picked]
            rows.append(
                {
                    "id": f"ask-{ident}-{number}",
                    "question": ASK[number].format(topic),
                    "documents": documents,
                    "template": "demo",
                }
            )
    choose.shuffle(rows)
    yield from rows


def shortened(text: str, words: int) -> str:
    """Keep whole sentences, up to the first that passes `words` words; an unfinished last sentence
    is dropped."""
    kept: list[str] = []
    for sentence in text.replace("\n", " ").split(". "):
        kept.append(sentence.strip())
        if sum(len(part.split()) for part in kept) >= words:
            break
    else:
        kept = kept if text.rstrip().endswith(".") else kept[:-1]
    return ". ".join(kept).rstrip(".") + "." if kept else ""


def write(rows: Iterator[dict[str, Any]], path: Path) -> int:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)
