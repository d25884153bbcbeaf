// Where an answer stands: a document, chosen while its name is typed, a page and the words.
import { useId } from "react";
import { useStaffMessages } from "../../../i18n";
import { useFileNames } from "../../../queries/staff/documents";
import { useDelayed } from "../../../queries/useDelayed";
import type { Place } from "../../../state/staff/judged";

const LONGEST = 200; // the service's limit

interface PlaceProps {
  place: Place;
  number: number;
  onPlace(place: Place): void;
  onRemove(): void;
}

export function PlaceRow({ place, number, onPlace, onRemove }: PlaceProps) {
  const m = useStaffMessages();
  const list = useId();
  // without them it can be typed
  const { data: names } = useFileNames(useDelayed(place.document.trim()).slice(0, LONGEST));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box within the box
    <div role="group" className="judge-place wide" aria-label={m.sets.place(number)}>
      <label className="judge-words">
        {m.sets.document}
        <input
          list={list}
          maxLength={300}
          value={place.document}
          onChange={(event) => onPlace({ ...place, document: event.target.value })}
        />
        <datalist id={list}>
          {names?.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      <label>
        {m.quality.page}
        <input
          type="number"
          min={1}
          value={place.page}
          onChange={(event) => onPlace({ ...place, page: event.target.value })}
        />
      </label>
      <label className="judge-words span">
        {m.quality.words}
        <textarea rows={2} value={place.span} onChange={(event) => onPlace({ ...place, span: event.target.value })} />
      </label>
      <button type="button" className="link" onClick={onRemove}>
        {m.sets.removePlace(number)}
      </button>
    </div>
  );
}
