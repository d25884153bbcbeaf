"""Bedside asked from Python: `URL=https://bedside.hospital.example KEY=... QUESTION=...
FILE=val.pdf python examples/ask.py`."""

import os
from pathlib import Path

from bedside.client import Bedside, errors

QUESTION = os.environ["QUESTION"]

with Bedside(os.environ["URL"], os.environ.get("KEY", "")) as bedside:
    answer = bedside.ask(QUESTION)
    print(answer.status, answer.answer, [(span.document, span.page) for span in answer.spans])

    for event in bedside.ask_streamed(QUESTION, conversation_id=answer.conversation_id):
        print(type(event).__name__)

    for source in bedside.search(QUESTION):
        print(source.title, source.page, source.text)

    for item in bedside.upload(Path(os.environ["FILE"]), groups=["everyone"]).items:
        print(item.outcome, item.message)

    for document in bedside.documents(validity="valid"):
        print(document.title, bedside.document(document).pages)

    for conversation in bedside.conversations():
        print(conversation.title, len(bedside.conversation(conversation.id).answers))

    try:
        bedside.ask("Mag mevrouw Jansen, geboren op 3 mei 1961, paracetamol?")
    except errors.PersonalDataFound as error:
        print(error.instead)

    try:
        bedside.document("0" * 32)
    except errors.NotFound as error:
        print(error.message)
