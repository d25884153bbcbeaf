import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles/index.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

// What no page could catch, and nothing is drawn any more: without the words of either language,
// since those may be what is missing.
const broken = (error: unknown): void => {
  console.error(error);
  const words = Object.assign(document.createElement("p"), {
    className: "banner serious",
    textContent: "Er ging iets mis: laad de pagina opnieuw. / Something went wrong: load the page again.",
  });
  words.setAttribute("role", "alert");
  root.replaceChildren(words);
};
createRoot(root, { onUncaughtError: broken }).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
