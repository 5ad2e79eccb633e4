// What every part of the page uses: elements from templates, requests, and small numbers as text.
import { h, render, Fragment } from "./vendor/preact.js";
import { useState, useEffect, useRef, useMemo, useCallback } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { render, Fragment, useState, useEffect, useRef, useMemo, useCallback };

// Ask the server; an answer that is not well is an Error with its sentence. While too many wait, it asks again.
export async function ask(path, body, signal, tries = 3) {
  let answer;
  try {
    answer = await fetch(path, body === undefined ? { signal } : {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
  }
  if (answer.status === 503 && tries > 1) {
    await wait(Math.min(5, Number(answer.headers.get("Retry-After")) || 1));
    if (!signal?.aborted) return ask(path, body, signal, tries - 1);
  }
  const found = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
  if (!answer.ok) throw new Error(found.error || `The server answered ${answer.status}.`);
  return found;
}

export const percent = (p) => (p === undefined || p === null ? "" : p >= 0.9995 ? "100 %" : `${(p * 100).toFixed(p < 0.0995 ? 1 : 0)} %`);
export const signed = (x) => (x >= 0 ? "+" : "−") + Math.abs(x).toFixed(Math.abs(x) >= 10 ? 1 : 2);
export const wait = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

// How sure a probability is, as a class of the style sheet.
export const sureness = (p) => (p === undefined || p === null ? "" : p >= 0.9 ? "sure" : p >= 0.6 ? "likely" : "doubtful");
// How strongly something is drawn.
export const strength = (p) => (p === undefined || p === null ? 1 : 0.35 + 0.65 * p);

// The width of a text as it is drawn.
const canvas = document.createElement("canvas").getContext("2d");
export const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif';
export function width(text, size = 16, weight = 400) {
  canvas.font = `${weight} ${size}px ${FONT}`;
  return canvas.measureText(text).width;
}

// Whether most words are written from right to left.
const RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const isRightToLeft = (tokens) => tokens.filter((token) => RIGHT.test(token.form ?? token.word ?? "")).length * 2 > tokens.length;

// Props that make a drawn thing a button: by mouse, and by keyboard.
export const button = (label, act) => ({
  role: "button",
  tabindex: 0, // in SVG, attributes have small letters
  "aria-label": label,
  onClick: act,
  onKeyDown: (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act(event);
    }
  },
});

// The width of an element as it changes.
export function useWidth(ref) {
  const [found, setFound] = useState(900);
  useEffect(() => {
    if (!ref.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setFound(Math.round(entry.contentRect.width)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return found;
}
