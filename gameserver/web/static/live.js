// Keeps a page up to date, lets a match be stepped through, and does without: every page works with no script at all.
"use strict";

const body = document.body;
const byId = (id) => document.getElementById(id);

// --- the theme

const themeButton = byId("theme");
const isDark = () =>
  (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function nameTheme() {
  themeButton.textContent = isDark() ? "Light" : "Dark";
  themeButton.title = `Switch to the ${isDark() ? "light" : "dark"} theme`;
}
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("theme", theme);
  nameTheme();
});
nameTheme();

// --- times of day as the viewer's clock has them

function precision(dataset) {
  if ("day" in dataset) return { dateStyle: "long" };
  return "time" in dataset ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
}

function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!isNaN(at)) time.textContent = at.toLocaleString([], precision(time.dataset));
  }
}
localTimes(document);

// --- clocks: deadlines are on the server's axis of time, whose present comes with every event

// Waits that are no longer are not told: a page that names everybody for a moment only flickers.
const BRIEF_S = 5;
let serverMs = 0;
let heardMs = 0;
function hearTime(text) {
  const now = Number(text);
  if (now) [serverMs, heardMs] = [now, performance.now()];
}
// As the server writes it: 40 s, 3 min, 1 h 20 min.
function duration(seconds) {
  if (seconds < 90) return `${Math.max(10, Math.ceil(seconds / 10) * 10)} s`;
  const whole = Math.ceil(seconds / 60);
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}
// With less a bank is low, which a word tells too. Judgement.
const LOW_MS = 20_000;
// What is left of a bank, by its clock as it is written ("2m, 3 x 10s"): before the periods, then of one at a time.
function bankWords(left_ms, clock) {
  const [, count = 0, length = 0, unit] = /(\d+) x ([\d.]+)([ms])/.exec(clock) ?? [];
  const period_ms = length * (unit === "m" ? 60_000 : 1_000);
  const before_ms = left_ms - count * period_ms;
  const periods = count ? Math.max(1, Math.ceil(left_ms / period_ms)) : 1;
  const shown_ms = before_ms > 0 ? before_ms : left_ms - (periods - 1) * period_ms;
  const after = !count ? "" : before_ms > 0 ? ` + ${count} × ${length} ${unit}` : `, ${periods > 1 ? `${periods} periods` : "last period"}`;
  return `${shown_ms < LOW_MS ? `${(shown_ms / 1000).toFixed(1)} s` : minutes(shown_ms / 1000)}${after}${left_ms < LOW_MS ? ", low" : ""}`;
}
function showClocks() {
  if (outage.isAway()) return;
  const now = serverMs + performance.now() - heardMs;
  for (const clock of document.querySelectorAll("[data-deadline-ms]")) {
    const left = Math.max(0, Number(clock.dataset.deadlineMs) - now) / 1000;
    const isCountdown = "countdown" in clock.dataset;
    const isCoarse = left >= 60 || isCountdown || "whole" in clock.dataset;
    clock.textContent = isCoarse ? minutes(left) : `${left.toFixed(1)} s`;
    clock.classList.toggle("short", left < (isCountdown ? 60 : 5));
  }
  for (const bank of document.querySelectorAll("[data-bank]")) {
    const left_ms = Math.max(0, bank.dataset.leftMs ?? bank.dataset.endsMs - now);
    bank.textContent = bankWords(left_ms, bank.dataset.bank);
    bank.classList.toggle("short", left_ms < LOW_MS);
  }
  for (const since of document.querySelectorAll("[data-since-ms]")) {
    const waited = Math.max(0, now - Number(since.dataset.sinceMs)) / 1000;
    since.textContent = minutes(waited);
    since.closest("[data-brief]").hidden = waited < BRIEF_S;
  }
  for (const estimate of document.querySelectorAll("[data-grows-from-ms]")) {
    const left = (now - Number(estimate.dataset.growsFromMs)) * Number(estimate.dataset.rate);
    estimate.textContent = duration(Math.max(0, left) / 1000);
  }
}
hearTime((body.dataset.mark || "").split("-")[2]);
showClocks();
setInterval(showClocks, 200);

// --- the match: where the viewer stands in it

const match = body.dataset.match;
let last = Number(body.dataset.last || 0);
let step = Number(body.dataset.step || 0);

const isPresent = () => step === last;
// What stands on the board, which a step that could not be fetched leaves as it was.
let shown = step;
function showWhere() {
  byId("where").textContent = `${step} / ${last}`;
  byId("previous").href = `?move=${Math.max(0, step - 1)}`;
  byId("next").href = `?move=${Math.min(last, step + 1)}`;
  showPast();
  const current = byId(`m${step}`);
  if (current && current.hasAttribute("aria-current")) return;
  for (const one of document.querySelectorAll("#moves [aria-current]")) one.removeAttribute("aria-current");
  if (current) {
    current.setAttribute("aria-current", "step");
    const list = byId("moves");
    list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }
}
// A match that goes on says how far behind it the viewer is.
function showPast() {
  const past = byId("past");
  if (!past) return;
  const newer = last - step;
  past.hidden = newer === 0 || !body.dataset.events;
  const [at, count] = past.querySelectorAll("span");
  at.textContent = `move ${step}`;
  count.textContent = `${newer} newer move${newer === 1 ? "" : "s"}`;
}
let asked = 0;
function stand(wanted) {
  step = Math.min(last, Math.max(0, wanted));
  showWhere();
  history.replaceState(null, "", isPresent() ? location.pathname : `?move=${step}#m${step}`);
}
async function goTo(wanted) {
  stand(wanted);
  const turn = ++asked;
  const answer = await fetch(`${location.pathname}/board?move=${step}`).catch(() => null);
  const text = answer && answer.ok ? await answer.text().catch(() => "") : "";
  // The viewer has gone on, or a newer board has come by itself.
  if (turn !== asked) return;
  if (!text) {
    stand(shown);
    return;
  }
  byId("board").outerHTML = text;
  shown = step;
  showScores();
}
// The scores beside the names are those of the position that is shown.
function showScores() {
  const scores = (byId("board").dataset.scores || "").split(" ");
  for (const score of document.querySelectorAll("[data-score]")) score.textContent = scores[score.dataset.score];
}
if (match) {
  showWhere();
  if (byId("past")) {
    byId("past").querySelector("a").addEventListener("click", (event) => {
      event.preventDefault();
      goTo(last);
      // The link goes with the past, and takes the focus along.
      byId("last").focus({ preventScroll: true });
    });
  }
  const ways = { first: () => 0, previous: () => step - 1, next: () => step + 1, last: () => last };
  for (const [id, where] of Object.entries(ways)) {
    byId(id).addEventListener("click", (event) => {
      event.preventDefault();
      goTo(where());
    });
  }
  byId("moves").addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (!item || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    goTo(Number(item.id.slice(1)));
  });
  const keys = { Home: "first", ArrowLeft: "previous", ArrowRight: "next", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !keys[event.key]) return;
    event.preventDefault();
    goTo(ways[keys[event.key]]());
  });
}

// --- the stream: regions of the page that have changed

// What the viewer does with a region outlives its change: a list in which something is being chosen is left alone until
// that is done, a choice is kept as long as it is there, what was folded open stays open, and a link keeps the focus.
const postponed = new Map();
function put(id, html, inside) {
  const old = byId(id);
  if (old && old.matches("select") && old === document.activeElement) {
    if (!postponed.has(id)) old.addEventListener("blur", () => put(id, postponed.get(id), inside), { once: true });
    postponed.set(id, html);
    return;
  }
  postponed.delete(id);
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const fresh = holder.content.firstElementChild;
  localTimes(holder.content);
  if (old) {
    const focused = old.contains(document.activeElement) && document.activeElement.getAttribute("href");
    if (old.matches("select")) fresh.value = [...fresh.options].some((one) => one.value === old.value) ? old.value : "";
    for (const fold of old.querySelectorAll("details[data-fold]")) {
      const same = fresh.querySelector(`details[data-fold="${CSS.escape(fold.dataset.fold)}"]`);
      // What the server folds open by itself is open only as long as it says so, unless the viewer has folded it
      // otherwise.
      if (same && fold.open !== ("unfolded" in fold.dataset)) same.open = fold.open;
    }
    old.replaceWith(fresh);
    const link = focused && [fresh, ...fresh.querySelectorAll("a")].find((one) => one.getAttribute("href") === focused);
    if (link) link.focus({ preventScroll: true });
  } else if (inside && byId(inside)) byId(inside).append(fresh);
}
function change(news) {
  if (!document.dispatchEvent(new CustomEvent("news", { detail: news, cancelable: true }))) return;
  const wasPresent = isPresent();
  for (const [id, html] of Object.entries(news.html)) {
    if (match && id === "board" && !wasPresent) continue;
    put(id, html, news.inside[id]);
  }
  for (const [id, names] of Object.entries(news.order)) {
    const container = byId(id);
    if (!container) continue;
    const wanted = new Set(names);
    for (const child of [...container.children]) if (!wanted.has(child.id)) child.remove();
    for (const name of names) if (byId(name)) container.append(byId(name));
  }
  showClocks();
  if (match) {
    last = byId("moves").childElementCount;
    if (wasPresent) {
      step = shown = last;
      // A board that was asked for before would be an older one.
      if (news.html.board) asked += 1;
    }
    showWhere();
    showScores();
  }
  for (const empty of document.querySelectorAll("[data-empty-for]")) {
    empty.hidden = byId(empty.dataset.emptyFor).childElementCount > 0;
  }
}

let stream = null;
let mark = body.dataset.mark;
// A server that hangs must not keep the page from asking again.
const ANSWER_MS = 10_000;
// Where the page is gone or the login is over, the server's answer to the page says so. Whatever else it answers, it is
// asked again.
async function retry() {
  const request = { method: "HEAD", signal: AbortSignal.timeout(ANSWER_MS) };
  const answer = await fetch(body.dataset.events, request).catch(() => null);
  if (answer && [401, 404].includes(answer.status)) location.reload();
  else listen();
}
function drop() {
  if (stream) stream.close();
  stream = null;
}
function listen() {
  if (stream || document.hidden || !body.dataset.events) return;
  outage.listen();
  const joint = body.dataset.events.includes("?") ? "&" : "?";
  stream = new EventSource(`${body.dataset.events}${joint}after=${encodeURIComponent(mark)}`);
  stream.addEventListener("error", () => {
    outage.begin(Date.now());
    // The browser tries again by itself, unless there was an answer that is no stream.
    if (stream.readyState !== EventSource.CLOSED) return;
    drop();
    setTimeout(retry, RETRY_MS * (1 + Math.random()));
  });
  stream.addEventListener("here", (event) => {
    hearTime(event.data);
    outage.end();
  });
  stream.addEventListener("change", (event) => {
    mark = event.lastEventId;
    hearTime(mark.split("-")[2]);
    outage.end();
    change(JSON.parse(event.data));
  });
  stream.addEventListener("over", () => {
    outage.end();
    drop();
    delete body.dataset.events;
    if (match) showPast();
  });
}
// A page that nobody sees costs nothing: browsers open only six streams to one server.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) drop();
  else listen();
});
listen();
setInterval(() => {
  if (!stream || !outage.isSilent()) return;
  drop();
  outage.begin(outage.heardAt());
  listen();
}, 5_000);
