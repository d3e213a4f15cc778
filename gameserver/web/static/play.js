// The page to play on: what is on the screen, and when it changes.
"use strict";

import { call, offerNotifications, stopCalling } from "./play_caller.js";
import { Challenges } from "./play_challenges.js";
import { forget, recall, remember } from "./play_identity.js";
import { PlayLobby } from "./play_lobby.js";
import { openMatch } from "./play_match.js";
import { showRules } from "./play_rules.js";
import { PlaySocket } from "./play_socket.js";
import { Talk } from "./play_talk.js";
import { watch } from "./play_watch.js";

const byId = (id) => document.getElementById(id);

// What is shown, and where each thing that happens leads from there. That the connection is away is no screen of its
// own: whatever is shown stays, and the head of the page says so.
const SCREENS = {
  asking: { enter: "entering" },
  entering: { open: "lobby", refused: "asking", elsewhere: "elsewhere", dismissed: "dismissed", logOut: "asking" },
  lobby: { match: "match", refused: "asking", elsewhere: "elsewhere", dismissed: "dismissed", logOut: "asking" },
  match: { match: "match", leave: "lobby", refused: "asking", elsewhere: "elsewhere", dismissed: "dismissed", logOut: "asking" },
  elsewhere: { enter: "entering" },
  dismissed: { enter: "entering" },
};
// What has the focus when a screen opens: where the person goes on, or what has to be read.
const FOCUS = { asking: "#name", lobby: "#games input:checked", match: "h2", elsewhere: "h2", dismissed: "h2" };
const LOST = "The connection is lost. Your seat is kept for a while; this page goes on by itself.";
// The time for the second click that logs out of a match, which gives it up. Judgement.
const SURE_MS = 6_000;

const socket = new PlaySocket();
const address = new URL(location.href).searchParams;
const lobby = new PlayLobby(socket, { game: address.get("game"), to: address.get("to") });
const challenges = new Challenges(socket, (text) => lobby.say(text));
const talk = new Talk(socket, () => lobby.players);
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("gameserver.play") : null;
let screen = "asking";
let match = null;
let watched = null;

function turn(what) {
  const next = SCREENS[screen][what];
  if (next) show(next);
  return Boolean(next);
}

function show(next) {
  const before = screen;
  screen = next;
  document.body.dataset.screen = next;
  for (const part of document.querySelectorAll(".screen")) part.hidden = part.id !== next;
  const isIn = next === "lobby" || next === "match";
  byId("who").hidden = !isIn;
  byId("talk").hidden = !isIn;
  lobby.say("");
  lobby.setShown(next === "lobby");
  if (!isIn) {
    challenges.clear();
    showRules("");
  }
  if (before === "match" && next !== "match") closeMatch();
  if (next !== "elsewhere" && watched) {
    watched.close();
    watched = null;
  }
  if (next === before) return;
  scrollTo(0, 0);
  focusOn(next);
}

function focusOn(next) {
  // Who is writing goes on writing.
  if (document.activeElement === byId("say-text") && !byId("talk").hidden) return;
  const wanted = FOCUS[next] && byId(next).querySelector(FOCUS[next]);
  if (wanted) wanted.focus({ preventScroll: true });
  // What has just been hidden keeps the focus until the page is drawn: a list that comes before that would not take it.
  else document.activeElement.blur();
}

// --- coming in and going out

function enter({ name, key = "", secret = "" }) {
  turn("enter");
  byId("entering-name").textContent = name;
  socket.enter({ name, key, secret });
}

const field = (name) => ({ input: byId(name), wrong: byId(`${name}-wrong`) });
function sayWrong(name, why) {
  for (const one of ["name", "secret"].map(field)) {
    one.wrong.textContent = "";
    one.input.removeAttribute("aria-invalid");
  }
  if (!why) return;
  const { input, wrong } = field(name);
  wrong.textContent = why;
  input.setAttribute("aria-invalid", "true");
  input.focus();
}

function showSecret() {
  byId("secret-field").hidden = false;
  byId("has-secret").setAttribute("aria-expanded", "true");
  byId("has-secret").hidden = true;
}

// The refusals that are about the secret; all others are about the name.
const ABOUT_SECRET = new Set(["unproven", "proof wrong", "proof too often"]);
function refuse({ why, code }) {
  turn("refused");
  byId("name").value = socket.name;
  const isSecret = ABOUT_SECRET.has(code);
  if (isSecret) showSecret();
  sayWrong(isSecret ? "secret" : "name", why);
}

byId("asking").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = byId("name").value.trim();
  sayWrong();
  if (!name) return sayWrong("name", "Type a name to play by.");
  const secret = byId("secret").value;
  byId("secret").value = "";
  const known = recall();
  return enter({ name, secret, key: known && known.name === name ? known.key : "" });
});
byId("has-secret").addEventListener("click", () => {
  showSecret();
  byId("secret").focus();
});

async function logOut() {
  // A seat that is only left waits for its player for a while.
  if (match && !match.isOver) await socket.ask({ do: "resign", scope: "match", match: match.number });
  forget(socket.name);
  lobby.end();
  challenges.begin();
  socket.leave();
  outage.end();
  turn("logOut");
  sayWrong();
  byId("name").value = "";
}
// Who leaves a match in the middle may lose it, so that is asked again.
byId("log-out").addEventListener("click", (event) => {
  const asks = event.currentTarget;
  if (match && !match.isOver && !("sure" in asks.dataset)) {
    asks.dataset.sure = "";
    asks.textContent = "Log out and give the match up?";
    setTimeout(() => {
      delete asks.dataset.sure;
      asks.textContent = "Log out";
    }, SURE_MS);
    return;
  }
  logOut();
});
byId("stop-entering").addEventListener("click", logOut);
for (const id of ["play-here", "come-back"]) {
  byId(id).addEventListener("click", () => enter(socket));
}

// --- the connection

const STATES = {
  open() {
    outage.end();
    remember(socket.name, socket.key, socket.secret);
    byId("own-name").textContent = socket.name;
    if (tabs) tabs.postMessage({ entered: socket.name });
    contribute();
    turn("open");
    if (match) match.wasTold = false;
    lobby.begin(challenges.begin()).then(findMatch);
  },
  connecting: ({ why }) => {
    byId("entering-why").textContent = why;
  },
  away: ({ why }) => outage.begin(Date.now(), why ? `${why} This page goes on by itself.` : LOST),
  refused: (detail) => {
    outage.end();
    refuse(detail);
  },
  elsewhere() {
    outage.end();
    const number = match && !match.isOver ? match.number : null;
    turn("elsewhere");
    byId("watch-link").hidden = number === null;
    if (number === null) return;
    byId("watch-link").href = `/matches/${number}`;
    watched = watch(byId("watched"), number);
  },
  dismissed({ why }) {
    outage.end();
    byId("dismissed-why").textContent = why;
    turn("dismissed");
  },
};
socket.addEventListener("state", ({ detail }) => STATES[detail.state]?.(detail));
if (tabs) {
  tabs.addEventListener("message", ({ data }) => {
    if (data.entered === socket.name && socket.state === "away") socket.yieldToOther();
  });
}

// --- the match

function startMatch(told) {
  showRules(told.game, byId("match"));
  if (match && match.number === told.match) {
    match.wasTold = true;
    return match.screen.hear(told);
  }
  closeMatch();
  turn("match");
  match = { number: told.match, isOver: false, wasTold: true, players: told.players };
  match.screen = openMatch(byId("match"), socket, told);
  const others = told.players.filter((_, seat) => seat !== told.you).join(" and ");
  challenges.endOf(told.players);
  talk.choose(told.players.find((_, seat) => seat !== told.you));
  if (!told.resumed) call(`${told.game} against ${others} begins`);
  focusOn("match");
  return undefined;
}

function closeMatch() {
  if (match) match.screen.close();
  match = null;
}

// After an interruption the server tells the match again, before it answers any question. A match that it does not tell
// is over, and its page says how it ended.
function findMatch() {
  if (socket.state !== "open" || !match || match.isOver || match.wasTold) return;
  const { number } = match;
  turn("leave");
  lobby.say("Your match ended while the connection was lost.");
  byId("say-what").append(" ", Object.assign(document.createElement("a"), { href: `/matches/${number}`, textContent: "See how it ended" }));
}

// A rematch that was offered, in `detail`, stays a challenge.
byId("match").addEventListener("leave", ({ detail }) => {
  turn("leave");
  if (detail) lobby.noteOwn(lobby.waitWords(detail.to, detail.game), detail);
});

// Random bytes for the next match, so that its dice and lots cannot be the server's choice.
function contribute() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  socket.ask({ do: "contribute", hex: bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("") });
}

const HEARERS = {
  paired(told) {
    startMatch(told);
    if (!told.resumed) contribute();
  },
  match: startMatch,
  said: (message) => call(`${message.from}: ${message.text}`),
  challenged: (message) => call(challenges.words(message)),
  turn: (message) => message.match === match?.number && call("It is your turn"),
  "match over": (message) => {
    if (message.match === match?.number) match.isOver = true;
  },
};
// What a match on the screen hears although it names no match: what is said, and offers of a rematch.
const ABOUT_PLAYERS = new Set(["said", "challenged", "challenge closed"]);
socket.addEventListener("told", ({ detail }) => {
  lobby.hear(detail);
  challenges.hear(detail);
  talk.hear(detail);
  const opens = detail.tell === "paired" || detail.tell === "match";
  const concerns = detail.match === match?.number || ABOUT_PLAYERS.has(detail.tell);
  if (match && !opens && concerns) match.screen.hear(detail);
  HEARERS[detail.tell]?.(detail);
});

// --- the beginning

offerNotifications(byId("notify"));
addEventListener("pagehide", stopCalling);
const known = recall();
if (known) enter(known);
else {
  show("asking");
  focusOn("asking");
}
