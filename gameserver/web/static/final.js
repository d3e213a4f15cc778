// Shows all positions of the final before the places appear. Who asks for reduced motion, or has no script, sees the podium.
"use strict";

const REPLAY_MS = 30000;
let isDone = matchMedia("(prefers-reduced-motion: reduce)").matches;

function end() {
  isDone = true;
  delete document.body.dataset.replays;
}
async function replay() {
  const { boards, steps } = document.getElementById("final").dataset;
  if (isDone || !boards || location.hash !== "#ceremony" || "replays" in document.body.dataset) return;
  document.body.dataset.replays = "";
  const beganMs = performance.now();
  const last = Number(steps);
  // A position each while, by the clock: where answers are slow, some are left out, and the end comes in time.
  const eachMs = REPLAY_MS / (last + 1);
  for (let step = 0; step <= last && !isDone; ) {
    const answer = await fetch(`${boards}?move=${step}`).catch(() => null);
    const text = answer && answer.ok ? await answer.text().catch(() => "") : "";
    const place = document.getElementById("replayed");
    if (!text || !place) break;
    place.innerHTML = text;
    const next = Math.max(step + 1, Math.floor((performance.now() - beganMs) / eachMs));
    const waitMs = beganMs + next * eachMs - performance.now();
    await new Promise((done) => setTimeout(done, Math.max(0, waitMs)));
    step = step === last ? next : Math.min(last, next);
  }
  end();
}
document.addEventListener("click", (event) => {
  if (event.target.id === "to-podium") end();
});
replay();
addEventListener("hashchange", replay);
// A page that waited for the last result is told of the final with the podium.
document.addEventListener("news", () => setTimeout(replay));
