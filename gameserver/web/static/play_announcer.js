// Says aloud, through a screen reader, what everybody else sees: moves, turns, times.
"use strict";

// What happens at once is said at once: a move, the dice after it and the turn are one announcement.
const GATHER_MS = 120;

export class Announcer {
  constructor(parent) {
    this.region = document.createElement("p");
    this.region.className = "sr";
    this.region.setAttribute("aria-live", "polite");
    this.region.setAttribute("aria-atomic", "true");
    this.waiting = [];
    parent.append(this.region);
  }

  say(sentence) {
    if (!sentence) return;
    this.waiting.push(sentence);
    this.timer ??= setTimeout(() => this.#tell(), GATHER_MS);
  }

  close() {
    clearTimeout(this.timer);
  }

  #tell() {
    this.timer = undefined;
    const told = this.waiting.join(" ");
    this.waiting = [];
    // The same sentence again is no change, and would not be read.
    this.region.textContent = told === this.region.textContent ? `${told}\u00a0` : told;
  }
}
