"""Names of the routes in the audit trail. A route that is not in this table is not served: what it
shows would be seen by nobody.

The names are stable: a SIEM's rules are written in them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Act:
    """`routine`: shows and changes nothing of anybody, so only its refusals are entries. `changes`:
    an entry says that it begins, too, so that nothing is changed that the trail does not know of,
    whatever happens on the way."""

    action: str
    routine: bool = False
    changes: bool = False


ACTIONS: dict[str, Act] = {
    # routes/asking/ask.py writes its entries itself: before anything is found, and after all is
    # shown
    "POST /ask": Act("question.asked"),
    "POST /v1/chat/completions": Act("question.asked"),  # as POST /ask
    "GET /v1/models": Act("models.listed", routine=True),
    "GET /documents": Act("documents.listed"),
    "GET /search": Act("documents.listed"),  # as GET /documents
    "POST /documents": Act("document.uploaded", changes=True),
    "GET /ingestion": Act("documents.ingestion_read", routine=True),
    "DELETE /ingestion": Act("documents.ingestion_stopped", changes=True),
    "GET /documents/{document_id}": Act("document.shown"),
    "PATCH /documents/{document_id}": Act("document.described", changes=True),
    "DELETE /documents/{document_id}": Act("document.retired", changes=True),
    "POST /documents/{document_id}/withdraw": Act("document.retired", changes=True),
    "PUT /documents/{document_id}/withdrawal-reason": Act("document.withdrawal_explained", changes=True),
    "POST /documents/{document_id}/restore": Act("document.restored", changes=True),
    "POST /documents/{document_id}/retry": Act("document.retried", changes=True),
    "PUT /documents/{document_id}/review": Act("document.reviewed", changes=True),
    "GET /documents/{document_id}/place": Act("document.place_shown"),
    "GET /documents/{document_id}/predecessors": Act("document.predecessors_read"),
    "GET /documents/{document_id}/file": Act("document.opened"),
    "GET /documents/{document_id}/changes": Act("document.changes_read"),
    "GET /documents/{document_id}/access": Act("document.access_read"),
    "GET /documents/{document_id}/access/{account_id}": Act("document.access_explained"),
    "GET /documents/{document_id}/readers": Act("document.readers_listed"),
    "PUT /documents/{document_id}/access": Act("document.access_changed", changes=True),
    "GET /department-access": Act("department.access_read"),
    "PUT /department-access/{department}": Act("department.access_changed", changes=True),
    "GET /favourites": Act("favourites.listed"),
    "PUT /favourites/{document_id}": Act("favourite.kept", changes=True),
    "DELETE /favourites/{document_id}": Act("favourite.let_go", changes=True),
    "GET /facets": Act("documents.facets_read", routine=True),
    "GET /conversations": Act("conversations.listed"),
    "GET /conversations/{conversation_id}": Act("conversation.shown"),
    "GET /conversations/{conversation_id}/since": Act("conversation.since_read", routine=True),
    "PATCH /conversations/{conversation_id}": Act("conversation.changed", changes=True),
    "DELETE /conversations/{conversation_id}": Act("conversation.deleted", changes=True),
    "GET /answers/{answer_id}": Act("answer.shown"),
    "POST /answers/{answer_id}/feedback": Act("feedback.given", changes=True),
    "GET /judged": Act("judged.listed"),
    "GET /judged/{name}": Act("judged.shown"),
    "DELETE /judged/{name}": Act("judged.deleted", changes=True),
    "GET /judged/{name}/csv": Act("judged.exported"),
    "POST /judged/{name}/csv": Act("judged.imported", changes=True),
    "PUT /judged/{name}/answers/{answer_id}": Act("judged.answer_judged", changes=True),
    "POST /judged/{name}/feedback": Act("judged.feedback_taken", changes=True),
    "PUT /judged/{name}/questions/{question_id}": Act("judged.question_written", changes=True),
    "DELETE /judged/{name}/questions/{question_id}": Act("judged.question_deleted", changes=True),
    "GET /gaps": Act("gaps.read"),
    "GET /gaps.csv": Act("gaps.exported"),
    "GET /reviews": Act("reviews.read"),
    "PUT /reviews/{answer_id}": Act("review.given", changes=True),
    "GET /usage": Act("usage.read"),
    "GET /report": Act("report.read"),
    "GET /report.csv": Act("report.exported"),
    "GET /risk": Act("risk.read", routine=True),
    "PUT /risk": Act("risk.chosen", changes=True),
    "GET /owners": Act("owners.listed"),
    "PUT /owners": Act("owner.named", changes=True),
    "GET /documents/{document_id}/owner": Act("document.owner_read"),
    "POST /documents/{document_id}/owner-questions": Act("owner.asked", changes=True),
    "POST /answers/{answer_id}/owner-questions": Act("owner.passed_on", changes=True),
    "GET /colleagues": Act("colleagues.listed"),
    "GET /owner-questions/asked": Act("owner.asked_read"),
    "GET /owner-questions/news": Act("owner.news_read", routine=True),
    "POST /owner-questions/asked/seen": Act("owner.asked_seen", routine=True),
    "GET /owner-questions/work": Act("owner.work_read"),
    "POST /owner-questions/{owner_question_id}/reply": Act("owner.replied", changes=True),
    "GET /webhooks": Act("webhooks.listed"),
    "POST /webhooks": Act("webhook.added", changes=True),
    "DELETE /webhooks/{webhook_id}": Act("webhook.deleted", changes=True),
    "GET /webhooks/{webhook_id}/deliveries": Act("webhook.deliveries_read"),
    "POST /webhooks/{webhook_id}/test": Act("webhook.tested", changes=True),
    "GET /groups": Act("groups.listed"),
    "GET /accounts": Act("accounts.listed"),
    "POST /accounts": Act("account.made", changes=True),
    "PATCH /accounts/{account_id}": Act("account.changed", changes=True),
    "PUT /accounts/{account_id}/password": Act("account.password_set", changes=True),
    "DELETE /accounts/{account_id}/sessions": Act("account.sessions_ended", changes=True),
    "GET /keys": Act("keys.listed"),
    "POST /keys": Act("key.made", changes=True),
    "DELETE /keys/{key_id}": Act("key.revoked", changes=True),
    "GET /audit": Act("audit.read"),
    "GET /audit.jsonl": Act("audit.exported"),
    "GET /audit/head": Act("audit.head_read"),
    "GET /audit/chain": Act("audit.chain_read"),
    "POST /audit/verify": Act("audit.verified", changes=True),
    "GET /session": Act("session.looked_at", routine=True),
    "POST /session": Act("session.started"),
    "DELETE /session": Act("session.ended"),
    "POST /session/used": Act("session.kept", routine=True),
    "GET /sign-in": Act("session.begun", routine=True),
    "GET /sign-in/callback": Act("session.started"),
    "GET /health/live": Act("service.looked_at", routine=True),
    "GET /health/ready": Act("service.looked_at", routine=True),
    "GET /health": Act("service.looked_at", routine=True),
    "GET /metrics": Act("service.measured", routine=True),
    "GET /openapi.json": Act("service.described", routine=True),
}

# What a page does by itself, beside an answer, is not what its reader did. Who looks for these acts
# by how they begin does not find those.
BESIDE = {
    act: Act(act.action.replace(".", ".beside_"))
    for act in (ACTIONS["GET /documents/{document_id}"], ACTIONS["GET /documents/{document_id}/file"])
}

# An upload that took the place of the version before it. Its beginning is an upload like any other.
REPLACED = Act("document.replaced", changes=True)


def act_of(methods: set[str], path: str) -> Act:
    """Raises TypeError for a route that is not in the table."""
    name = f"{min(methods - {'HEAD'})} {path.replace(':path}', '}')}"
    if name not in ACTIONS:
        raise TypeError(
            f"{name}: a route must say what it is called in the audit trail: rag_api/api/auditing/audit_actions.py"
        )
    return ACTIONS[name]
