// A new webhook: its address and, where the other system gives one, its secret. What Bedside made
// is shown once.
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { NewWebhook as Made } from "../../../api/types";
import { failureWords, useStaffMessages } from "../../../i18n";
import { useAddWebhook } from "../../../queries/staff/webhooks";

export function NewWebhook({ onMade }: { onMade(made: Made): void }) {
  const m = useStaffMessages();
  const help = useId();
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState("");
  const { mutate, error, isPending } = useAddWebhook();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ url: url.trim(), secret: secret.trim() }, { onSuccess: onMade });
  };
  return (
    <form className="card new-webhook" onSubmit={submit} aria-label={m.webhooks.new}>
      <div className="document-field">
        <label>
          {m.webhooks.url}
          <input
            required
            type="url"
            maxLength={2000}
            placeholder="https://"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        </label>
      </div>
      <div className="document-field">
        <label>
          {m.webhooks.secret}
          <input
            autoComplete="off"
            maxLength={200}
            value={secret}
            aria-describedby={help}
            onChange={(event) => setSecret(event.target.value)}
          />
        </label>
        <p className="field-help" id={help}>
          {m.webhooks.secretHelp}
        </p>
      </div>
      {error && (
        <p className="notice serious" role="alert">
          {error.code === "invalid_input" || error.code === "invalid_request"
            ? m.webhooks.refused
            : failureWords(error.code, m)}
        </p>
      )}
      <p className="judge-foot">
        <button type="submit" className="button primary" disabled={isPending || !url.trim()}>
          {m.webhooks.add}
        </button>
      </p>
    </form>
  );
}

export function SecretMade({ made, onDone }: { made: Made; onDone(): void }) {
  const m = useStaffMessages();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <section className="card key-made" aria-label={m.webhooks.secret}>
      <p>{m.webhooks.madeLead}</p>
      <span className="with-button">
        <input readOnly ref={field} aria-label={m.webhooks.secret} value={made.secret} />
      </span>
      <p className="judge-foot">
        <button type="button" className="button primary" onClick={onDone}>
          {m.keys.done}
        </button>
      </p>
    </section>
  );
}
