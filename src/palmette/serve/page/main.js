// The page: which view is shown, in which colours.
import { html, render, useState, useEffect, ask } from "./ui.js";
import { Try } from "./try.js";
import { Correct } from "./correct.js";
import { Look } from "./look.js";

const VIEWS = { try: ["Try", Try], correct: ["Correct", Correct], look: ["Look inside", Look] };
const start = () => {
  const name = location.hash.slice(1).split("/")[0];
  return name in VIEWS ? name : "try";
};

function Page() {
  const [about, setAbout] = useState({});
  const [view, setView] = useState(start());
  const [model, setModel] = useState(null);
  const [dark, setDark] = useState(localStorage.getItem("palmette-dark") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "yes" : "no"));
  useEffect(() => {
    ask("/v1/models").then(setAbout, (error) => setAbout({ error: error.message }));
    const turned = () => setView(start());
    addEventListener("hashchange", turned);
    return () => removeEventListener("hashchange", turned);
  }, []);
  useEffect(() => {
    document.documentElement.dataset.theme = dark === "yes" ? "dark" : "light";
  }, [dark]);
  const Shown = VIEWS[view][1];
  return html`
    <a class="skip" href="#main" onClick=${(e) => {
      e.preventDefault();
      document.getElementById("main")?.querySelector("select, textarea, button")?.focus();
    }}>Skip to the content</a>
    <header class="top"><a class="brand" href="#try"><img src="/page/palmette.svg" alt="" width="26" height="26" />Palmette</a>
      <nav aria-label="Views">${Object.entries(VIEWS).filter(([name]) => name !== "correct" || about.editing).map(([name, [title]]) => html`<a href="#${name}" aria-current=${view === name ? "page" : null}>${title}</a>`)}</nav>
      <button class="plain" aria-pressed=${dark === "yes"} onClick=${() => {
        const next = dark === "yes" ? "no" : "yes";
        localStorage.setItem("palmette-dark", next);
        setDark(next);
      }}>${dark === "yes" ? "Light" : "Dark"}</button></header>
    ${about.error ? html`<main><p class="error card" role="alert">${about.error}</p></main>` : null}
    ${about.models ? html`<${Shown} models=${about.models} model=${model} setModel=${setModel} />` : null}`;
}

render(html`<${Page} />`, document.getElementById("app"));
