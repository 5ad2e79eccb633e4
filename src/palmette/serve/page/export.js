// Drawings as SVG and PNG files, answers as CoNLL-U, brackets and JSON.
import { html, width } from "./ui.js";
import { conllu } from "./read.js";

const COPIED = ["fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "stroke-dasharray", "font-family", "font-weight", "text-anchor", "opacity"];

// The drawing with its colours written into it, so that it looks the same without the page.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of COPIED) if (style.getPropertyValue(name)) to[i].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "role", "tabindex", "aria-label", "data-token", "data-arc"]) to[i].removeAttribute(name);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(svg.closest(".card") || document.body).backgroundColor })) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

// Drawings one below the other, each with its title.
function stacked(svgs) {
  if (svgs.length === 1) return standalone(svgs[0]);
  const made = (name, values, ...inside) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const look = getComputedStyle(document.body), parts = [];
  let top = 12, wide = 0;
  for (const svg of svgs) {
    const title = svg.closest("figure")?.querySelector("figcaption")?.textContent || "";
    const inner = new DOMParser().parseFromString(standalone(svg), "image/svg+xml").documentElement;
    for (const [key, value] of [["x", 16], ["y", top + 28]]) inner.setAttribute(key, value);
    parts.push(made("text", { x: 16, y: top + 16, "font-size": 14, "font-family": look.fontFamily, fill: look.color }, title), inner);
    top += 28 + svg.height.baseVal.value + 24;
    wide = Math.max(wide, svg.width.baseVal.value, width(title, 14));
  }
  const ground = made("rect", { width: "100%", height: "100%", fill: getComputedStyle(svgs[0].closest(".card") || document.body).backgroundColor });
  return new XMLSerializer().serializeToString(made("svg", { width: wide + 32, height: top, viewBox: `0 0 ${wide + 32} ${top}` }, ground, ...parts));
}

export function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function savePng(text, name) {
  const image = new Image(), scale = 2;
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth * scale, image.naturalHeight * scale];
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    URL.revokeObjectURL(image.src);
    canvas.toBlob((blob) => save(name, "image/png", blob));
  };
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
}

export function Export({ sentence, drawing, number, name = `sentence-${number}` }) {
  const svgs = () => [...(drawing.current?.querySelectorAll("svg.drawing") || [])].slice(0, sentence.kind === "trace" ? undefined : 1);
  const made = ["other", "neighbours"].includes(sentence.kind) ? [] : [["SVG", () => svgs().length && save(`${name}.svg`, "image/svg+xml", stacked(svgs()))], ["PNG", () => svgs().length && savePng(stacked(svgs()), `${name}.png`)]];
  if (sentence.kind === "tree") made.push(["brackets", () => save(`${name}.mrg`, "text/plain", `${sentence.tree}\n`)]);
  if (["arcs", "tags", "spans"].includes(sentence.kind)) made.push(["CoNLL-U", () => save(`${name}.conllu`, "text/plain", conllu(sentence))]);
  const { tool, kind, raw, ...rest } = sentence;
  made.push(["JSON", () => save(`${name}.json`, "application/json", JSON.stringify(raw ?? rest, null, 2) + "\n")]);
  return html`<div class="exports" role="group" aria-label="Save ${name}">${made.map(([label, act]) => html`<button class="plain" onClick=${act}>${label}</button>`)}</div>`;
}
