// The way to the pages for quality staff; nothing for those who may not see them.
import { useEffect, useState } from "react";
import { getJudgedSets } from "../../api/quality";
import { useMessages } from "../../i18n";
import { QUALITY_PAGES, QUALITY_PATHS } from "../../state/route";

export function QualityLinks() {
  const m = useMessages();
  const [allowed, setAllowed] = useState(false);
  useEffect(() => {
    getJudgedSets().then(
      () => setAllowed(true),
      () => undefined,
    );
  }, []);
  if (!allowed) return null;
  return (
    <>
      {QUALITY_PAGES.map((name) => (
        <li key={name} className="quality-link">
          <a className="quiet" href={QUALITY_PATHS[name]}>
            {m.quality[name]}
          </a>
        </li>
      ))}
    </>
  );
}
