// Documents into Bedside from the page, one after another; of each it is said what came of it.
import { useRef, useState } from "react";
import { asApiError } from "../../api/errors";
import type { Loaded } from "../../api/types";
import { failureWords, type Messages, useMessages } from "../../i18n";
import { useLoad } from "../../queries/documents";

interface Line {
  name: string;
  words: string;
  wrong: boolean;
}

export function Load() {
  const m = useMessages();
  const input = useRef<HTMLInputElement>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [loading, setLoading] = useState<string | null>(null);
  const { mutateAsync: loadOne } = useLoad();
  const load = async (files: readonly File[]): Promise<void> => {
    setLines([]);
    for (const file of files) {
      setLoading(file.name);
      const line = await loadOne(file).then(
        (loaded) => lineOf(file.name, loaded, m),
        (error) => refused(file.name, error, m),
      );
      setLines((before) => [...before, line]);
    }
    setLoading(null);
    if (input.current) input.current.value = ""; // so that the same file can be chosen again
  };
  return (
    <div className="load">
      <label className="admin-search">
        {m.admin.load}
        <input
          type="file"
          multiple
          accept=".pdf,.docx,application/pdf"
          ref={input}
          disabled={loading !== null}
          onChange={(event) => void load([...(event.target.files ?? [])])}
        />
      </label>
      <div aria-live="polite">
        <ul className="loaded">
          {lines.map(({ name, words, wrong }) => (
            <li key={name} className={wrong ? "wrong" : undefined}>
              {name}: {words}
            </li>
          ))}
        </ul>
        {loading !== null && <p className="muted">{m.admin.loading(loading)}</p>}
      </div>
    </div>
  );
}

function lineOf(name: string, loaded: Loaded | undefined, m: Messages): Line {
  if (loaded?.outcome === "indexed") return { name, words: m.admin.indexed, wrong: false };
  if (loaded?.outcome === "unchanged") return { name, words: m.admin.unchanged, wrong: false };
  return { name, words: m.admin.reasons[loaded?.reason ?? ""] ?? loaded?.message ?? "", wrong: true };
}

function refused(name: string, error: unknown, m: Messages): Line {
  const { code } = asApiError(error);
  const words = { too_large: m.admin.reasons.too_large, conflict: m.admin.busy, not_found: m.admin.adminsOnly }[code];
  return { name, words: words ?? failureWords(code, m), wrong: true };
}
