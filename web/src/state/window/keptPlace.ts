// What is read stays in sight while the words become larger or smaller.

const READ = ".turns :is(h2, h3, p, li, tr)";

/** `change`: of how large words are, which is seen in the frame after it. */
export function keepPlace(change: () => void): void {
  const pane = document.querySelector(".conversation");
  const top = Math.max(0, pane?.getBoundingClientRect().top ?? 0);
  const scrolled = pane !== null && (pane.scrollTop > 0 || window.scrollY > 0);
  const read = [...document.querySelectorAll(READ)].find((one) => one.getBoundingClientRect().bottom > top + 1);
  change();
  if (scrolled) setTimeout(() => requestAnimationFrame(() => read?.scrollIntoView({ block: "start" })));
}
