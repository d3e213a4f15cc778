// Legal moves that are not touched on the board: buttons for what the game offers as such, a list of all of them, and a
// field to type one where a list would be too long.
"use strict";

import { make, makeButton } from "./play_match_view.js";
import { ASIDE, capital } from "./play_words.js";

// More buttons than this are no list any more, and a move is typed: a turn of Backgammon can have hundreds.
const BUTTONS_MAX = 100;

// The moves that are offered as buttons: as the game says, or all that can be neither touched nor composed.
export function movesForButtons({ picture, moves }) {
  if (picture?.buttons) return picture.buttons;
  if (picture?.code) return [];
  const touched = new Set((picture?.touches ?? []).map(({ move }) => move));
  const rest = moves.filter((move) => !touched.has(move));
  return rest.length <= BUTTONS_MAX ? rest : [];
}

// The words of moves that can be touched as well: the names of their places, which the board has, too. There are none
// where others, such as whole turns of backgammon, have only the game's notation: a list is written in one way.
export function touchWords({ picture, moves }) {
  const words = new Map((picture?.touches ?? []).map(({ move, spots }) => [move, spots.join(" to ")]));
  return moves.every((move) => words.has(move) || picture?.buttons?.includes(move)) ? words : new Map();
}

export function showMoveButtons(frame, moves, onMove, words = new Map()) {
  const focused = frame.contains(document.activeElement) ? document.activeElement.dataset.move : null;
  const wordOf = (move) => words.get(move) ?? (/^[a-z ]+$/.test(move) ? capital(move) : move);
  frame.replaceChildren(
    ...moves.map((move) => {
      const button = makeButton(wordOf(move), () => onMove(move), moves.length <= 4 && !ASIDE.has(move) ? "main" : "");
      button.dataset.move = move;
      return button;
    }),
  );
  if (focused !== null) ([...frame.children].find(({ dataset }) => dataset.move === focused) ?? frame.firstChild)?.focus();
}

function typedMove(onMove) {
  const field = make("input", { autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "send", required: "" });
  const form = make("form", { className: "play-typed" }, make("label", { text: "Type a move " }, field), make("button", { text: "Play" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onMove(field.value.trim());
    field.value = "";
  });
  return form;
}

// The list of all legal moves: another way in for who cannot see or touch the board. It is made when it is opened.
export class LegalMoves {
  constructor(frame, onMove) {
    this.frame = frame;
    this.onMove = onMove;
    this.moves = [];
    this.total = 0;
    this.summary = make("summary");
    this.body = make("div", { className: "play-buttons" });
    this.details = make("details", {}, this.summary, this.body);
    this.details.addEventListener("toggle", () => this.#fill());
    frame.append(this.details);
  }

  // `isOnlyWay` where nothing else on the screen makes these moves.
  show(moves, total, { words, isOnlyWay = false } = {}) {
    this.moves = moves;
    this.words = words;
    this.total = total;
    this.details.hidden = total === 0;
    this.summary.textContent = total > BUTTONS_MAX ? `Type a move (${total} are legal)` : `All legal moves (${total})`;
    if (isOnlyWay && total) this.details.open = true;
    this.#fill();
  }

  #fill() {
    const field = this.body.querySelector("input");
    if (!this.details.open) {
      this.body.replaceChildren();
    } else if (this.total > BUTTONS_MAX) {
      // What is being typed stays.
      if (!field) this.body.replaceChildren(typedMove(this.onMove));
    } else {
      showMoveButtons(this.body, this.moves, this.onMove, this.words);
      for (const button of this.body.children) button.classList.remove("main");
    }
  }
}
