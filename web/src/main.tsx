import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles/tokens.css";
import "./styles/page.css";
import "./styles/answer.css";
import "./styles/source.css";
import "./styles/quality.css";
import "./styles/scope.css";
import "./styles/admin.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
