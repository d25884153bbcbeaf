// Copies the address of a place in a document, short: it is sent by chat and by mail. Comes when it
// is first shown.
import { type Place, placePath } from "../../../state/window/route";
import { shortened } from "../../../text/documents/shortened";
import { CopyLink } from "./CopyLink";

interface Props {
  place: Place;
  label?: string;
}

export const PlaceLink = ({ place, ...rest }: Props) => (
  <CopyLink {...rest} path={placePath({ ...place, quotes: shortened(place.quotes) })} />
);
