// What waits until the page has been drawn for the first time: nothing of it stands in the way of
// that.

const PAINT = "first-contentful-paint";
const whenIdle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500));

/** Does it as soon as the browser has time then. */
export function onceDrawn(work: () => void): void {
  if (!PerformanceObserver.supportedEntryTypes?.includes("paint")) {
    whenIdle(work);
    return;
  }
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName(PAINT).length === 0) return;
    observer.disconnect();
    whenIdle(work);
  });
  observer.observe({ type: "paint", buffered: true });
}
