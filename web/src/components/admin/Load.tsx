// Documents into Bedside from the page, one after another; of each it is said what came of it.
import { useRef, useState } from "react";
import { ApiError } from "../../api/client";
import { type Loaded, loadDocument } from "../../api/documents";
import { type Messages, useMessages } from "../../i18n";

interface Line {
  name: string;
  words: string;
  wrong: boolean;
}

export function Load({ onLoaded }: { onLoaded(): void }) {
  const m = useMessages();
  const input = useRef<HTMLInputElement>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [loading, setLoading] = useState<string | null>(null);
  const load = async (files: readonly File[]): Promise<void> => {
    setLines([]);
    for (const file of files) {
      setLoading(file.name);
      const line = await loadDocument(file).then(
        (loaded) => lineOf(file.name, loaded, m),
        (error) => refused(file.name, error, m),
      );
      setLines((before) => [...before, line]);
      onLoaded();
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
  const code = error instanceof ApiError ? error.code : "internal";
  const words = { too_large: m.admin.reasons.too_large, conflict: m.admin.busy, not_found: m.admin.adminsOnly }[code];
  return { name, words: words ?? m.errors[code] ?? m.errors.internal ?? "", wrong: true };
}
