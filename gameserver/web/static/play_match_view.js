// The elements of a match on screen. What they say is decided in play_match.js.
"use strict";

import { sidePiece } from "./play_picture.js";

// A message of the opponent is seen beside the board for so long. Judgement.
const SAID_MS = 20_000;

export function make(tag, { className = "", text = "", ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

export function makeButton(text, onClick, className = "") {
  const made = make("button", { type: "button", text, className });
  made.addEventListener("click", onClick);
  return made;
}

// Changes a text only if it differs: a live region would read it again.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

class Seat {
  constructor(player, isOwn) {
    this.piece = make("span", { className: "piece" });
    this.name = make("span", { className: "name", dir: "auto", title: player, text: player });
    this.side = make("small");
    this.state = make("span", { className: "acts-words" });
    this.clock = make("span", { className: "clock" });
    this.score = make("span", { className: "score" });
    const who = make("span", { className: "who" }, this.name, this.side);
    this.bankClock = make("span", { className: "clock" });
    this.bank = make("span", { className: "bank", hidden: "" }, make("span", { className: "sr", text: "bank " }), this.bankClock);
    const state = make("span", { className: "state" }, this.state, this.clock, this.bank);
    this.element = make("div", { className: isOwn ? "seat own" : "seat" }, this.piece, who, this.score, state);
    this.isOwn = isOwn;
  }

  showSide(side) {
    this.piece.replaceChildren(...[sidePiece(side)].filter(Boolean));
    setText(this.side, [this.isOwn ? "you" : "", side?.name ?? ""].filter(Boolean).join(", "));
    this.unit = side?.unit ?? "";
    this.showScore(side?.score);
  }

  showScore(score) {
    setText(this.score, score === undefined || score === null || score === "" ? "" : `${score} ${this.unit}`.trim());
  }
}

export class MatchView {
  constructor(root, { match, game, players, you }) {
    this.title = make("span", { text: game });
    this.heading = make("h2", { tabindex: -1, className: "play-heading" }, this.title, " ", make("small", { text: `match ${match}` }));
    this.seats = players.map((player, seat) => new Seat(player, seat === you));
    this.score = make("p", { className: "play-score" });
    this.frame = make("div", { className: "board-frame" });
    this.code = make("div", { className: "play-code-frame" });
    this.headline = make("p", { className: "play-headline" });
    this.prompt = make("p", { className: "play-prompt" });
    this.last = make("p", { className: "play-last" });
    this.said = make("p", { className: "play-said", dir: "auto" });
    this.note = make("p", { className: "play-note", role: "alert" });
    this.which = make("div", { className: "play-which play-buttons", role: "group", "aria-label": "Which move do you mean?" });
    this.buttons = make("div", { className: "play-buttons", role: "group", "aria-label": "Moves" });
    this.end = make("div", { className: "play-buttons play-end" });
    this.legal = make("div", { className: "play-legal" });
    this.moves = make("ol", { className: "play-moves", tabindex: 0, "aria-label": "Moves so far" });
    this.delay = make("p", { className: "play-delay" });
    this.foot = make("div", { className: "play-foot play-buttons" });
    const others = players.map((_, seat) => seat).filter((seat) => seat !== you);
    this.element = make(
      "div",
      { className: "play-match" },
      this.heading,
      make("div", { className: "play-others", role: "group", "aria-label": "Opponent" }, ...others.map((seat) => this.seats[seat].element)),
      make("div", { className: "play-stage" }, this.frame),
      this.code,
      make("div", { className: "play-own", role: "group", "aria-label": "You" }, this.seats[you].element),
      make(
        "div",
        { className: "play-panel" },
        this.headline,
        this.prompt,
        this.note,
        this.which,
        this.buttons,
        this.end,
        this.score,
        this.last,
        this.said,
      ),
      make("div", { className: "play-more" }, this.legal, make("h3", { text: "Moves" }), this.moves, this.delay, this.foot),
    );
    root.replaceChildren(this.element);
  }

  // The list of messages may be out of sight. A screen reader has read the line there already.
  showSaid(words) {
    this.said.textContent = words;
    clearTimeout(this.saidTimer);
    this.saidTimer = setTimeout(() => this.said.replaceChildren(), SAID_MS);
  }

  addMove(number, words, isOwn) {
    const item = make("li", { className: isOwn ? "own" : "" }, make("span", { className: "number", text: number ? String(number) : "" }), words);
    this.moves.append(item);
    this.moves.scrollTop = this.moves.scrollHeight;
  }

  // A question that must be answered twice: `choices` are [text, value, className]; answers the value, or null.
  ask(question, choices) {
    const dialog = make("dialog", { className: "play-dialog", "aria-label": question }, make("p", { text: question }));
    return new Promise((answer) => {
      const buttons = choices.map(([text, value, className]) =>
        makeButton(text, () => dialog.close(value ?? ""), className),
      );
      dialog.append(make("div", { className: "play-buttons" }, ...buttons));
      dialog.addEventListener("close", () => {
        dialog.remove();
        answer(dialog.returnValue || null);
      });
      this.element.append(dialog);
      dialog.showModal();
    });
  }
}
