// The network part of the bot: the text protocol of the game server. Nothing in here is about winning.
//
// Four habits keep it out of trouble:
// 1. A line is complete when its end has come. One "data" event may hold half a line, or three.
// 2. The fields of a line are looked up by their key, never by their position. Unknown keys and lines are ignored.
// 3. OK and ERR answer commands, in the order in which they were sent. Every other line is news, which may come in
//    between: the bot moves because of YOURTURN and changes its board because of MOVE, never because of an OK.
// 4. A lost connection is not the end: log in again, and the server shows a match that is still going on from its
//    beginning.
//
// Everything that is said is logged: "<" is a line from the server, ">" a line to it, "-" a remark of the bot.

import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Board, ME, OPPONENT, SIZES } from "./board.mjs";

// SVR GAME MOVE {PLAYER: "ann", MOVE: "44", DETAILS: ""}; YOURTURN may come without the braces.
const EVENT = /^SVR GAME ([A-Z ]+?) ?(\{.*\})?$/;
// PLAYER: "ann". A value ends where the next key or the closing brace comes: a name may have a comma or a quote in it.
const FIELD = /(\w+)\s*:\s*"(.*?)"\s*(?=,\s*\w+\s*:|\}$)/g;
const CONNECT_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 250; // between two tries to come back: each pause is twice the one before
const LONGEST_PAUSE_MS = 2000;
const RETRY_PAUSE_MS = 1000; // before the same challenge again
// Over soon: the server has not noticed yet that our old connection is dead, or it is being restarted.
const PASSING = /^ERR (duplicate name|the server is stopping)/i;
// No new match begins; the server lets those that are going on end, and closes the connection.
const STOPPING = /^ERR the server is about to stop/i;

/** The bot cannot go on; the message says why. */
export class GiveUp extends Error {}
/** This connection is of no use any more; the message says why. */
class Lost extends Error {}

/** The options that a bot is started with. */
export const DEFAULTS = {
  host: "localhost",
  port: 7789,
  name: "",
  game: "", // look for opponents at this game; without it wait to be called or challenged, as in a tournament
  challenge: "", // challenge this player again and again instead
  secret: "",
  matches: 0, // how many to play; 0 means until the bot is stopped
  retryFor: 60, // seconds to try to come back after a lost connection
  silence: 20, // seconds without a line after which the server is asked for a sign of life
};

/** Prints a line of the log. Redirected into a file, the log of a match can be played again as a test. */
function log(mark, text) {
  const now = new Date();
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
  console.log(`${time}.${String(now.getMilliseconds()).padStart(3, "0")} ${mark} ${text}`);
}

/** One player on the server. `onLine` sorts what the server says, the methods after it act on it. */
export class Client {
  constructor(options, choose) {
    this.options = { ...DEFAULTS, ...options };
    this.choose = choose;
    this.unanswered = []; // commands whose OK or ERR has not come yet
    this.challenges = new Map(); // challenges to us that are open: the challenger by the number
    this.board = null; // null if we cannot play the game
    this.iBegin = false;
    this.opponent = "";
    this.playing = false;
    this.played = 0; // how many matches are over
    this.isIn = false; // are we logged in?
    this.wasIn = false; // have we ever been? Then a lost connection is worth another try
    this.hasAsked = false; // have we asked for a match since we logged in?
    this.stopped = false;
  }

  // ---- the connection

  /** Plays all matches, over as many connections as it takes. */
  async run() {
    let [pauseMs, lastTryMs] = [FIRST_PAUSE_MS, 0];
    while (!this.isDone()) {
      const problem = await this.oneConnection(); // an Error, or nothing after the last match
      if (!problem || this.isDone()) return;
      const why = problem.message || problem.code;
      if (this.isIn) {
        this.isIn = false;
        [pauseMs, lastTryMs] = [FIRST_PAUSE_MS, Date.now() + 1000 * this.options.retryFor];
      } else if (!this.wasIn || Date.now() > lastTryMs) {
        throw new GiveUp(`no server at ${this.options.host}, port ${this.options.port}: ${why}`);
      }
      log("-", `no connection (${why}), trying again in ${pauseMs} ms`);
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  isDone() {
    return this.stopped || (this.options.matches > 0 && this.played >= this.options.matches);
  }

  /** From login to logout. Whatever was known of a match is forgotten: the server shows it again. */
  oneConnection() {
    this.unanswered = [];
    this.challenges.clear();
    this.playing = this.hasAsked = false;
    return new Promise((resolve, reject) => {
      const socket = createConnection({ host: this.options.host, port: this.options.port });
      this.socket = socket;
      let problem = new Lost("the server closed it");
      let silences = 0;
      let unfinished = "";
      socket.setEncoding("utf8"); // puts letters together that arrive in two pieces
      socket.setNoDelay(true); // send each command at once
      socket.setTimeout(CONNECT_TIMEOUT_MS);
      socket.on("connect", () => {
        socket.setTimeout(1000 * this.options.silence);
        this.send(`login ${this.options.name}`, this.options.secret);
      });
      socket.on("data", (received) => {
        silences = 0;
        const lines = (unfinished + received).split(/[\r\n]+/); // a line ends in CR LF, LF or CR
        unfinished = lines.pop();
        try {
          for (const line of lines) {
            if (line.trim() !== "" && !this.isDone()) this.onLine(line.trim());
          }
        } catch (error) {
          if (error instanceof Lost) problem = error;
          else reject(error); // the bot gives up, or has a bug
          socket.destroy();
        }
        if (this.isDone()) this.stop();
      });
      socket.on("timeout", () => {
        silences += 1;
        if (socket.connecting || silences > 1) socket.destroy(new Lost("no sign of life"));
        else this.send("get gamelist"); // a server that is there answers; one that is not cannot tell us
      });
      socket.on("error", (error) => {
        problem = error;
      });
      socket.on("close", () => resolve(this.isDone() ? undefined : problem));
    });
  }

  /** Leaves at once, so that the opponent need not wait for us. */
  stop() {
    this.stopped = true;
    if (this.socket && !this.socket.writableEnded) {
      this.send("logout");
      this.socket.destroySoon(); // as soon as that is sent
    }
  }

  /** Sends one command; its answer comes later. A secret goes behind it and is never logged. */
  send(command, secret = "") {
    log(">", command);
    this.unanswered.push(command);
    this.socket.write(`${command} ${secret}`.trim() + "\r\n");
  }

  // ---- what the server says

  /** Sorts one line: the answer to the oldest open command, or news. */
  onLine(line) {
    log("<", line);
    if (line === "OK" || line.startsWith("ERR")) {
      this.onAnswer(this.unanswered.shift() ?? "", line);
      return;
    }
    const event = EVENT.exec(line);
    if (event) { // everything else is the banner, a chat message, a list, or something new: nothing to do
      const fields = new Map([...line.matchAll(FIELD)].map(([, key, value]) => [key, value]));
      this.onEvent(event[1], fields);
    }
  }

  /** The server accepted this command (OK), or refused it (ERR and why). */
  onAnswer(command, answer) {
    if (answer === "OK") {
      if (command.startsWith("login ")) {
        this.wasIn = this.isIn = true;
        this.send("get gamelist"); // a match of ours that is still going on is shown before the answer
      } else if (command === "get gamelist" && !this.hasAsked) {
        this.hasAsked = true;
        this.askForMatch();
      }
    } else if (PASSING.test(answer) && this.wasIn) {
      throw new Lost(answer);
    } else if (command.startsWith("challenge accept ")) { // that challenge is gone
      this.askForMatch();
    } else if (this.playing || STOPPING.test(answer)) {
      return; // a tournament was faster than we were; or the server will close the connection in a moment
    } else if (command.startsWith("challenge ") && this.played > 0) {
      const { socket } = this; // our opponent is busy, or has lost the connection as well
      setTimeout(() => {
        if (socket === this.socket && !socket.destroyed && !this.isDone()) this.askForMatch();
      }, RETRY_PAUSE_MS);
    } else if (/^(login|subscribe|challenge) /.test(command)) {
      throw new GiveUp(`the server refused '${command}': ${answer}`);
    }
    // A refused move came too late or too early. If it is still our turn, YOURTURN comes again.
  }

  /** Looks for the next opponent, unless a match has begun already. */
  askForMatch() {
    if (this.playing) return;
    const { challenge, game } = this.options;
    if (challenge) {
      this.send(`challenge "${challenge}" "${game}"`);
    } else if (this.challenges.size > 0) { // the oldest first
      const [[number, challenger]] = this.challenges;
      this.challenges.delete(number);
      log("-", `accepting the challenge of ${challenger}`);
      this.send(`challenge accept ${number}`);
    } else if (game) {
      this.send(`subscribe ${game}`);
    }
  }

  /** Something happened in the game, or is about to. */
  onEvent(kind, fields) {
    if (kind === "MATCH") this.onMatch(fields);
    else if (kind === "CHALLENGE") this.onChallenge(fields);
    else if (kind === "CHALLENGE CANCELLED") this.challenges.delete(fields.get("CHALLENGENUMBER"));
    else if (kind === "MOVE" && this.playing) this.onMove(fields);
    else if (kind === "YOURTURN" && this.playing) this.onTurn(); // if the opponent must pass, it comes twice
    else if (["WIN", "LOSS", "DRAW"].includes(kind) && this.playing) this.onResult(kind.toLowerCase(), fields);
  }

  /** Accepts it if we have nothing better to do, else after the match. */
  onChallenge(fields) {
    const game = fields.get("GAMETYPE");
    if (this.options.challenge || !(game in SIZES) || (this.options.game && this.options.game !== game)) return;
    this.challenges.set(fields.get("CHALLENGENUMBER"), fields.get("CHALLENGER"));
    if (!this.unanswered.some((command) => command.startsWith("challenge accept "))) this.askForMatch();
  }

  /** A match begins, or is shown again after we came back. Either way it starts with an empty board. */
  onMatch(fields) {
    const game = fields.get("GAMETYPE");
    this.playing = true;
    this.iBegin = fields.get("PLAYERTOMOVE") === this.options.name;
    this.opponent = fields.get("OPPONENT") ?? "";
    this.board = game in SIZES ? new Board(game, this.iBegin) : null;
    log("-", `match of ${game} against ${this.opponent}, ${this.iBegin ? "I begin" : "they begin"}`);
  }

  /** Asks the strategy for a move, and sends it. */
  onTurn() {
    const moves = this.board ? this.board.legalMoves(ME) : [];
    if (moves.length === 0) {
      log("-", "there is nothing that I could play");
      this.send("forfeit");
      return;
    }
    let move;
    try {
      move = this.choose(this.board.copy(), moves);
    } catch (bug) { // a bug in the strategy should cost a good move, not the tournament
      console.error(bug);
    }
    if (!moves.includes(move)) {
      log("-", `the strategy found no legal move, playing ${moves[0]} instead of ${move}`);
      move = moves[0];
    }
    this.send(`move ${move}`);
  }

  /** Somebody moved: our own moves reach our board only here. An illegal one is announced too, and then loses. */
  onMove(fields) {
    const player = fields.get("PLAYER") === this.options.name ? ME : OPPONENT;
    const move = fields.get("MOVE") ?? "";
    if (this.board && /^[0-9]{1,2}$/.test(move) && this.board.legalMoves(player).includes(Number(move))) {
      this.board.play(Number(move), player);
    }
  }

  /** The match is over. The scores are those of the player who began and of the other. */
  onResult(result, fields) {
    const [first, second] = [fields.get("PLAYERONESCORE") ?? "?", fields.get("PLAYERTWOSCORE") ?? "?"];
    const [mine, theirs] = this.iBegin ? [first, second] : [second, first];
    log("-", `RESULT ${result} ${this.opponent} ${mine}:${theirs}`);
    this.playing = false;
    this.played += 1;
    if (!this.isDone()) this.askForMatch();
  }
}
