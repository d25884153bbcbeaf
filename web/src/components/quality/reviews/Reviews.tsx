// What staff asked and were answered, newest first, to be judged. For quality staff.
import { useCallback } from "react";
import { dayOf, useStaffMessages } from "../../../i18n";
import { usePerson } from "../../../queries/session";
import { type ReviewsOf, useReviews } from "../../../queries/staff/reviews";
import { useDelayed } from "../../../queries/useDelayed";
import { useBackCloses } from "../../../state/window/useBackCloses";
import { useHeldInPlace } from "../../../state/window/useHeldInPlace";
import { useKeptHere, usePlaceKept, useWordsKept } from "../../../state/window/useKeptHere";
import { useNarrow } from "../../../state/window/useNarrow";
import { useShortcuts } from "../../../state/window/useShortcuts";
import { Choice } from "../../shared/controls/Choice";
import { Shell } from "../Shell";
import { WhoseQuestions } from "../WhoseQuestions";
import { type Followed, Opened } from "./Opened";
import { Review } from "./Review";

const DAY = 24 * 60 * 60 * 1000; // milliseconds
const PERIODS = [7, 30, 90, 365, 0]; // days; 0: always
const ONLY = ["refused", "reported", "unjudged", "judged"] as const;
const EVERY = "*"; // no department's name; "" is nobody's

type Shown = Omit<ReviewsOf, "since" | "search"> & { days: number };
const FIRST: Shown = {
  days: 30,
  department: null,
  after: "",
  before: "",
  refused: false,
  reported: false,
  unjudged: true,
  judged: false,
};

/** What is judged and what is not are nothing together: one takes the place of the other. */
const chosen = (one: (typeof ONLY)[number], on: boolean): Partial<Shown> => ({
  ...(on && one === "judged" && { unjudged: false }),
  ...(on && one === "unjudged" && { judged: false }),
  [one]: on,
});

export function Reviews() {
  const m = useStaffMessages();
  const [shown, show] = useKeptHere(FIRST);
  const { days, department, after, before, ...only } = shown;
  const [search, setSearch] = useWordsKept(usePerson());
  const since = days === 0 ? "" : dayOf(new Date(Date.now() - days * DAY));
  const list = useReviews({ since, department, search: useDelayed(search.trim()), after, before, ...only });
  usePlaceKept(list.isSuccess);
  const last = list.data?.pages.at(-1);
  const reviews = list.data?.pages.flatMap((page) => page.reviews) ?? [];
  const [followed, follow] = useHeldInPlace<Followed | null>(null);
  const over = useNarrow() && followed !== null;
  const close = useCallback(() => follow(null), [follow]);
  useBackCloses(over, close);
  useShortcuts({ Escape: close });
  return (
    <Shell
      current="reviews"
      error={list.error}
      covered={over}
      source={followed && <Opened {...{ followed, over }} onClose={close} />}
    >
      <h2 className="quality-title">{m.pageNames.reviews}</h2>
      <p className="muted">{m.reviews.lead}</p>
      <WhoseQuestions />
      <div className="session-fields">
        <Choice
          label={m.quality.period}
          value={String(days)}
          options={PERIODS.map((one) => [String(one), m.quality.periodOf(one)] as const)}
          onValue={(chosen) => show({ days: Number(chosen) })}
        />
        <Choice
          label={m.reviews.department}
          value={department ?? EVERY}
          options={[
            [EVERY, m.quality.everyDepartment] as const,
            ...(last?.departments ?? []).map((name) => [name, name || m.quality.noDepartment] as const),
          ]}
          onValue={(name) => show({ department: name === EVERY ? null : name })}
        />
        <label className="document-field">
          {m.reviews.words}
          <input type="search" maxLength={200} value={search} onChange={(event) => setSearch(event.target.value)} />
        </label>
        <label className="document-field">
          {m.reviews.after}
          <input type="datetime-local" value={after} onChange={(event) => show({ after: event.target.value })} />
        </label>
        <label className="document-field">
          {m.reviews.before}
          <input type="datetime-local" value={before} onChange={(event) => show({ before: event.target.value })} />
        </label>
      </div>
      <fieldset className="review-only">
        <legend className="sr-only">{m.reviews.only}</legend>
        {ONLY.map((one) => (
          <label key={one} className="judge-choice">
            <input type="checkbox" checked={only[one]} onChange={(event) => show(chosen(one, event.target.checked))} />
            {m.reviews.kinds[one]}
          </label>
        ))}
      </fieldset>
      {last && (
        <p className="made" role="status">
          {m.reviews.count(reviews.length, last.total)}
        </p>
      )}
      <ol className="cards">
        {reviews.map((one) => (
          <Review key={one.answer_id} asked={one} onFollow={follow} />
        ))}
      </ol>
      {list.hasNextPage && (
        <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
          {m.admin.more}
        </button>
      )}
    </Shell>
  );
}
