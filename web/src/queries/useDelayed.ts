import { useEffect, useState } from "react";

const PAUSE = 200; // milliseconds

/** Return the value once it has not changed for a moment: not a request for every letter. */
export function useDelayed(value: string): string {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return delayed;
}
