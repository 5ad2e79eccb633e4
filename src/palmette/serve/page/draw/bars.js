// Probabilities as bars, and contributions that sum to a margin.
import { html, percent, signed } from "../ui.js";

export function Distribution({ values, chosen, name = "value" }) {
  const rows = Object.entries(values);
  return html`<table class="bars"><caption class="quiet">${name}</caption><tbody>
    ${rows.map(([label, p]) => html`<tr class=${label === String(chosen) ? "chosen" : ""}>
      <th scope="row">${label}</th>
      <td class="bar"><svg width="120" height="10" aria-hidden="true"><rect width=${Math.max(120 * p, 1)} height="10" rx="3" /></svg></td>
      <td class="number">${percent(p)}</td></tr>`)}
  </tbody></table>`;
}

export function Contributions({ decision }) {
  const parts = [...decision.contributions];
  if (Math.abs(decision.rest) > 1e-6) parts.push({ feature: "all others", amount: decision.rest, rest: true });
  const most = Math.max(1e-9, ...parts.map((part) => Math.abs(part.amount)));
  return html`<table class="bars why"><thead class="hidden"><tr><th scope="col">feature</th><th scope="col">share</th><th scope="col">amount</th></tr></thead><tbody>
    ${parts.map((part) => html`<tr class=${part.rest ? "rest" : ""}>
      <th scope="row">${part.feature}${part.detail ? html` <small>${part.detail}</small>` : null}</th>
      <td class="bar"><svg width="120" height="10" aria-hidden="true"><line x1="60" x2="60" y1="0" y2="10" />
        <rect class=${part.amount < 0 ? "minus" : "plus"} x=${part.amount < 0 ? 60 - (58 * -part.amount) / most : 60} width=${(58 * Math.abs(part.amount)) / most} height="10" rx="2" /></svg></td>
      <td class="number">${signed(part.amount)}</td></tr>`)}
    <tr class="sum"><th scope="row">margin</th><td></td><td class="number">${decision.margin === null ? "" : signed(decision.margin)}</td></tr>
  </tbody></table>`;
}
