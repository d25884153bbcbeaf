// Conversations by when something was last asked in them.
import type { ConversationSummary } from "../../api/types";
import { dayOf } from "../../i18n";

export const GROUPS = ["pinned", "today", "week", "older"] as const;
export type Group = (typeof GROUPS)[number];

/** In this order, without empty groups. The week begins on Monday, by the reader's own clock. */
export function byTime(
  conversations: readonly ConversationSummary[],
  now: Date,
): { group: Group; members: ConversationSummary[] }[] {
  const monday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - ((now.getDay() + 6) % 7));
  const [today, week] = [dayOf(now), dayOf(monday)];
  const groupOf = ({ pinned, updated_at }: ConversationSummary): Group => {
    const day = dayOf(new Date(updated_at));
    if (pinned) return "pinned";
    if (day >= today) return "today";
    return day >= week ? "week" : "older";
  };
  return GROUPS.map((group) => ({ group, members: conversations.filter((one) => groupOf(one) === group) })).filter(
    ({ members }) => members.length > 0,
  );
}
