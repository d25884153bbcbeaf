// A part that comes after the rest. One that failed to come is fetched again when the connection is
// back.
import { type ComponentType, createElement, lazy } from "react";

// What fetches a part fetches its style sheet no second time.
addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement)
      addEventListener("online", () => target.replaceWith(target.cloneNode()), { once: true });
  },
  true,
);

/** Stands in an `Optional`, which says what is there until it has come. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const begun = () =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch (error) {
        addEventListener("online", again, { once: true });
        throw error;
      }
    });
  const again = (): void => {
    Part = begun();
  };
  let Part: ComponentType<Props> = begun();
  return (props) => createElement(Part, props);
}
