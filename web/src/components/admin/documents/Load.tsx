// Documents into Bedside from the page, one after another; of each it is said what came of it.
import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import { asApiError } from "../../../api/errors";
import { READ } from "../../../api/kinds";
import type { Loaded, NoteOut } from "../../../api/types";
import { failureWords, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useFacets } from "../../../queries/documents/facets";
import { useSession } from "../../../queries/session";
import { useLoad } from "../../../queries/staff/documents";
import { allGroups, type Chosen, groupsAtLoad, isGroup, isOpen } from "../../../state/staff/account";
import type { Named } from "../../../state/staff/metadata";
import { AccessDoubts, useAccessDoubts } from "../AccessDoubts";
import { LoadedReaders, LoadReaders } from "../LoadReaders";
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
  groups: readonly string[]; // that it was loaded for
}

export function Load() {
  const m = useStaffMessages();
  const help = useId();
  const input = useRef<HTMLInputElement>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [waiting, setWaiting] = useState<readonly string[]>([]); // names, the first being loaded
  const [over, setOver] = useState(false); // files are held above
  const usual = groupsAtLoad(useSession().data?.user?.groups ?? []);
  const [said, setSaid] = useState<Chosen | null>(); // who may read them
  const chosen = said === undefined && isOpen(usual) ? null : said; // else it might reach few unseen
  const [asked, setAsked] = useState<readonly File[]>([]); // files of which it is asked whether that is meant
  const [held, setHeld] = useState<readonly File[]>([]); // until it is known who may read them
  const [untaken, setUntaken] = useState<readonly File[]>([]); // dropped before anybody was chosen
  const last = useRef(Promise.resolve()); // the file before this one
  const { data: facets } = useFacets();
  const { mutateAsync: loadOne } = useLoad();
  const groups = chosen ? allGroups(chosen) : [];
  const doubts = useAccessDoubts(groups);
  const lacking = chosen === undefined || (chosen !== null && (groups.length === 0 || !groups.every(isGroup)));
  const closed = waiting.length > 0 || lacking || doubts.waits;
  const load = (files: readonly File[]): void => {
    forget();
    if (waiting.length === 0) setLines([]);
    setWaiting((before) => [...before, ...files.map(({ name }) => name)]);
    const named = { owner: facets?.owners ?? [], department: facets?.departments ?? [] };
    const loadNext = async (file: File): Promise<void> => {
      const about = { name: file.name, named, groups };
      const line = await loadOne({ file, groups }).then(
        (loaded): Line => ({ ...about, loaded }),
        (error): Line => ({ ...about, code: asApiError(error).code }),
      );
      setLines((before) => [...before.filter(({ name }) => name !== file.name), line]);
      setWaiting((before) => before.slice(1));
    };
    for (const file of files) last.current = last.current.then(() => loadNext(file));
  };
  const forget = (): void => {
    setAsked([]);
    setUntaken([]);
    if (input.current) input.current.value = ""; // so that the same file can be chosen again
  };
  const take = (files: readonly File[]): void => {
    if (files.length === 0) return;
    if (lacking) setUntaken(files);
    else if (doubts.waits) setHeld([...held, ...files]);
    else if (doubts.any && waiting.length === 0)
      void doubts.again().then(() => setAsked((before) => [...before, ...files])); // somebody may be in it by now
    else load(files);
  };
  useEffect(() => {
    if (doubts.waits || held.length === 0) return;
    setHeld([]);
    take(held);
  });
  useEffect(() => {
    if (asked.length > 0 && !doubts.any && !closed) load(asked); // the doubt has ended meanwhile
  });
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
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
      <LoadReaders
        usual={usual}
        chosen={chosen}
        disabled={waiting.length > 0}
        onChange={(now) => {
          setSaid(now);
          forget();
        }}
      />
      <label className="admin-search">
        {m.admin.load}
        <input
          type="file"
          multiple
          accept={READ.map((kind) => `.${kind}`).join()}
          aria-describedby={help}
          ref={input}
          disabled={closed}
          onChange={(event) => take([...(event.target.files ?? [])])}
        />
      </label>
      <p className="load-help" id={help}>
        {chosen === undefined ? m.access.sayFirst : lacking ? m.access.chooseFirst : m.admin.dropHelp}{" "}
        {m.admin.loadHelp(READ.join(", "))}
      </p>
      {untaken.length > 0 && (
        <p className="notice" role="alert">
          {m.access.notTaken(untaken.map(({ name }) => name))}
        </p>
      )}
      {asked.length > 0 && doubts.any && (
        <div className="notice" role="alert">
          <AccessDoubts {...doubts} />
          <p className="owner-choices">
            <button type="button" className="button" onClick={() => load(asked)}>
              {m.access.loadAllTheSame(asked.length)}
            </button>
            <button type="button" className="link" onClick={forget}>
              {m.accounts.cancel}
            </button>
          </p>
        </div>
      )}
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
                {loaded?.document_id && <LoadedReaders id={loaded.document_id} groups={line.groups} />}
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
      <Loading waiting={waiting} held={held.map(({ name }) => name)} />
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
  const words: Record<string, string | undefined> = {
    too_large: m.admin.reasons.too_large,
    conflict: m.admin.busy,
    not_allowed: m.admin.adminsOnly,
    no_way_back: m.access.noWayBack,
  };
  return words[code] ?? failureWords(code, m);
}
