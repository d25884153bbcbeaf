// What the dialogs that tell an owner something have alike: what kind of message it is, what
// was filled in, which passages it is about, and the button that sends it.
import { useId, useState } from "react";
import { type OwnerMessages, useOwnerMessages } from "../../i18n";
import { usePerson } from "../../queries/session";
import { Words } from "../shared/document/Words";

interface KindsProps<Kind extends string> {
  legend: string;
  kinds: readonly Kind[];
  labels: Record<NoInfer<Kind>, string>;
  name: string;
  value: Kind;
  onValue(kind: NoInfer<Kind>): void;
}

export function Kinds<Kind extends string>({ legend, kinds, labels, name, value, onValue }: KindsProps<Kind>) {
  return (
    <fieldset className="ask-owner-kinds">
      <legend>{legend}</legend>
      {kinds.map((one) => (
        <label key={one}>
          <input type="radio" name={name} checked={value === one} onChange={() => onValue(one)} />
          {labels[one]}
        </label>
      ))}
    </fieldset>
  );
}

interface CanHarmProps {
  value: boolean;
  onValue(value: boolean): void;
}

/** That a patient can come to harm, and that whoever needs somebody now does not wait for this. */
export function CanHarm({ value, onValue }: CanHarmProps) {
  const m = useOwnerMessages();
  const help = useId();
  return (
    <div className="ask-owner-kinds">
      <label>
        <input
          type="checkbox"
          checked={value}
          aria-describedby={help}
          onChange={(event) => onValue(event.target.checked)}
        />
        {m.askOwner.canHarm}
      </label>
      <p className={value ? "notice serious" : "muted owner-help"} id={help}>
        {m.askOwner.emergency} {value && m.askOwner.harmFirst}
      </p>
    </div>
  );
}

const drafts = new Map<string, object>(); // in this page alone, until it is loaded again

/**
 * What was filled in for `place` and not sent is there again for who did, however its dialog was
 * closed. The third takes it away.
 */
export function useDraft<Draft extends object>(
  place: string,
  first: Draft,
): [Draft, (part: Partial<Draft>) => void, () => void] {
  const whose = `${usePerson()} ${place}`;
  const [draft, setDraft] = useState<Draft>(() => ({ ...first, ...drafts.get(whose) }));
  const keep = (part: Partial<Draft>): void => {
    const now = { ...draft, ...part };
    setDraft(now);
    drafts.set(whose, now);
  };
  return [draft, keep, () => drafts.delete(whose)];
}

const LONGEST_QUOTES = 3000; // characters of all: the service takes 4,000, and some say what it is about

interface Along {
  quotes: readonly string[];
  chosen: readonly string[];
  text: string; // of those, as it goes along with a message
  tooLong: boolean; // to go along
  choose(quote: string, on: boolean): void;
}

/** Which go along: those that are chosen, and, where `alone` says so, one that is the only one. */
export function useAlong(passages: readonly string[], alone = true): Along {
  const [said, setSaid] = useState<Readonly<Record<string, boolean>>>({}); // of each that was ticked or not
  const quotes = [...new Set(passages.map((one) => one.trim()))].filter(Boolean);
  const chosen = quotes.filter((one) => said[one] ?? (alone && quotes.length === 1));
  const text = chosen.join("\n");
  const choose = (quote: string, on: boolean): void => setSaid({ ...said, [quote]: on });
  return { quotes, chosen, text: text && `\n\n“${text}”`, tooLong: text.length > LONGEST_QUOTES, choose };
}

export function Passages({ along: { quotes, chosen, tooLong, choose }, language }: { along: Along; language: string }) {
  const m = useOwnerMessages();
  if (quotes.length === 0) return null;
  return (
    <fieldset className="ask-owner-kinds passages">
      <legend>{m.askOwner.along}</legend>
      {quotes.map((quote) => (
        <label key={quote}>
          <input
            type="checkbox"
            checked={chosen.includes(quote)}
            onChange={(event) => choose(quote, event.target.checked)}
          />
          <span lang={language || undefined}>
            <Words text={quote} />
          </span>
        </label>
      ))}
      {tooLong && (
        <p className="notice serious" role="alert">
          {m.askOwner.tooLong}
        </p>
      )}
    </fieldset>
  );
}

/** Where the code says too little; `unread`: nobody who may read is called so. */
export const notSent = (code: string | undefined, unread: string, m: OwnerMessages): string | undefined =>
  ({ no_such_reader: unread, not_found: m.askOwner.gone })[code ?? ""];

/** `form`: the id of the form that it sends, which it may stand outside of. */
export function Send({ form, isPending, disabled }: { form: string; isPending: boolean; disabled: boolean }) {
  const m = useOwnerMessages();
  return (
    <>
      <button type="submit" form={form} className="button primary" disabled={isPending || disabled}>
        {m.askOwner.send}
      </button>
      <span role="status">{isPending && m.askOwner.sending}</span>
    </>
  );
}
