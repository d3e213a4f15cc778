// Composes a move that is a row of values, such as a code of Mastermind: pick values, take them back, send.
"use strict";

import { svgElement, svgShape } from "./play_picture.js";

// More values than can be laid out are typed.
const VALUES_MAX = 24;

function peg(value) {
  const drawn = svgElement("svg", { class: "board peg", viewBox: "0 0 40 40", "aria-hidden": "true", focusable: "false" });
  if (!value) {
    drawn.append(svgShape({ kind: "disc", x: 20, y: 20, radius: 5, fill: "grid" }));
    return drawn;
  }
  const [fill, on] = value.paint ? [value.paint, "on-light"] : ["field", "ink"];
  drawn.append(svgShape({ kind: "disc", x: 20, y: 20, radius: 18, fill, stroke: "grid" }));
  drawn.append(svgShape({ kind: "label", x: 20, y: 20, text: value.text, size: 20 - 3 * value.text.length, fill: on, is_bold: true }));
  return drawn;
}

function button(words, onClick, ...children) {
  const made = document.createElement("button");
  made.type = "button";
  made.append(...(children.length ? children : [words]));
  if (children.length) made.setAttribute("aria-label", words);
  made.addEventListener("click", onClick);
  return made;
}

const nameOf = (value) => value.name || value.text;

export class CodeRow {
  // `onMove` hears the composed move, `onChange` what a listener should know of each step.
  constructor(code, { onMove, onChange = () => {} }) {
    this.code = code;
    this.onMove = onMove;
    this.onChange = onChange;
    this.row = Array(code.places).fill(null);
    this.next = 0;
    this.element = document.createElement("div");
    this.element.className = "play-code";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", code.purpose === "secret" ? "Your secret code" : "Your guess");
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.#build();
  }

  #build() {
    const { code } = this;
    this.slots = document.createElement("div");
    this.slots.className = "slots";
    this.palette = document.createElement("div");
    this.palette.className = "palette";
    this.clear = button("Clear", () => this.#clear());
    this.send = button(code.purpose === "secret" ? "Set the code" : "Guess", () => this.#send());
    this.send.className = "main send";
    this.clear.className = "clear";
    const acts = document.createElement("div");
    acts.className = "acts";
    acts.append(this.clear, this.send);
    this.places = this.row.map((_, place) => {
      const slot = button("", () => this.#empty(place), peg(null));
      slot.className = "slot";
      return slot;
    });
    this.slots.append(...this.places);
    this.values = code.values.length > VALUES_MAX ? [] : code.values.map((value) => this.#valueButton(value));
    this.palette.append(...this.values);
    this.element.append(this.slots, ...(this.values.length ? [this.palette] : [this.#field()]), acts);
    this.#show();
  }

  #valueButton(value) {
    const made = button(nameOf(value), () => this.pick(value), peg(value));
    made.className = "value";
    return made;
  }

  // For more values than there is room for: one after the other, as its text.
  #field() {
    const field = document.createElement("input");
    field.setAttribute("aria-label", `Next value, from ${this.code.values[0].text} to ${this.code.values.at(-1).text}`);
    field.inputMode = "numeric";
    field.addEventListener("change", () => {
      const value = this.code.values.find(({ text }) => text === field.value.trim());
      if (value) this.pick(value);
      field.value = "";
    });
    return field;
  }

  pick(value) {
    if (this.row[this.next] !== null) return;
    this.row[this.next] = value;
    const place = this.next;
    this.#seek();
    this.onChange(`Place ${place + 1}: ${nameOf(value)}.${this.isFull ? " All places are filled." : ""}`);
    this.#show();
  }

  get isFull() {
    return this.row.every((value) => value !== null);
  }

  #seek() {
    const free = this.row.indexOf(null);
    this.next = free < 0 ? this.row.length - 1 : free;
  }

  // Touching a filled place empties it; touching an empty one says where the next value goes.
  #empty(place) {
    if (this.row[place] !== null) this.onChange(`Place ${place + 1} is free.`);
    this.row[place] = null;
    this.next = place;
    this.#show();
  }

  #clear() {
    this.row.fill(null);
    this.next = 0;
    this.onChange("All places are free.");
    this.#show();
  }

  #send() {
    if (!this.isFull) return;
    this.onMove(this.row.map(({ text }) => text).join(this.code.separator ?? ""));
  }

  #onKey(event) {
    if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const value = this.code.values.find(({ text }) => text === event.key);
    if (value) this.pick(value);
    else if (event.key === "Backspace") {
      const filled = this.row.findLastIndex((each) => each !== null);
      if (filled >= 0) this.#empty(filled);
    } else return;
    event.preventDefault();
  }

  #show() {
    for (const [place, slot] of this.places.entries()) {
      const value = this.row[place];
      slot.replaceChildren(peg(value));
      slot.classList.toggle("next", place === this.next && !this.isFull);
      slot.setAttribute("aria-label", `Place ${place + 1}: ${value ? `${nameOf(value)}, touch to empty it` : "free"}`);
    }
    const isUsed = (value) => this.code.repeats === false && this.row.includes(value);
    for (const [index, made] of this.values.entries()) made.disabled = this.isFull || isUsed(this.code.values[index]);
    const hadFocus = document.activeElement?.disabled && this.element.contains(document.activeElement);
    this.send.disabled = !this.isFull;
    this.clear.disabled = this.row.every((value) => value === null);
    // A focus upon what has just been switched off would be lost: the next thing to do gets it.
    if (hadFocus || (this.isFull && this.palette.contains(document.activeElement))) (this.isFull ? this.send : this.places[this.next]).focus();
  }
}
