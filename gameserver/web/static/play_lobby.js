// The lobby as a player has it: choose a game, then an opponent: the house, a person, or whoever comes.
"use strict";

import { keep, keepOpen, kept, rolesOf, seatAt, takeOpen } from "./play_choices.js";
import { button, element, nameOf, showRows, timeWords } from "./play_rows.js";
import { showRules } from "./play_rules.js";

const byId = (id) => document.getElementById(id);

// The house is one opponent with levels, weakest first; its other players are known by name, too.
const LEVELS = [
  ["house-random", "Random", "any legal move, without a thought"],
  ["house-novice", "Novice", "a beginner: looks at little, and misses a lot"],
  ["house-club", "Club", "a solid player: sees most threats"],
  ["house-master", "Master", "the strongest of the house"],
  ["house-greedy", "Greedy", "takes the most at once, and thinks no further"],
  ["house-steady", "Steady", "plays safe"],
  ["house-perfect", "Perfect", "never makes a mistake"],
  ["house-consistent", "Consistent", "guesses only what may still be the code"],
  ["house-knuth", "Knuth", "as Knuth's five guesses: the worst answer leaves least"],
  ["house-most-parts", "Most parts", "has as many different answers as possible"],
  ["house-evil", "Evil", "makes codes that are hard to break"],
];
const STEPS = 4;
const LEVEL_OF = new Map(LEVELS.map(([name, title, about], rank) => [name, { title, about, rank }]));
const levelOf = (name) => LEVEL_OF.get(name) ?? { title: name, about: "", rank: LEVELS.length };

const isPlaying = ({ match }) => match !== null && match !== undefined;
const plays = (one, game) => !one.games || one.games.includes(game);

// The list is asked for again so often: a class of hundreds costs the server no more than ten lists a second.
const LOOK_MS = 3_000;
const LOOK_PER_PLAYER_MS = 100;

const CHOICES = ["turn-time", "level", "seat"];
const BY_LOT = "either, by lot";

// What people come by, in their words; a protocol of somebody else's has its name.
const WHERE = { web: "in a browser", strategic: "by text client", "connect-four": "by Connect Four client", gammonx: "by GammonX client" };

export class PlayLobby {
  constructor(socket, wanted) {
    this.socket = socket;
    this.wanted = wanted;
    this.players = [];
    this.games = [];
    this.own = null;
    this.seeks = null;
    this.isShown = false;
    for (const id of CHOICES) {
      byId(id).addEventListener("change", () => {
        keep(id, byId(id).value);
        this.show();
      });
    }
    byId("games").addEventListener("change", () => {
      keep("game", this.game());
      this.show();
    });
    byId("house").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.isAsking) this.playHouse();
    });
    const time = byId("turn-time");
    if ([...time.options].some(({ value }) => value === kept("turn-time"))) time.value = kept("turn-time");
    byId("take-back").addEventListener("click", () => this.takeBack());
    document.addEventListener("visibilitychange", () => document.hidden || !this.isShown || this.look());
    setInterval(() => this.showWait(), 1_000);
  }

  // --- what the server tells

  hear(message) {
    if (message.tell === "players") {
      this.players = message.players.filter((one) => one.name !== this.socket.name);
      if (this.own && !this.players.some((one) => one.name === this.own.to)) this.noteOwn(`${this.own.to} has left.`);
      this.games = message.games;
      this.showGames();
      this.show();
    } else if (message.tell === "paired" || message.tell === "match") {
      this.noteOwn("");
      this.noteSearch(null);
      this.forgetWanted();
    }
  }

  // What the address asked for is done, and a reload does not ask again.
  forgetWanted() {
    this.wanted = {};
    byId("wanted").replaceChildren();
    history.replaceState(null, "", location.pathname);
  }

  // The player is in, or back after an interruption or a reload, which has ended all searches and challenges. A search
  // goes on by itself; a challenge, to somebody who may have given it up, does not. `ended` are the words about
  // others'.
  async begin(ended) {
    const [sought, own] = [takeOpen("search") ?? this.seeks, takeOpen("challenge") ?? this.own];
    if (own) ended.unshift(`Your challenge to ${own.to} at ${own.game} has ended, as you were away for a moment. Challenge ${own.to} again to play.`);
    this.noteOwn(ended.join(" "));
    this.noteSearch(null);
    await this.look();
    if (sought && this.isShown) this.seek(sought.game);
  }

  // The player goes for good.
  end() {
    this.noteOwn("");
    this.noteSearch(null);
  }

  setShown(isShown) {
    this.isShown = isShown;
    if (!isShown) return;
    this.showRules();
    this.look();
  }

  async look() {
    clearTimeout(this.looking);
    if (this.socket.state !== "open") return;
    await this.socket.ask({ do: "list" });
    clearTimeout(this.looking);
    if (this.isShown && !document.hidden) this.looking = setTimeout(() => this.look(), LOOK_MS + LOOK_PER_PLAYER_MS * this.players.length);
  }

  // --- what the player does

  say(text) {
    byId("say-what").textContent = text;
  }

  game() {
    return byId("games").querySelector("input:checked")?.value ?? "";
  }

  async playHouse() {
    this.isAsking = true;
    await this.challenge(byId("level").value);
    this.isAsking = false;
  }

  // Where a client cannot show a bank, its player is told a limit for the turn: without one the challenge is refused.
  terms(to) {
    const chosen = byId("turn-time").value;
    if (!/[ms]/.test(chosen)) return chosen ? { turn_time_s: Number(chosen) } : {};
    const opponent = this.players.find((one) => one.name === to);
    return { clock: opponent?.house || opponent?.protocol === "web" ? chosen : `${chosen}, turn 60s` };
  }

  async challenge(to, game = this.game()) {
    this.say("");
    const answer = await this.socket.ask({ do: "challenge", to, game, ...this.terms(to), ...seatAt(game) });
    if (answer.tell === "error") return this.say(answer.why);
    const isHouse = this.players.some((one) => one.name === to && one.house);
    if (isHouse) this.say(`${to} is coming.`);
    else this.noteOwn(this.waitWords(to, game), { to, game });
    return undefined;
  }

  async seek(game = this.game()) {
    this.say("");
    const answer = await this.socket.ask({ do: "seek", game, turn_time_s: this.terms().turn_time_s });
    if (answer.tell === "error") return this.say(answer.why);
    // A match may have begun before the answer was read here.
    if (this.isShown) this.noteSearch({ game, since: Date.now() });
    this.show();
    return undefined;
  }

  async withdraw() {
    const answer = await this.socket.ask({ do: "withdraw" });
    if (answer.tell === "error") return this.say(answer.why);
    this.noteSearch(null);
    this.show();
    return undefined;
  }

  // A program that was written to look for opponents leaves a challenge unanswered for ever.
  waitWords(to, game) {
    const isProgram = this.players.some((one) => one.name === to && one.protocol !== "web");
    const how = isProgram ? ` If ${to} is a program that takes no challenges but looks for opponents, choose “Find an opponent”.` : "";
    return `You have challenged ${to} to ${game}. Waiting for an answer; a challenge to somebody else takes this one back.${how}`;
  }

  noteSearch(seeks) {
    this.seeks = seeks;
    keepOpen("search", seeks);
  }

  noteOwn(text, own = null) {
    this.own = own;
    keepOpen("challenge", own);
    byId("own-challenge").textContent = text;
    byId("take-back").hidden = !own;
  }

  async takeBack() {
    const answer = await this.socket.ask({ do: "withdraw", challenge: true });
    if (answer.tell === "error") this.say(answer.why);
    else if (this.own) this.noteOwn(`You have taken your challenge to ${this.own.to} back.`);
  }

  // --- what is shown

  showGames() {
    const frame = byId("games");
    if (frame.dataset.shows === this.games.join()) return;
    const wanted = this.players.find((one) => one.name === this.wanted.to);
    const chosen = this.game() || this.wanted.game || wanted?.games?.[0] || kept("game") || "";
    frame.dataset.shows = this.games.join();
    const choices = [...frame.querySelectorAll("input")];
    for (const { parentElement, value } of choices) parentElement.hidden = !this.games.includes(value);
    const open = choices.filter(({ parentElement }) => !parentElement.hidden);
    const found = open.find(({ value }) => value.toLowerCase() === chosen.toLowerCase()) ?? open[0];
    if (found) found.checked = true;
    if (this.isShown && document.activeElement === document.body) found?.focus({ preventScroll: true });
  }

  // A seat can be chosen where the seats play different parts.
  showSeats() {
    const [select, roles] = [byId("seat"), rolesOf(this.game())];
    byId("seat-label").hidden = roles.length === 0;
    if (select.dataset.shows === roles.join()) return;
    select.dataset.shows = roles.join();
    select.replaceChildren(element("option", { value: "" }, BY_LOT), ...roles.map((role, seat) => element("option", { value: seat }, role)));
    if (kept("seat") && Number(kept("seat")) < roles.length) select.value = kept("seat");
  }

  showRules() {
    if (this.isShown) showRules(this.game(), byId("terms"));
  }

  show() {
    this.showRules();
    this.showWanted();
    this.showSeats();
    this.showHouse();
    const game = this.game();
    const people = this.players.filter((one) => !one.house);
    byId("people-count").textContent = people.length || "";
    byId("nobody").hidden = people.length > 0;
    showRows(
      byId("people"),
      people,
      ({ name, protocol }) => `${name} ${protocol}`,
      (one) => this.personRow(one),
      (row, one) => {
        const [challenge, cannot, watch] = row.querySelectorAll(".challenge, .cannot, .watch");
        const isFree = !isPlaying(one);
        challenge.hidden = !isFree || !plays(one, game);
        watch.hidden = isFree;
        watch.href = `/matches/${one.match}`;
        cannot.hidden = isFree && plays(one, game);
        cannot.textContent = isFree ? `does not play ${game}` : "is playing";
      },
    );
    this.showFinding();
  }

  showHouse() {
    const select = byId("level");
    const names = this.players.filter((one) => one.house && plays(one, this.game())).map(({ name }) => name);
    names.sort((one, other) => levelOf(one).rank - levelOf(other).rank);
    byId("house").hidden = byId("house-title").hidden = names.length === 0;
    if (select.dataset.shows !== names.join()) {
      select.dataset.shows = names.join();
      const [levels, others] = select.querySelectorAll("optgroup");
      const option = (name) => element("option", { value: name }, levelOf(name).title);
      levels.replaceChildren(...names.filter((name) => levelOf(name).rank < STEPS).map(option));
      others.replaceChildren(...names.filter((name) => levelOf(name).rank >= STEPS).map(option));
      others.hidden = others.childElementCount === 0;
      select.value = names.includes(kept("level")) ? kept("level") : names[0];
    }
    const { about } = levelOf(select.value);
    byId("level-about").textContent = [about, select.value].filter(Boolean).join(" · ");
  }

  personRow({ name, protocol }) {
    const acts = element("span", { className: "acts" });
    acts.append(
      button("Challenge", () => this.challenge(name), { className: "challenge", "aria-label": `Challenge ${name}` }),
      element("span", { className: "tag cannot" }),
      element("a", { className: "watch", target: "_blank", "aria-label": `Watch ${name} in a new tab` }, "Watch"),
      button("Message", () => this.writeTo(name), { "aria-label": `Write a message to ${name}` }),
    );
    return [element("span", { className: "about" }, nameOf(name), " ", element("span", { className: "tag" }, WHERE[protocol] ?? protocol)), acts];
  }

  writeTo(name) {
    byId("say-to").dispatchEvent(new CustomEvent("choose", { detail: name }));
    byId("say-text").focus();
  }

  // What a link of another page named: an opponent, or a game for which somebody waits.
  showWanted() {
    const { to, game } = this.wanted;
    const box = byId("wanted");
    box.hidden = to === this.socket.name || !(to || this.games.includes(game));
    if (box.hidden) return;
    if (!box.firstChild) {
      const words = to ? [nameOf(to), " ", element("span", { className: "state" })] : [`You came for a game of ${game}.`];
      box.append(element("p", {}, ...words), button("", () => (to ? this.challenge(to) : this.seek()), { className: "main" }));
    }
    const act = box.querySelector("button");
    if (!to) {
      act.textContent = `Find an opponent at ${this.game()}`;
      act.disabled = Boolean(this.seeks);
      return;
    }
    const found = this.players.find((one) => one.name === to);
    const why = !found ? "" : isPlaying(found) ? "is playing now: wait for the end of the match." : plays(found, this.game()) ? "" : `does not play ${this.game()}: choose another game.`;
    act.disabled = Boolean(why);
    act.textContent = `${found?.house ? "Play" : "Challenge"} at ${this.game()}`;
    box.querySelector(".state").textContent = why;
  }

  showFinding() {
    const line = byId("finding");
    const { clock, turn_time_s: seconds = Number(line.dataset.turnTime) } = this.terms();
    const wanted = this.seeks ? `withdraw ${this.seeks.game}` : `find ${this.game()} ${clock ?? seconds}`;
    if (line.dataset.shows === wanted) return;
    const hadFocus = line.contains(document.activeElement);
    line.dataset.shows = wanted;
    if (this.seeks) {
      const words = element("span", { className: "about", role: "status" }, `Looking for an opponent at ${this.seeks.game}`);
      line.replaceChildren(words, element("span", { className: "wait", role: "timer" }), button("Withdraw", () => this.withdraw()));
    } else {
      const words = element("span", { className: "about tag wrap" }, `Whoever looks for the same game plays you, with at least ${timeWords(seconds)}.${clock ? " A bank is for challenges." : ""}`);
      line.replaceChildren(words, button(`Find an opponent at ${this.game()}`, () => this.seek(), { id: "find" }));
    }
    if (hadFocus) line.querySelector("button").focus();
    this.showWait();
  }

  showWait() {
    const wait = byId("finding").querySelector(".wait");
    if (wait && this.seeks) wait.textContent = minutes((Date.now() - this.seeks.since) / 1000);
  }
}
