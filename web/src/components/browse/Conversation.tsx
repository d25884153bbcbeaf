// One conversation in the list of those before: the way to it, and what can be done with it.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { asApiError } from "../../api/errors";
import type { ConversationSummary, PersonalChoice } from "../../api/types";
import { failureWords, formatInstant, useStaffMessages } from "../../i18n";
import { getConversation, useChangeConversation, useForget } from "../../queries/conversations";
import { download } from "../../state/window/download";
import { conversationPath, TO_PRINT } from "../../state/window/route";
import { Confirm } from "../shared/controls/Confirm";
import { neighbourOf } from "../shared/controls/neighbour";
import { NotKept } from "../shared/document/Personal";
import { markdownOf } from "./markdown";

interface Props {
  conversation: ConversationSummary;
  onMoved(id: string): void; // it was pinned, or let go
}

export const pinId = (id: string): string => `pin-${id}`;

export function Conversation({ conversation, onMoved }: Props) {
  const m = useStaffMessages();
  const { id, title, pinned, updated_at } = conversation;
  const change = useChangeConversation(id);
  const forget = useForget();
  const [unsaved, setUnsaved] = useState<string>(); // why there is no file
  const code = change.error?.code ?? forget.error?.code ?? unsaved;
  const save = (): void => {
    setUnsaved(undefined);
    getConversation(id)
      .then((detail) => download(fileName(title), markdownOf(detail, location.origin, m), "text/markdown"))
      .catch((error: unknown) => setUnsaved(asApiError(error).code));
  };
  const remove = (): void => forget.mutate(id, { onSuccess: neighbourOf(".asked-then li", "input[type=search]") });
  const pinName = pinned ? m.conversations.unpin : m.conversations.pin;
  const pin = (): void => change.mutate({ pinned: !pinned, personal_data: "stop" }, { onSuccess: () => onMoved(id) });
  return (
    <li className="card finder-row">
      <a className="link document-title" href={conversationPath(id)}>
        {title}
      </a>
      <span className="facts">{formatInstant(updated_at, m)}</span>
      <div className="asked-tools">
        <button type="button" className="link" id={pinId(id)} aria-label={`${pinName}: ${title}`} onClick={pin}>
          {pinName}
        </button>
        <Rename conversation={conversation} />
        <button type="button" className="link" aria-label={`${m.conversations.markdown}: ${title}`} onClick={save}>
          {m.conversations.markdown}
        </button>
        <a
          className="link"
          href={`${conversationPath(id)}${TO_PRINT}`}
          aria-label={`${m.conversations.print}: ${title}`}
        >
          {m.conversations.print}
        </a>
        <Confirm label={m.app.forget} question={m.app.sureForget} onYes={remove} />
      </div>
      {code && <p role="alert">{failureWords(code, m)}</p>}
    </li>
  );
}

const LONGEST = 120; // the service's limit

function Rename({ conversation: { id, title } }: { conversation: ConversationSummary }) {
  const m = useStaffMessages();
  const { mutate, error, reset } = useChangeConversation(id);
  const [name, setName] = useState<string | null>(null); // null: it is not being named
  const button = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const naming = name !== null;
  const was = useRef(false);
  useEffect(() => {
    if (naming) input.current?.select();
    else if (was.current) button.current?.focus();
    was.current = naming;
  }, [naming]);
  if (!naming)
    return (
      <button
        type="button"
        className="link"
        ref={button}
        aria-label={`${m.conversations.rename}: ${title}`}
        onClick={() => setName(title)}
      >
        {m.conversations.rename}
      </button>
    );
  const close = (): void => {
    setName(null);
    reset();
  };
  const save = (personal_data: PersonalChoice): void => {
    const wanted = name.trim();
    if (wanted && wanted !== title) mutate({ title: wanted, personal_data }, { onSuccess: close });
    else close();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save("stop");
  };
  return (
    <form
      className="asked-name"
      onSubmit={submit}
      onChange={reset}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <label className="document-field">
        {m.conversations.name}
        <input ref={input} value={name} maxLength={LONGEST} onChange={(event) => setName(event.target.value)} />
      </label>
      <button type="submit" className="button primary">
        {m.conversations.save}
      </button>
      <button type="button" className="button" onClick={close}>
        {m.conversations.keep}
      </button>
      <NotKept error={error} onPersonal={save} />
    </form>
  );
}

/** A name that every system takes for a file. */
const fileName = (title: string): string =>
  `${
    title
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "bedside"
  }.md`;
