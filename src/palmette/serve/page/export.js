// Drawings as SVG and PNG files, answers as CoNLL-U, brackets and JSON.
import { html } from "./ui.js";
import { conllu } from "./read.js";

const COPIED = ["fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "stroke-dasharray", "font-family", "font-weight", "text-anchor", "opacity"];

// The drawing with its colours written into it, so that it looks the same without the page.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of COPIED) if (style.getPropertyValue(name)) to[i].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "role", "tabindex", "aria-label", "data-token"]) to[i].removeAttribute(name);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(svg.closest(".card") || document.body).backgroundColor })) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

export function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function savePng(svg, name) {
  const image = new Image(), scale = 2;
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [svg.width.baseVal.value * scale, svg.height.baseVal.value * scale];
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    URL.revokeObjectURL(image.src);
    canvas.toBlob((blob) => save(name, "image/png", blob));
  };
  image.src = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
}

export function Export({ sentence, drawing, number }) {
  const svg = () => drawing.current?.querySelector("svg.drawing");
  const name = `sentence-${number}`;
  const made = sentence.kind === "other" ? [] : [["SVG", () => svg() && save(`${name}.svg`, "image/svg+xml", standalone(svg()))], ["PNG", () => svg() && savePng(svg(), `${name}.png`)]];
  if (sentence.kind === "tree") made.push(["brackets", () => save(`${name}.mrg`, "text/plain", `${sentence.tree}\n`)]);
  if (["arcs", "tags", "spans"].includes(sentence.kind)) made.push(["CoNLL-U", () => save(`${name}.conllu`, "text/plain", conllu(sentence))]);
  const { tool, kind, raw, ...rest } = sentence;
  made.push(["JSON", () => save(`${name}.json`, "application/json", JSON.stringify(raw ?? rest, null, 2) + "\n")]);
  return html`<div class="exports" role="group" aria-label="Save sentence ${number}">${made.map(([label, act]) => html`<button class="plain" onClick=${act}>${label}</button>`)}</div>`;
}
