// Tells a viewer, wherever on the page, that the server is away and since when. The style sheet of the same name has
// everything that stands still meanwhile look so; `live.js` stops its clocks.
"use strict";

const WORDS = "The server is away. Nothing is lost; play goes on when it is back.";
// A connection that is replaced within this time, as after a laptop's sleep, was no outage.
const PATIENCE_MS = 1_000;
// The server says something at least every 15 s. A cable that was pulled ends no connection; it only brings silence.
const SILENCE_MS = 40_000;
// The least time between two attempts of a page; live.js adds up to as much by chance, so that a class does not come
// back all at once.
const RETRY_MS = 3_000;

// As the server writes a time that is counted: 0:09, 12:04, 1:00:00.
function minutes(seconds) {
  const [hours, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const last = String(Math.floor(seconds % 60)).padStart(2, "0");
  return hours ? `${hours}:${String(rest).padStart(2, "0")}:${last}` : `${rest}:${last}`;
}

const outage = (() => {
  const root = document.documentElement;
  let heardAt = Date.now();
  let listensSince = heardAt;
  let lostAt = null;
  let said = WORDS;
  const isAway = () => "away" in root.dataset;

  function show() {
    if (lostAt === null || Date.now() - lostAt < PATIENCE_MS) return;
    if (!isAway()) {
      root.dataset.away = "";
      document.getElementById("connection").textContent = said;
      const last = new Date(lostAt).toLocaleTimeString([], { timeStyle: "medium" });
      document.getElementById("as-of").textContent = `As of ${last}`;
    }
    document.getElementById("away-for").textContent = minutes((Date.now() - lostAt) / 1000);
  }
  setInterval(show, 250);

  return {
    isAway,
    isSilent: () => Date.now() - Math.max(heardAt, listensSince) > SILENCE_MS,
    // The server is asked for its events from now on.
    listen() {
      listensSince = Date.now();
    },
    // The connection was lost at this time. The time since then is counted, however many attempts fail meanwhile.
    begin(at, words = WORDS) {
      lostAt ??= at;
      said = words;
    },
    heardAt: () => heardAt,
    // The server has said something.
    end() {
      heardAt = Date.now();
      lostAt = null;
      if (!isAway()) return;
      delete root.dataset.away;
      for (const id of ["connection", "as-of", "away-for"]) document.getElementById(id).textContent = "";
    },
  };
})();
