// What staff wrote was not kept: it seems to identify a patient, and its writer sees what would be
// kept and decides; or something else went wrong.
import { Suspense, useEffect, useRef } from "react";
import type { ApiError } from "../../../api/errors";
import type { PersonalChoice } from "../../../api/types";
import { failureWords, useMessages, useWardMessages } from "../../../i18n";
import "../../../styles/answer/owner.css";

interface Props {
  error: ApiError | null;
  words?: string | undefined; // for another failure, where its code says too little
  onPersonal(choice: PersonalChoice): void; // send the same again
}

export function NotKept({ error, words, onPersonal }: Props) {
  const m = useMessages();
  if (!error) return null;
  if (error.code.startsWith("personal_data"))
    return (
      <Suspense>
        <Personal {...{ error, onPersonal }} />
      </Suspense>
    );
  return (
    <p className="notice serious" role="alert">
      {words ?? failureWords(error.code, m)}
    </p>
  );
}

function Personal({
  error: { code, rows, instead },
  onPersonal,
}: {
  error: ApiError;
  onPersonal: Props["onPersonal"];
}) {
  const m = useWardMessages();
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.focus(), []); // a dialog's fold may hide it; the focus brings it into view
  return (
    <div className="notice serious" role="alert" tabIndex={-1} ref={shown}>
      <p>{m.personal.written}</p>
      <ul>
        {rows.map(({ code: kind, values }) => (
          <li key={values?.start}>
            {m.personal.kinds[kind] ?? m.personal.other}: <q>{values?.text}</q>
          </li>
        ))}
      </ul>
      <p>
        {m.personal.instead} <q>{instead}</q>
      </p>
      <p className="owner-choices">
        <button type="button" className="button" onClick={() => onPersonal("remove")}>
          {m.personal.keepRest}
        </button>
        {code === "personal_data" && (
          <button type="button" className="button" onClick={() => onPersonal("keep")}>
            {m.personal.keepAll}
          </button>
        )}
      </p>
    </div>
  );
}
