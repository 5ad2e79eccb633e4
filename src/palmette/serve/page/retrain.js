// Training again from the corrections: progress, the learning curve, and whether the new model is served.
import { html, percent, width } from "./ui.js";

export function Retraining({ found, n, all, act }) {
  const { state, curve, before } = found, running = state === "running";
  const score = curve.length ? curve[curve.length - 1].score : null;
  return html`<section class="card retraining" aria-label="Train again">
    <div class="row wrap tools"><h3>Train again</h3>
      ${running ? html`<button onClick=${() => act("stop")}>Stop</button>` : html`
        <button class=${state === "done" ? "" : "main"} disabled=${!n} onClick=${() => act("train")}>Learn from the ${n} corrected ${n === 1 ? "sentence" : "sentences"}</button>
        <button onClick=${() => act("train", { every: true })}>… from all ${all} of the file</button>`}
      ${state === "done" && !found.used ? html`<button class="main" onClick=${() => act("use", { new: true })}>Use the new model</button>` : null}
      ${found.used ? html`<button onClick=${() => act("use", { new: false })}>Use the first model again</button>` : null}</div>
    ${running ? html`<div class="row"><progress max=${found.steps || 1} value=${found.done} aria-label="Training"></progress><span class="quiet" role="status">${found.step}${found.line ? ` · ${found.line}` : ""}</span></div>` : null}
    ${state === "failed" ? html`<p class="error" role="alert">The training failed: ${found.error}</p>` : null}
    ${state === "stopped" ? html`<p class="quiet" role="status">The training was stopped; what it learnt is lost.</p>` : null}
    ${state === "done" ? html`<p role="status">Learnt from ${found.sentences} sentences${score === null ? "; correct ten and more, and every fifth measures what was learnt" : html`: ${found.measure} <b>${percent(score)}</b>${before === null ? "" : html`, the model before <b>${percent(before)}</b>`}${found.held_out ? `, on ${found.held_out} that it did not see` : ""}`}. ${found.used ? html`It is served now, as <code>${found.model}</code>.` : ""}</p>` : null}
    ${curve.length ? html`<${Curve} found=${found} />` : null}
  </section>`;
}

function Curve({ found }) {
  const { curve, before, measure } = found, W = 420, H = 150, LEFT = 52, TOP = 12;
  const values = [...curve.map((point) => point.score), ...(before === null ? [] : [before])];
  const low = Math.max(0, Math.min(...values) - 0.03), high = Math.min(1, Math.max(...values) + 0.03), most = curve[curve.length - 1].sentences;
  const x = (n) => LEFT + (W * n) / most, y = (v) => TOP + H - (H * (v - low)) / (high - low || 1);
  const label = "the model before", w = LEFT + W + Math.max(24, before === null ? 0 : width(label, 12) + 16);
  return html`<figure><div class="scroll" tabIndex="0" role="region" aria-label="Plot"><svg class="drawing steps plot" width=${w} height=${TOP + H + 40} viewBox="0 0 ${w} ${TOP + H + 40}" role="img" aria-label="Learning curve">
      ${[low, (low + high) / 2, high].map((v) => html`<line class="axis" x1=${LEFT} x2=${LEFT + W} y1=${y(v)} y2=${y(v)} /><text class="tick side" x=${LEFT - 7} y=${y(v) + 4} font-size="11">${(100 * v).toFixed(1)}</text>`)}
      ${before === null ? null : html`<line class="series best" x1=${LEFT} x2=${LEFT + W} y1=${y(before)} y2=${y(before)} /><text class="end" x=${LEFT + W + 8} y=${y(before) + 4} font-size="12">${label}</text>`}
      <polyline class="series metric" points=${curve.map((point) => `${x(point.sentences)},${y(point.score)}`).join(" ")} />
      ${curve.map((point) => html`<circle class="dot" cx=${x(point.sentences)} cy=${y(point.score)} r="4" /><text class="tick" x=${x(point.sentences)} y=${TOP + H + 17} font-size="11">${point.sentences}</text>`)}
      <text class="tick" x=${LEFT + W / 2} y=${TOP + H + 35} font-size="12">sentences learnt from</text></svg></div>
    <table class="hidden"><caption>Learning curve: ${measure}</caption><tbody>${curve.map((point) => html`<tr><th scope="row">${point.sentences} sentences</th><td>${percent(point.score)}</td></tr>`)}</tbody></table></figure>`;
}
