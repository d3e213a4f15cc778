// Before and after a game: saying that one is ready, the result in plain words, the rematch, the way back.
"use strict";

import { seatAt } from "./play_choices.js";
import { make, makeButton, setText } from "./play_match_view.js";
import { capital, sentence } from "./play_words.js";

// A person who looks at the page gets ready without a word: quickly for a match that has just been found, with time to
// read the result of a game before the next.
const FIRST_READY_MS = 3_000;
const NEXT_READY_MS = 10_000;
const SECOND_MS = 1_000;

export class MatchEnd {
  constructor(match) {
    this.match = match;
    this.isReady = false;
    this.points = null;
    this.offered = null;
    this.asked = null;
  }

  get view() {
    return this.match.view;
  }

  close() {
    clearInterval(this.timer);
  }

  // A game begins: what was said of the last one goes.
  begin() {
    clearInterval(this.timer);
    this.isReady = false;
    this.#clear();
    setText(this.view.score, this.points ? this.#scoreWords() : "");
    setText(this.view.last, "");
    this.match.note("");
  }

  // A focus is not lost with the button that had it.
  #clear() {
    if (this.view.end.contains(document.activeElement)) this.view.heading.focus({ preventScroll: true });
    this.view.end.replaceChildren();
  }

  // --- ready

  askReady({ ready = [] }, what) {
    setText(this.view.headline, what);
    if (ready.includes(this.match.you)) this.#waitForOthers();
    else this.#offerReady("I am ready", FIRST_READY_MS);
  }

  // The games before this one, as they are told to a player who comes back.
  takePlayed(played) {
    if (!played?.length) return;
    this.match.isSeries = true;
    this.points = null;
    for (const { points } of played) this.#addPoints(points);
  }

  #offerReady(text, after_ms) {
    this.isReady = false;
    const button = makeButton(text, () => this.#sayReady(), "main");
    this.view.end.replaceChildren(button);
    let left_ms = after_ms;
    const count = () => setText(this.view.prompt, `It starts by itself in ${Math.ceil(left_ms / 1000)} s.`);
    count();
    clearInterval(this.timer);
    // Nobody is ready who looks elsewhere.
    this.timer = setInterval(() => {
      if (document.hidden) return;
      left_ms -= SECOND_MS;
      if (left_ms <= 0) this.#sayReady();
      else count();
    }, SECOND_MS);
  }

  #waitForOthers() {
    this.isReady = true;
    this.#clear();
    setText(this.view.prompt, "You are ready. The game begins when your opponent is.");
  }

  async #sayReady() {
    clearInterval(this.timer);
    if (this.isReady) return;
    this.#waitForOthers();
    const answer = await this.match.socket.ask({ do: "ready" });
    // The game may have begun meanwhile, in which case there is nothing to be ready for.
    if (answer.tell === "error" && answer.code !== "away" && this.view.element.dataset.phase !== "playing") this.match.note(answer.why);
  }

  seatReady(seat) {
    if (seat === this.match.you) return;
    if (!this.isReady) setText(this.view.last, `${this.match.players[seat]} is ready.`);
  }

  // --- the end

  gameOver(message, words) {
    this.game = words;
    const { match, view } = this;
    if (match.isSeries) this.#addPoints(message.points);
    const told = [words.verdict, words.fault].filter(Boolean).join(": ").replace(/\.$/, "");
    const headline = match.isSeries ? `Game ${message.number ?? match.number}: ${told}` : told;
    setText(view.headline, headline);
    const reason = REASONS.has(message.reason) ? message.reason_text : message.reason;
    const revealed = message.revealed && !reason?.includes(message.revealed) ? `It was hidden: ${message.revealed}.` : "";
    const isTold = words.why === words.fault || (reason && words.why.toLowerCase().startsWith(reason.toLowerCase()));
    this.reasons = [reason ? sentence(capital(reason)) : "", revealed, isTold ? "" : words.why].filter(Boolean).join(" ");
    this.gamePoints = sayMore(message.points ?? []) && !match.isSeries ? message.points : [];
    match.announcer.say(`${sentence(headline)} ${this.reasons}`);
    this.#explain("");
    if (match.phase === "between") {
      setText(view.last, this.reasons);
      this.#offerReady("Next game", NEXT_READY_MS);
    } else this.#offerNext();
  }

  matchOver(message, words) {
    clearInterval(this.timer);
    const { match, view } = this;
    if (match.isSeries || !this.game) {
      const headline = [words.verdict, words.fault].filter(Boolean).join(": ").replace(/\.$/, "");
      setText(view.headline, match.isSeries ? `The match: ${headline}` : headline);
      match.announcer.say(sentence(view.headline.textContent));
      if (match.isSeries && message.points?.length) {
        this.points = message.points;
        setText(view.score, this.#scoreWords());
      }
    }
    // A click is not lost with a button that another one replaces.
    if (!this.rematch?.isConnected) this.#offerNext();
  }

  // A match that is over has no board any more for its players: its page has it, and may now show what was hidden.
  async showFinalBoard() {
    const { match } = this;
    const answer = await fetch(`/matches/${match.match}/board?seat=${match.you}${match.isSmall ? "&small" : ""}`).catch(() => null);
    const page = new DOMParser().parseFromString(answer?.ok ? await answer.text() : "", "text/html");
    const { ending = "", scores } = page.querySelector("[data-scores]")?.dataset ?? {};
    if (this.reasons !== undefined) this.#explain(ending);
    const board = page.querySelector("svg.board, .board-text");
    if (!board) return;
    match.surface.showFinal(board);
    for (const [seat, row] of this.view.seats.entries()) row.showScore(scores.split(" ")[seat]);
  }

  // Why the game ended: what its players did, how the game was decided, and the points where that has not told them.
  #explain(ending) {
    const how = ending ? sentence(capital(ending)) : "";
    const isTold = this.gamePoints.every((one) => new RegExp(`\\b${one}\\b`).test(how));
    const words = [this.reasons, how, isTold ? "" : this.#pointsWords(this.gamePoints)].filter(Boolean).join(" ");
    // A board that comes late does not take the place of what a rematch waits for.
    if (!this.offered && !this.asked) setText(this.view.prompt, words);
    this.match.announcer.say(how);
  }

  #addPoints(points) {
    if (!points?.length) return;
    this.points = points.map((own, seat) => own + (this.points?.[seat] ?? 0));
    setText(this.view.score, this.#scoreWords());
  }

  #scoreWords() {
    const { players } = this.match;
    return `Score: ${players.map((player, seat) => `${player} ${this.points[seat]}`).join(", ")}`;
  }

  #pointsWords(points) {
    return `Points: ${this.match.players.map((player, seat) => `${player} ${points[seat]}`).join(", ")}.`;
  }

  #offerNext() {
    const { match, view } = this;
    const leave = makeButton("To the lobby", () => match.root.dispatchEvent(new CustomEvent("leave", { detail: this.asked })));
    const whole = make("a", { href: `/matches/${match.match}`, text: "The whole match" });
    this.rematch = makeButton("Rematch", () => this.#challenge(), "main");
    view.end.replaceChildren(this.rematch, leave, whole);
    // Whoever was playing by keyboard finds what comes next.
    if (document.activeElement === document.body || view.buttons.contains(document.activeElement)) this.rematch.focus({ preventScroll: true });
  }

  // The same opponent, the same game; an offer of the other is taken up instead of making another one.
  // An offer that was made can be taken back by the same button.
  async #challenge() {
    const { match } = this;
    const opponent = match.players.find((_, seat) => seat !== match.you);
    this.rematch.disabled = true;
    match.note("");
    const asked = this.offered || this.asked ? null : { to: opponent, game: match.game };
    const terms = match.clock ? { clock: match.clock } : match.turn_time_s ? { turn_time_s: match.turn_time_s } : {};
    const message = this.offered
      ? { do: "accept", number: this.offered.number }
      : this.asked
        ? { do: "withdraw", challenge: true }
        : { do: "challenge", ...asked, ...terms, ...seatAt(match.game) };
    const answer = await match.socket.ask(message);
    this.rematch.disabled = this.offered !== null && answer.tell !== "error";
    if (answer.tell === "error") {
      match.note(sentence(answer.why));
      return;
    }
    this.asked = asked;
    this.rematch.textContent = asked ? "Take the offer back" : "Rematch";
    setText(this.view.prompt, asked ? `${opponent} is asked for a rematch.` : "");
  }

  challenged(message) {
    const { match } = this;
    if (match.phase !== "over" || !match.players.includes(message.from)) return;
    this.offered = message;
    const words = `${message.from} offers a rematch${message.game === match.game ? "" : ` at ${message.game}`}.`;
    setText(this.view.prompt, words);
    match.announcer.say(words);
    this.rematch.textContent = "Accept the rematch";
    this.rematch.disabled = false;
  }

  challengeClosed({ number }) {
    if (this.offered?.number !== number) return;
    this.offered = null;
    this.rematch.textContent = "Rematch";
    this.rematch.disabled = false;
    setText(this.view.prompt, "There is no offer of a rematch any more.");
  }
}

// One point for who won and one less for who lost say nothing but that.
const sayMore = (points) => points.some((one) => Math.abs(one) > 1) || points.reduce((sum, one) => sum + one, 0) !== 0;

// The reasons that have sentences of their own; anything else is the game's own word.
const REASONS = new Set(["played", "resigned", "late", "illegal move", "dropped", "abandoned", "void"]);
