// Which spots of a picture can be touched next, and which move it makes: no page in here.
"use strict";

export class Touches {
  // `touches` are the picture's: each a move, and the spots that make it when they are touched in turn.
  constructor(touches) {
    this.all = touches;
    this.chosen = [];
  }

  get #fitting() {
    return this.all.filter(({ spots }) => this.chosen.every((name, index) => spots[index] === name));
  }

  // The spots that can be touched next, each once, in the game's order.
  get next() {
    return new Set(this.#fitting.map(({ spots }) => spots[this.chosen.length]).filter((name) => name !== undefined));
  }

  // The spots that a move begins with. While one is chosen, another can be chosen instead.
  get first() {
    return new Set(this.all.map(({ spots }) => spots[0]));
  }

  // True if touching this spot only begins a move: a checker, whose target is still to be said.
  isSource(name) {
    return this.all.some(({ spots }) => spots[0] === name && spots.length > 1);
  }

  // True if touching this spot now makes a move at once.
  plays(name) {
    const length = this.chosen.length + 1;
    const fitting = this.#fitting.filter(({ spots }) => spots[length - 1] === name);
    return fitting.length > 0 && fitting.every(({ spots }) => spots.length === length);
  }

  cancel() {
    this.chosen = [];
  }

  // Touches a spot. Answers the moves that this makes: one, none yet, or several to choose from.
  touch(name) {
    if (!this.next.has(name)) {
      const made = this.#made();
      const isAgain = this.chosen.at(-1) === name;
      this.cancel();
      if (isAgain) return made;
      if (!this.first.has(name)) return [];
    }
    this.chosen.push(name);
    const fitting = this.#fitting;
    const made = this.#made();
    return made.length === fitting.length ? made : [];
  }

  // The moves that the chosen spots make without any further one.
  #made() {
    if (!this.chosen.length) return [];
    return this.#fitting.filter(({ spots }) => spots.length === this.chosen.length).map(({ move }) => move);
  }
}
