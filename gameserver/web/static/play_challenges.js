// The challenges to the player, on top of whatever is shown. Nobody can refuse one: what is put away stays open, and
// ends when its maker challenges somebody else, plays or leaves.
"use strict";

import { keepOpen, rolesOf, takeOpen } from "./play_choices.js";
import { button, element, nameOf, showRows, timeWords } from "./play_rows.js";

const byId = (id) => document.getElementById(id);

export class Challenges {
  constructor(socket, say) {
    this.socket = socket;
    this.say = say;
    this.open = new Map();
  }

  hear(message) {
    if (message.tell === "challenged") this.open.set(message.number, message);
    else if (message.tell === "challenge closed") this.open.delete(message.number);
    else return;
    this.change();
  }

  clear() {
    this.open.clear();
    this.show();
  }

  change() {
    const open = [...this.open.values()];
    keepOpen("received", open.length ? open.map(({ from, game }) => ({ from, game })) : null);
    this.show();
  }

  // The connection that is new has none of those that were open over the last one.
  begin() {
    this.clear();
    return (takeOpen("received") ?? []).map(({ from, game }) => `The challenge of ${from} to ${game} has ended, as you were away for a moment. Challenge ${from} to play.`);
  }

  words(challenge) {
    return `${challenge.from}${this.#asked(challenge)}`;
  }

  #asked({ game, turn_time_s, clock, seat }) {
    const role = rolesOf(game)[seat];
    return ` challenges you to ${game}${role ? ` as the ${role}` : ""}, ${timeWords(turn_time_s, clock)}`;
  }

  show() {
    showRows(byId("call"), [...this.open.values()], ({ number }) => number, (one) => {
      const accept = button("Accept", () => this.accept(one), { className: "main", "aria-label": `Accept the challenge of ${one.from}` });
      const later = button("Not now", () => this.putAway(one), { "aria-label": `Not now: put the challenge of ${one.from} away` });
      const words = element("span", { className: "about" }, nameOf(one.from), `${this.#asked(one)}.`);
      return [words, element("span", { className: "acts" }, accept, later)];
    });
  }

  async accept({ number }) {
    const answer = await this.socket.ask({ do: "accept", number });
    const isRefused = answer.tell === "error";
    if (isRefused) this.say(answer.why);
    if (!isRefused || answer.code === "unknown challenge") this.hear({ tell: "challenge closed", number });
  }

  // A challenge ends when its maker plays, and one that was accepted anywhere on the page is not told to have ended.
  endOf(players) {
    for (const [number, { from }] of this.open) if (players.includes(from)) this.open.delete(number);
    this.change();
  }

  putAway({ number }) {
    this.open.delete(number);
    this.change();
  }
}
