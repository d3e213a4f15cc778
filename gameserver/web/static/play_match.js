// Everything of one match on the screen of a player.
//
// `told` is the message that began it (`paired` or `match`); `hear` is given every later message of that match, what is
// said meanwhile, and challenges. An event on `root`, `leave`, asks the page for the way back to the lobby.
//
// The board is always the server's: whatever happens, the page asks for it again and shows what it is told. Until the
// answer has come, and while a move is on its way, nothing can be touched.
"use strict";

import { Announcer } from "./play_announcer.js";
import { Board } from "./play_board.js";
import { Clocks, delayWords, spokenTime } from "./play_clock.js";
import { CodeRow } from "./play_code.js";
import { MatchEnd } from "./play_match_end.js";
import { MatchView, makeButton, setText } from "./play_match_view.js";
import { LegalMoves, movesForButtons, showMoveButtons, touchWords } from "./play_moves.js";
import { ASKED, capital, faultWords, moveWords, question, sentence, turnWords, untold, verdict, whyWords } from "./play_words.js";

// What each phase lets the player do.
const PHASES = {
  readying: { plays: false, resigns: false },
  playing: { plays: true, resigns: true },
  between: { plays: false, resigns: true },
  over: { plays: false, resigns: false },
};

const DELAY_SHOWN_EVERY_MS = 2_000;
const RETRY_MS = 1_000;
// A picture that a narrow screen would make smaller than this gives way to the game's small one: a cell of 3D Connect
// Four was 19 pixels wide on a phone, and 42 in the small picture.
const READABLE_SCALE = 0.6;
// A board that is behind what was heard meanwhile is asked for so many times; then it is shown as it came.
const BOARD_TRIES_MAX = 3;

class Match {
  constructor(root, socket, told) {
    Object.assign(this, { root, socket, match: told.match, players: told.players, you: told.you });
    this.phase = "readying";
    this.game = told.whole || told.game;
    this.number = told.number ?? 1;
    this.turn_time_s = told.turn_time_s ?? null;
    this.clock = told.clock ?? null;
    this.isSeries = false;
    this.board = null;
    this.awaited = [];
    this.awayUntil = new Map();
    this.isSending = this.isStale = this.rolls = false;
    this.isAsking = false;
    this.stepsHeard = this.turnHeard = 0;
    this.view = new MatchView(root, { ...told, game: this.game });
    this.announcer = new Announcer(this.view.element);
    this.clocks = new Clocks(socket, { onWarning: (left) => this.announcer.say(`${spokenTime(left)} left.`) });
    this.surface = new Board(this.view.frame, {
      onMove: (move) => this.play(move),
      onChosen: (chosen, moves, how) => this.showChosen(chosen, moves, how),
    });
    this.legal = new LegalMoves(this.view.legal, (move) => this.play(move));
    this.legal.show([], 0);
    this.end = new MatchEnd(this);
    this.resignButton = makeButton("Resign", () => this.resign());
    this.view.foot.append(this.resignButton);
    this.onState = () => this.show();
    socket.addEventListener("state", this.onState);
    this.delayTimer = setInterval(() => this.showDelay(), DELAY_SHOWN_EVERY_MS);
    this.showDelay();
    this.show();
    this.view.heading.focus({ preventScroll: true });
  }

  close() {
    this.socket.removeEventListener("state", this.onState);
    clearInterval(this.delayTimer);
    clearTimeout(this.refreshTimer);
    clearTimeout(this.retryTimer);
    this.end.close();
    this.clocks.close();
    this.announcer.close();
    this.surface.close();
    this.root.replaceChildren();
  }

  hear(message) {
    if (message.match !== undefined && message.match !== this.match) return;
    HEARD[message.tell]?.call(this, message);
  }

  get canPlay() {
    const isOpen = this.socket.state === undefined || this.socket.state === "open";
    return isOpen && PHASES[this.phase].plays && this.awaited.includes(this.you) && !this.isSending && !this.isStale;
  }

  // --- what the player does

  async play(move) {
    if (!this.canPlay) return;
    if (move in ASKED) {
      const [asked, no, yes] = ASKED[move];
      if (!(await this.view.ask(asked, [[no, "", "main"], [yes, move]])) || !this.canPlay) return;
    }
    this.note("");
    this.isSending = true;
    this.show();
    const answer = await this.socket.ask({ do: "move", move, match: this.match });
    this.isSending = false;
    if (answer.tell === "error") this.note(sentence(capital(answer.why)));
    this.refresh();
  }

  async resign() {
    const choices = [["Resign the match", "match", "danger"]];
    if (this.isSeries && this.phase === "playing") choices.unshift(["Resign this game", "game", "danger"]);
    const scope = await this.view.ask(`Resign against ${this.opponents}?`, [["Keep playing", "", "main"], ...choices]);
    if (!scope) return;
    const answer = await this.socket.ask({ do: "resign", scope, match: this.match });
    if (answer.tell === "error") this.note(sentence(capital(answer.why)));
  }

  // --- the board

  // Asks for the board, once for all that happens at the same time; `isAnew` if one that is on its way will not do.
  refresh({ isAnew = false } = {}) {
    this.isStale = true;
    this.isAnew ||= isAnew;
    this.refreshTimer ??= setTimeout(() => {
      this.refreshTimer = undefined;
      this.askForBoard();
    }, 0);
    this.show();
  }

  // One question at a time. A board that is behind what has been heard meanwhile is asked for again.
  async askForBoard() {
    if (this.isAsking) return;
    this.isAsking = true;
    let answer;
    for (let tries = 0; tries < BOARD_TRIES_MAX; tries += 1) {
      this.isAnew = false;
      answer = await this.socket.ask({ do: "board", ...(this.isSmall ? { small: true } : {}) });
      if (answer.tell === "error" || !(this.isAnew || this.isBehind(answer))) break;
    }
    this.isAsking = false;
    if (answer.tell === "board" && answer.match === this.match) this.takeBoard(answer);
    else if (!PHASES[this.phase].plays) await this.end.showFinalBoard();
    else if (answer.code !== "away") this.retryTimer = setTimeout(() => this.refresh(), RETRY_MS);
  }

  isBehind(board) {
    return board.match === this.match && (board.step < this.stepsHeard || board.turn < this.turnHeard);
  }

  // Where a picture would be scaled down until nobody could read it, the game's small one comes in its place.
  wantsSmall({ picture }) {
    const width = this.view.frame.clientWidth;
    return Boolean(picture && !this.isSmall && width > 0 && width < picture.width * READABLE_SCALE);
  }

  takeBoard(board) {
    if (this.wantsSmall(board)) {
      this.isSmall = true;
      this.refresh();
      return;
    }
    this.isStale = false;
    this.board = { ...board, heard_ms: this.socket.now_ms() };
    if (PHASES[this.phase].plays) this.awaited = board.awaited ?? [];
    this.show();
  }

  showBoard() {
    const { board } = this;
    if (!board) return;
    if (this.shownBoard === board && this.shownPlayable === this.canPlay) return;
    const isNew = this.shownBoard !== board;
    this.view.element.dataset.step = board.step;
    this.shownBoard = board;
    this.shownPlayable = this.canPlay;
    const hadFocus = this.view.element.contains(document.activeElement) ? document.activeElement : null;
    if (board.picture) this.surface.show(board.picture, { canTouch: this.canPlay, rolls: isNew && this.rolls });
    else this.surface.showText(board.lines ?? []);
    if (isNew) this.rolls = false;
    const moves = this.canPlay ? (board.moves ?? []) : [];
    const total = this.canPlay ? (board.moves_total ?? moves.length) : 0;
    const buttons = this.canPlay ? movesForButtons({ ...board, moves }) : [];
    showMoveButtons(this.view.buttons, buttons, (move) => this.play(move));
    const isOnlyWay = total > 0 && !buttons.length && !board.picture?.touches?.length && !board.picture?.code;
    this.legal.show(moves, total, { words: touchWords({ ...board, moves }), isOnlyWay });
    this.showCode(this.canPlay ? board.picture?.code : null);
    this.view.which.replaceChildren();
    // What had the focus may be gone: whoever plays by keyboard goes on where the next move is made.
    const isLost = hadFocus && !hadFocus.isConnected && document.activeElement === document.body;
    const isOnBoard = this.canPlay && document.activeElement === this.surface.svg;
    if (isLost || isOnBoard) this.focusOnMove();
  }

  focusOnMove() {
    const target = this.view.code.querySelector("button.slot.next") ?? this.view.buttons.querySelector("button");
    if (this.surface.buttons.size || !target) this.surface.focus();
    else target.focus();
  }

  showCode(code) {
    const step = this.board?.step;
    if (code && this.code && this.codeStep === step) return;
    this.code = code ? new CodeRow(code, { onMove: (move) => this.play(move), onChange: (told) => this.announcer.say(told) }) : null;
    this.codeStep = step;
    this.view.code.replaceChildren(...(this.code ? [this.code.element] : []));
  }

  showChosen(chosen, moves, { isProposal = false } = {}) {
    const { which } = this.view;
    which.replaceChildren();
    if (moves.length > 1) {
      which.append("Which move? ", ...moves.map((move) => makeButton(move, () => this.play(move))));
      which.querySelector("button").focus();
    } else if (isProposal) {
      which.append(makeButton(`Play ${chosen.join(" to ")}`, () => this.surface.touch(chosen.at(-1)), "main"));
      this.announcer.say(`${chosen.at(-1)}. Touch again to play it.`);
    } else if (chosen.length) this.announcer.say(`${chosen.join(" to ")} is chosen. Escape takes it back.`);
  }

  // --- what is seen

  note(text) {
    setText(this.view.note, text);
  }

  show() {
    this.showBoard();
    this.showSeats();
    const { view } = this;
    view.element.dataset.phase = this.phase;
    view.element.classList.toggle("is-own-turn", this.canPlay);
    this.resignButton.hidden = !PHASES[this.phase].resigns;
    if (this.phase !== "playing") return;
    setText(view.headline, turnWords(this.awaited, this.players, this.you));
    setText(view.prompt, this.awaited.includes(this.you) ? capital(question(this.board?.prompt || this.prompt)) : "");
  }

  showSeats() {
    const { board, phase } = this;
    for (const [seat, row] of this.view.seats.entries()) {
      if (phase !== "over") row.showSide(board?.sides?.[seat]);
      const isAwaited = phase === "playing" && this.awaited.includes(seat);
      const awayUntil = this.awayUntil.get(seat);
      row.element.classList.toggle("acts", isAwaited);
      row.element.classList.toggle("away", awayUntil !== undefined);
      setText(row.state, awayUntil !== undefined ? "away" : isAwaited ? "to move" : "");
      const isOnTurnClock = isAwaited && (this.turn_time_s || !this.clock);
      const deadline = awayUntil ?? (isOnTurnClock ? (board?.deadline_ms ?? null) : null);
      const rest = phase === "playing" && this.turn_time_s ? `${this.turn_time_s} s` : "";
      this.clocks.set(row.clock, deadline, { text: rest, isOwn: isAwaited && seat === this.you });
      row.clock.classList.toggle("rests", deadline === null);
      this.showBank(row, seat, isAwaited && awayUntil === undefined);
    }
  }

  // A bank runs while its player is to move. Until the next board has come it stays as it is: the last one had more.
  showBank(row, seat, runs) {
    const { board, clock } = this;
    const left = board?.banks_ms?.[seat] ?? null;
    row.bank.hidden = left === null;
    if (left === null || (this.isStale && this.phase === "playing")) return;
    const isOwn = seat === this.you && !this.turn_time_s;
    this.clocks.set(row.bankClock, runs ? board.heard_ms + left : null, { text: bankWords(left, clock), bank: clock, isOwn });
  }

  showDelay() {
    const { text, isSlow } = delayWords(this.socket.rtt_ms);
    setText(this.view.delay, text);
    this.view.delay.classList.toggle("warning", isSlow);
  }

  // A move in the list, and in words. Dice that the move or the dice before have told already are not told twice.
  addMove(moved) {
    const isDraw = moved.by === "chance" || moved.seat === null || moved.seat === undefined;
    const told = moved.details_words ?? moved.details;
    const details = isDraw ? untold(told, this.lastDetails) : told;
    this.lastDetails = told;
    if (isDraw && told && !details) return "";
    if (!isDraw) this.moveNumber = (this.moveNumber ?? 0) + 1;
    const words = moveWords({ ...moved, details }, this.you);
    this.view.addMove(isDraw ? null : this.moveNumber, words, moved.seat === this.you);
    return words;
  }

  // Who is away when the match is told to a player who comes back.
  takeAway(away = []) {
    this.awayUntil = new Map(away.map(({ seat, return_by_ms }) => [seat, return_by_ms]));
  }

  isOther(seat) {
    return seat !== this.you;
  }

  get opponents() {
    return this.players.filter((_, seat) => this.isOther(seat)).join(" and ");
  }
}

// Who hears what: a row for each message.
const HEARD = {
  paired(message) {
    this.game = message.game;
    this.turn_time_s = message.turn_time_s ?? this.turn_time_s;
    this.awaited = [];
    this.phase = message.number > 1 ? "between" : "readying";
    this.takeAway(message.away);
    this.end.takePlayed(message.played);
    this.end.askReady(message, `${this.phase === "between" ? `Game ${message.number} of ` : ""}${message.game} against ${this.opponents}`);
    this.show();
  },

  "seat ready"({ seat }) {
    if (this.isOther(seat)) this.announcer.say(`${this.players[seat]} is ready.`);
    this.end.seatReady(seat);
  },

  "own draw"({ value }) {
    const words = `You drew ${value}.`;
    setText(this.view.last, words);
    this.announcer.say(words);
  },

  match(message) {
    const { game, number, moves = [], resumed } = message;
    if (message.whole) this.game = message.whole;
    this.end.takePlayed(message.played);
    this.end.begin();
    this.phase = "playing";
    this.number = number ?? 1;
    this.isSeries ||= this.number > 1 || game !== this.game;
    this.turn_time_s = message.turn_time_s ?? this.turn_time_s;
    this.takeAway(message.away);
    [this.moveNumber, this.lastDetails] = [0, ""];
    [this.stepsHeard, this.turnHeard] = [moves.length, 0];
    this.view.moves.replaceChildren();
    for (const moved of moves) this.addMove(moved);
    this.rolls = !resumed;
    setText(this.view.title, this.isSeries ? `${this.game}, game ${this.number}${game === this.game ? "" : `: ${game}`}` : this.game);
    const side = message.first === this.you ? "You begin." : message.first === undefined ? "" : `${this.players[message.first]} begins.`;
    this.announcer.say(resumed ? "You are back in your match." : `${game} begins. ${side}`);
    this.refresh();
  },

  turn({ turn, seats, prompt, deadline_ms }) {
    this.prompt = prompt;
    this.turnHeard = turn;
    // The board that was asked for after the last move may show this turn already, and may be under a finger by now.
    const isShown = !this.isStale && this.board?.turn === turn && this.awaited.includes(this.you);
    this.awaited = seats;
    if (seats.includes(this.you)) {
      const left = deadline_ms === null || deadline_ms === undefined ? "" : `, ${spokenTime(deadline_ms - this.socket.now_ms())}`;
      const asked = question(prompt);
      this.announcer.say(`Your turn${left}.${asked ? ` ${sentence(capital(asked))}` : ""}`);
    }
    if (isShown) this.show();
    else this.refresh();
  },

  moved(message) {
    if (message.by === "chance") this.rolls = true;
    this.stepsHeard += 1;
    const words = this.addMove(message);
    if (words) setText(this.view.last, words);
    this.announcer.say(words);
    this.awaited = [];
    this.refresh();
  },

  refused({ seat, player, move, why }) {
    const words = `${this.isOther(seat) ? `${player} tried` : "You tried"} ${move}, which is illegal: ${sentence(why)}`;
    this.note(words);
    this.refresh();
  },

  "game over"(message) {
    this.awaited = [];
    this.phase = message.ready_by_ms === null || message.ready_by_ms === undefined ? "over" : "between";
    if (this.phase === "between") this.isSeries = true;
    this.end.gameOver(message, { verdict: verdict(message, this.players, this.you), fault: faultWords(message, this.players, this.you), why: whyWords(message.why) });
    this.refresh();
  },

  "match over"(message) {
    this.awaited = [];
    this.phase = "over";
    this.awayUntil.clear();
    this.end.matchOver(message, { verdict: verdict(message, this.players, this.you), fault: faultWords(message, this.players, this.you) });
    this.refresh();
  },

  dropped({ seat, player, return_by_ms }) {
    this.awayUntil.set(seat, return_by_ms);
    this.announcer.say(`${player} has lost the connection, and has ${spokenTime(return_by_ms - this.socket.now_ms())} to come back.`);
    this.show();
  },

  returned({ seat, player }) {
    this.awayUntil.delete(seat);
    this.announcer.say(`${player} is back.`);
    this.refresh({ isAnew: true });
  },

  said({ from, text }) {
    this.view.showSaid(`${from}: ${text}`);
  },

  challenged(message) {
    this.end.challenged(message);
  },

  "challenge closed"(message) {
    this.end.challengeClosed(message);
  },
};

export function openMatch(root, socket, told) {
  const match = new Match(root, socket, told);
  match.hear(told);
  return { hear: (message) => match.hear(message), close: () => match.close() };
}
