// Where the answer of a judged question stands: in some documents, or in none.
import { useStaffMessages } from "../../../i18n";
import { type Form, newPlace, type Place, withoutAnswer, withPlaces } from "../../../state/staff/judged";
import { PlaceRow } from "./PlaceRow";

interface Props {
  form: Form;
  onChange(part: Partial<Form>): void;
}

export function Places({ form, onChange }: Props) {
  const m = useStaffMessages();
  const put = (places: Place[]): void => onChange(withPlaces(form, places));
  const replace = (place: Place): void => put(form.places.map((one) => (one.key === place.key ? place : one)));
  const remove = (key: number): void => put(form.places.filter((one) => one.key !== key));
  return (
    <fieldset className="places">
      <legend>{m.quality.held}</legend>
      {form.places.map((place, index) => (
        <PlaceRow
          key={place.key}
          place={place}
          number={index + 1}
          onPlace={replace}
          onRemove={() => remove(place.key)}
        />
      ))}
      <p className="judge-foot wide">
        <button type="button" className="link" onClick={() => put([...form.places, newPlace()])}>
          {m.sets.addPlace}
        </button>
        <label className="judge-choice">
          <input
            type="checkbox"
            checked={form.noAnswer}
            onChange={(event) => onChange(withoutAnswer(form, event.target.checked))}
          />
          {m.quality.none}
        </label>
      </p>
    </fieldset>
  );
}
