// The connection of a player: it comes in, goes on after every interruption, and knows the server's time.
//
//   ask(message)      a Promise of the answer, which is kept even where there is none: {tell: "ok"}, what was asked for
//                     (`players`, `games` or `board`), or {tell: "error", code, why}; the code is "away" when the
//                     connection was lost before the answer came
//   "told" events     every other message, in `detail`, in the order in which the server told them
//   "state" events    {state, why} in `detail`; STATES below has them
//   now_ms()          the server's time: deadlines are told in it. A guess that improves with every ping
//   rtt_ms            the shortest way to the server and back, of late; null before the first pong
"use strict";

// idle         nobody is to come in
// connecting   on the way in, for the first time since `enter`
// open         in: the server has said welcome
// away         was in, and is being brought back; the page shows what it last knew
// refused      the server does not let this player in; `why` and `code` say it
// elsewhere    the same player has come in by another tab or program
// dismissed    sent out by a teacher
export const STATES = ["idle", "connecting", "open", "away", "refused", "elsewhere", "dismissed"];

// The first pause before another attempt, which doubles with each, and the longest. Judgement.
const BACK_OFF_MS = 400;
const BACK_OFF_MAX_MS = 8_000;
// A server that is full is asked more slowly.
const FULL_MS = 5_000;
// A server that says nothing for longer on the way in is tried again.
const WELCOME_MS = 10_000;
// A network that is gone ends no connection; it only brings silence.
const PING_MS = 5_000;
const PONG_MS = 7_000;
// A tick that comes so late means that the machine slept: whatever was open is doubted at once.
const TICK_MS = 2_000;
const SLEPT_MS = 15_000;
// The shortest way of the latest pings tells the server's time best; older ones are of another network.
const PINGS_KEPT = 8;
// The status for a host name that the server does not know as its own.
const MISDIRECTED = 421;
// Questions whose `ok` says only that the answer follows.
const TOLD_AFTER_OK = { list: "players", games: "games", board: "board" };
const AWAY = { tell: "error", code: "away", why: "The connection to the server is lost; it is tried again by itself." };
// Why the server said goodbye, for a person who need not do anything about it. Otherwise it is the server's own
// sentence.
const WHY = { stopping: "The server is being restarted.", full: "The server is full for now." };
// The goodbyes after which the page does not come back by itself.
const ENDS = { elsewhere: "elsewhere", dismissed: "dismissed" };

export class PlaySocket extends EventTarget {
  constructor(address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play/socket`) {
    super();
    this.state = "idle";
    this.rtt_ms = null;
    this.name = "";
    this.key = "";
    this.address = address;
    this.asked = new Map();
    this.nextId = 1;
    this.tries = 0;
    this.pings = [];
    this.tickedAt = Date.now();
    setInterval(() => this.tick(), TICK_MS);
    addEventListener("online", () => this.hurry());
    addEventListener("offline", () => this.state === "open" && this.lose("This device has lost its network."));
    addEventListener("pageshow", (event) => event.persisted && this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
  }

  // --- what the page asks for

  enter({ name, secret = "", key = "" }) {
    Object.assign(this, { name, secret, key, tries: 0 });
    this.become("connecting");
    this.connect();
  }

  // Out for good. The server is told, so that the name is free at once.
  leave() {
    if (this.state === "open") this.send({ do: "bye" });
    this.stop("idle");
  }

  // Another tab has this player now, as that tab says.
  yieldToOther() {
    if (this.state !== "open") this.stop("elsewhere");
  }

  ask(message) {
    if (this.state !== "open") return Promise.resolve({ ...AWAY, do: message.do });
    return this.question(message);
  }

  now_ms() {
    return performance.now() + (this.offsetMs ?? 0);
  }

  // --- the connection

  connect() {
    this.drop();
    const socket = new WebSocket(this.address);
    this.socket = socket;
    this.welcomeBy = Date.now() + WELCOME_MS;
    socket.addEventListener("open", () => this.socket === socket && this.logIn());
    socket.addEventListener("message", (event) => this.socket === socket && this.hear(JSON.parse(event.data)));
    socket.addEventListener("close", () => this.socket === socket && this.closed(socket));
  }

  // A browser does not tell why it could not open a WebSocket. Asked for a page, the same address says so.
  async closed(socket) {
    if (this.state === "connecting" && this.tries === 0) {
      const answer = await fetch(this.address.replace("ws", "http")).catch(() => null);
      const why = answer?.status === MISDIRECTED ? await answer.text() : "";
      if (this.socket !== socket) return;
      if (why) return this.stop("refused", why.trim());
    }
    this.lose("");
  }

  async logIn() {
    const message = { do: "login", name: this.name };
    if (this.secret) message.secret = this.secret;
    if (this.key) message.key = this.key;
    const answer = await this.question(message);
    if (answer.tell !== "error" || answer.code === "away") return;
    if (answer.code === "bad key") {
      this.key = "";
      this.logIn();
      return;
    }
    // A server that is stopping lets nobody in for now; every other refusal is about this player.
    if (answer.code === "stopping" || answer.code === "server fault") this.lose(`${answer.why}.`);
    else this.stop("refused", answer.why, answer.code);
  }

  // Whatever the server said last, it is not there any more: try again, a little later each time.
  lose(why, pauseMs = 0) {
    this.drop();
    // An attempt that fails says nothing new: the reason of the loss stands until there is another one.
    if (this.state === "open") Object.assign(this, { tries: 0, why });
    else if (why) this.why = why;
    if (this.state === "open" || this.state === "connecting" || this.state === "away") {
      if (this.state === "connecting") this.become("connecting", why || "The server does not answer yet. It is tried again.");
      else this.become("away", this.why);
      const backOffMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_MS * 2 ** this.tries++);
      this.retry = setTimeout(() => this.connect(), Math.max(pauseMs, backOffMs) * (0.5 + Math.random()));
    }
  }

  stop(state, why = "", code = "") {
    this.drop();
    this.become(state, why, code);
  }

  drop() {
    clearTimeout(this.retry);
    const socket = this.socket;
    this.socket = null;
    if (socket) socket.close();
    this.pingSentAt = null;
    const open = [...this.asked.values()];
    this.asked.clear();
    for (const { message, answer } of open) answer({ ...AWAY, do: message.do });
  }

  // The network is back, or somebody looks at the page again: do not wait for the end of a pause.
  hurry() {
    if (this.state === "open") {
      if (this.socket.readyState === WebSocket.OPEN) this.ping();
      else this.lose("");
    } else if (this.state === "away" || this.state === "connecting") {
      this.tries = 0;
      this.connect();
    }
  }

  tick() {
    const now = Date.now();
    const slept = now - this.tickedAt > SLEPT_MS;
    this.tickedAt = now;
    if (!this.socket) return;
    if (this.state !== "open") {
      if (now > this.welcomeBy) this.lose("");
    } else if (this.pingSentAt !== null) {
      if (now - this.pingSentAt > PONG_MS) this.lose("The server has not answered for some seconds.");
    } else if (slept || now - this.pingedAt > PING_MS) {
      if (slept) this.pings = [];
      this.ping();
    }
  }

  // --- questions and answers

  question(message) {
    return new Promise((answer) => {
      const id = this.nextId++;
      this.asked.set(id, { message, answer });
      this.send({ ...message, id });
    });
  }

  send(message) {
    if (this.socket && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  hear(message) {
    const kind = message.tell;
    if (kind === "pong") return this.hearPong(message);
    if (kind === "hello") {
      if (this.offsetMs === undefined) this.offsetMs = message.server_ms - performance.now();
      return;
    }
    if (kind === "goodbye") {
      if (ENDS[message.kind]) this.stop(ENDS[message.kind], message.why);
      else this.lose(WHY[message.kind] ?? `${message.why}.`, message.kind === "full" ? FULL_MS : 0);
      return;
    }
    if (kind === "welcome") {
      this.name = message.name;
      this.key = message.key;
      this.pings = [];
      this.become("open");
      this.ping();
    }
    const open = this.asked.get(message.id);
    if (open && !(kind === "ok" && TOLD_AFTER_OK[open.message.do])) {
      this.asked.delete(message.id);
      open.answer(message);
    }
    if (kind !== "ok" && kind !== "error") this.dispatchEvent(new CustomEvent("told", { detail: message }));
  }

  ping() {
    this.pingSentAt = this.pingedAt = Date.now();
    this.send({ do: "ping", at: performance.now() });
  }

  // The server's clock is read at half the way; the shortest way there and back is the best guess.
  hearPong({ at, server_ms }) {
    const now = performance.now();
    this.pingSentAt = null;
    this.pings = [...this.pings, { rttMs: now - at, offsetMs: server_ms + (now - at) / 2 - now }].slice(-PINGS_KEPT);
    const best = this.pings.reduce((one, other) => (other.rttMs < one.rttMs ? other : one));
    this.rtt_ms = best.rttMs;
    this.offsetMs = best.offsetMs;
    if (this.pings.length < 3) setTimeout(() => this.state === "open" && this.pingSentAt === null && this.ping(), 400);
  }

  become(state, why = "", code = "") {
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: { state, why, code } }));
  }
}
