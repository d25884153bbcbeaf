// Words for an owner, or of one, seem to identify a patient: nothing was kept, and they go without
// that or not at all.
interface Props {
  words: { personal: string; remove: string };
  instead: string;
  onRemove(): void;
}

export function Personal({ words, instead, onRemove }: Props) {
  return (
    <div className="notice serious" role="alert">
      <p>{words.personal}</p>
      <p>
        <q>{instead}</q>
      </p>
      <button type="button" className="button" onClick={onRemove}>
        {words.remove}
      </button>
    </div>
  );
}
