"""A mail to a document's owner, that somebody asked, to a colleague, that a question was passed on
to them, or to who asked, that the document changed: a link, and the document's title. Never what
was asked, nor a word of the document.

Sent by the hospital's own mail server.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.utils import format_datetime
from urllib.parse import urlsplit

from rag_api.config import Settings
from rag_api.db.outbox import Due, NotSent
from rag_api.db.owners.questions import OwnerQuestionKind

PATIENCE = 20.0  # seconds for each answer of the mail server

_SUBJECT: dict[tuple[str, OwnerQuestionKind], str] = {
    ("nl", "question"): "Vraag over {what}",
    ("nl", "report"): "Melding dat {what} niet meer klopt",
    ("nl", "error"): "Melding van een fout in {what}",
    ("en", "question"): "Question about {what}",
    ("en", "report"): "Report that {what} is no longer right",
    ("en", "error"): "Report of an error in {what}",
}
_DID: dict[OwnerQuestionKind, tuple[str, str]] = {
    "question": ("heeft er een vraag over", "has a question about it"),
    "report": ("meldt dat er iets niet meer klopt", "reports that something is no longer right"),
    "error": ("meldt dat er iets fout in staat", "reports that something in it is wrong"),
}
_CAN_HARM = {"nl": "Kan een patiënt schaden", "en": "Can harm a patient"}  # so its asker says
_UNNAMED = {"nl": "een document waarvan u eigenaar bent", "en": "a document that you own"}
_BODY = """\
U staat in Bedside als eigenaar van dit document: {nl}.
Een collega {did_nl}. Lees en beantwoord het hier:

    {link}

Wat er gevraagd is, staat met opzet niet in deze mail.

--

In Bedside you are the owner of this document: {en}.
A colleague {did_en}. Read and answer it here:

    {link}

What was asked is left out of this mail on purpose.
"""


_CHANGED = {"nl": "{what} is gewijzigd", "en": "{what} has changed"}
_UNNAMED_ASKED = {"nl": "een document waarover u iets vroeg", "en": "a document that you asked about"}
_CHANGED_BODY = """\
U vroeg of meldde in Bedside iets over dit document: {nl}.
Er is nu een nieuwe versie, of het is ingetrokken. Lees hier wat geldt:

    {link}

--

In Bedside you asked or reported something about this document: {en}.
There is a new version now, or it was withdrawn. Read here what holds:

    {link}
"""


_PASSED = {"nl": "Een {what} is aan u doorgegeven", "en": "A {what} was passed on to you"}
_ASKED, _REPORTED = {"nl": "vraag", "en": "question"}, {"nl": "melding", "en": "report"}
_PASSED_BODY = """\
Een kwaliteitsmedewerker gaf in Bedside een {what_nl} aan u door{nl}. Lees en beantwoord ze hier:

    {link}

Wat er gevraagd is, staat met opzet niet in deze mail.

--

In Bedside quality staff passed a {what_en} on to you{en}. Read and answer it here:

    {link}

What was asked is left out of this mail on purpose.
"""


def letter(settings: Settings, due: Due) -> EmailMessage:
    """Return the mail. Its id follows from the row, so that one that is sent twice is shown
    once."""
    assert settings.public_url is not None
    assert settings.smtp_from is not None
    title = " ".join(due.title.split())
    language = "en" if due.language == "en" else "nl"
    unnamed = _UNNAMED_ASKED if due.is_change else _UNNAMED
    named = {one: f"“{title}”" if title else unnamed[one] for one in ("nl", "en")}
    mail = EmailMessage()
    mail["From"], mail["To"] = settings.smtp_from, due.recipient
    said = _CHANGED[language] if due.is_change else _SUBJECT[language, due.kind]
    what = _ASKED if due.kind == "question" else _REPORTED
    subject = _PASSED[language].format(what=what[language]) if due.is_passed else said.format(what=named[language])
    subject = subject[:1].upper() + subject[1:]
    harms = due.can_harm and not due.is_change
    mail["Subject"] = f"{_CAN_HARM[language]}: {subject}" if harms else subject
    if harms:
        mail["Importance"] = "high"
    mail["Date"] = format_datetime(due.created_at)
    mail["Message-ID"] = f"<{due.question_id}.{due.id}@{urlsplit(settings.public_url).hostname}>"
    mail["Auto-Submitted"] = "auto-generated"  # no out-of-office answers to it
    did = _DID[due.kind]
    link = f"{settings.public_url}/inbox#{due.question_id}"
    if due.is_change:
        mail.set_content(_CHANGED_BODY.format(nl=named["nl"], en=named["en"], link=link))
        return mail
    if due.is_passed:
        about = {"nl": f", over {named['nl']}", "en": f", about {named['en']}"} if title else {"nl": "", "en": ""}
        mail.set_content(_PASSED_BODY.format(**about, what_nl=what["nl"], what_en=what["en"], link=link))
        return mail
    mail.set_content(_BODY.format(nl=named["nl"], en=named["en"], did_nl=did[0], did_en=did[1], link=link))
    return mail


def send_mail(settings: Settings, due: Due) -> None:
    """Raises NotSent: for good where the server will never take it for this address."""
    try:
        mail = letter(settings, due)
        with _server(settings) as server:
            server.send_message(mail)
    except smtplib.SMTPRecipientsRefused as error:
        code, why = next(iter(error.recipients.values()))
        raise NotSent(f"{code} {_words(why)}", for_good=code >= 500) from error
    except smtplib.SMTPDataError as error:
        raise NotSent(f"{error.smtp_code} {_words(error.smtp_error)}", for_good=error.smtp_code >= 500) from error
    except smtplib.SMTPResponseException as error:  # who sends, or the password: an admin's to set right
        raise NotSent(f"{error.smtp_code} {_words(error.smtp_error)}") from error
    except (smtplib.SMTPException, OSError) as error:
        raise NotSent(f"{type(error).__name__}: {error}") from error
    except ValueError as error:  # an address that is none
        raise NotSent(str(error), for_good=True) from error


@contextmanager
def _server(settings: Settings) -> Iterator[smtplib.SMTP]:
    """A connection that is signed in where that is asked for. Raises smtplib's exceptions and
    OSError."""
    assert settings.smtp_host is not None
    trusted = ssl.create_default_context()
    if settings.smtp_security == "tls":
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            settings.smtp_host, settings.smtp_port, timeout=PATIENCE, context=trusted
        )
    else:
        server = smtplib.SMTP(settings.smtp_host, settings.smtp_port, timeout=PATIENCE)
    with server:
        if settings.smtp_security == "starttls":
            server.starttls(context=trusted)
        if settings.smtp_user and settings.smtp_password:
            server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
        yield server


def _words(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
