// The lines that a document's text was read without: headers, footers, page numbers. Many are
// folded away.
import type { DocumentDetail } from "../../../api/types";
import { useStaffMessages } from "../../../i18n";

const FEW = 6;

export function Cut({ document: { cut, language } }: { document: DocumentDetail }) {
  const m = useStaffMessages();
  if (cut.length === 0) return null;
  return (
    <details className="document-cut" open={cut.length <= FEW}>
      <summary className="link">{m.admin.cut(cut.length)}</summary>
      <ul>
        {keyed(cut).map(([key, { page, reason, text }]) => (
          <li key={key}>
            <span className="muted">{m.admin.cutAt(page, m.admin.cutReasons[reason] ?? reason)}</span>{" "}
            <span lang={language || undefined}>{text}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** By its place: one page may hold the same line twice. */
const keyed = <One,>(lines: readonly One[]): [number, One][] => lines.map((line, place) => [place, line]);
