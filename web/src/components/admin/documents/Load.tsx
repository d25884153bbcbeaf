// Documents into Bedside from the page, one after another; of each it is said what came of it.
import { type DragEvent, useId, useRef, useState } from "react";
import { asApiError } from "../../../api/errors";
import { READ } from "../../../api/kinds";
import type { Loaded, NoteOut } from "../../../api/types";
import { failureWords, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useFacets } from "../../../queries/documents/facets";
import { useLoad } from "../../../queries/staff/documents";
import type { Named } from "../../../state/staff/metadata";
import { Check } from "./Check";
import { LeftOut } from "./LeftOut";
import { Loading } from "./Loading";
import { Notes } from "./Notes";

/**
 * What came of a file; its words are made when it is drawn, in the language that is spoken then.
 */
interface Line {
  name: string;
  loaded?: Loaded | undefined;
  code?: string; // of a file that the service refused
  named: Named; // by the documents that were there before
}

export function Load() {
  const m = useStaffMessages();
  const help = useId();
  const input = useRef<HTMLInputElement>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [waiting, setWaiting] = useState<readonly string[]>([]); // names, the first being loaded
  const [over, setOver] = useState(false); // files are held above
  const { data: facets } = useFacets();
  const { mutateAsync: loadOne } = useLoad();
  const load = async (files: readonly File[]): Promise<void> => {
    setLines([]);
    const named = { owner: facets?.owners ?? [], department: facets?.departments ?? [] };
    for (const [place, file] of files.entries()) {
      setWaiting(files.slice(place).map(({ name }) => name));
      const line = await loadOne(file).then(
        (loaded): Line => ({ name: file.name, loaded, named }),
        (error): Line => ({ name: file.name, code: asApiError(error).code, named }),
      );
      setLines((before) => [...before, line]);
    }
    setWaiting([]);
    if (input.current) input.current.value = ""; // so that the same file can be chosen again
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (waiting.length === 0 && files.length > 0) void load(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what can be dropped here can be chosen in the field within
    <div
      className={over ? "load over" : "load"}
      onDragOver={(event) => {
        event.preventDefault(); // else the browser opens the file in place of the page
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label className="admin-search">
        {m.admin.load}
        <input
          type="file"
          multiple
          accept={READ.map((kind) => `.${kind}`).join()}
          aria-describedby={help}
          ref={input}
          disabled={waiting.length > 0}
          onChange={(event) => void load([...(event.target.files ?? [])])}
        />
      </label>
      <p className="load-help" id={help}>
        {m.admin.dropHelp} {m.admin.loadHelp(READ.join(", "))}
      </p>
      <div aria-live="polite">
        <ul className="loaded">
          {lines.map((line) => {
            const { name, loaded } = line;
            const wrong = loaded?.outcome !== "indexed" && loaded?.outcome !== "unchanged";
            return (
              <li key={name}>
                <span className={wrong ? "wrong" : undefined}>
                  {name}: {wordsOf(line, m)}
                </span>
                {loaded && <Notes {...loaded} notes={told(loaded)} failed={wrong} />}
                {loaded?.document_id && loaded.outcome === "indexed" && (
                  <>
                    <LeftOut id={loaded.document_id} notes={loaded.notes} />
                    <Check id={loaded.document_id} named={line.named} alone={lines.length + waiting.length === 1} />
                  </>
                )}
              </li>
            );
          })}
        </ul>
      </div>
      <Loading waiting={waiting} />
    </div>
  );
}

function wordsOf({ loaded, code }: Line, m: StaffMessages): string {
  if (code !== undefined) return refused(code, m);
  if (loaded?.outcome === "indexed") return indexed(loaded, m);
  if (loaded?.outcome === "unchanged") return m.admin.unchanged;
  const why = m.admin.reasons[loaded?.reason ?? ""] ?? m.admin.notRead;
  return loaded?.kept ? `${why}; ${m.admin.kept}` : why;
}

function indexed({ cut, renamed_from }: Loaded, m: StaffMessages): string {
  return [m.admin.indexed, renamed_from && m.admin.renamed(renamed_from), cut > 0 && m.admin.cut(cut)]
    .filter(Boolean)
    .join("; ");
}

const told = ({ outcome, message, notes }: Loaded): NoteOut[] =>
  outcome === "failed" && message ? [{ text: message, code: "", values: {} }] : notes;

function refused(code: string, m: StaffMessages): string {
  const words = { too_large: m.admin.reasons.too_large, conflict: m.admin.busy, not_allowed: m.admin.adminsOnly }[code];
  return words ?? failureWords(code, m);
}
