// Plays a match on from where the viewer stands, a step a second. Any step by hand stops it.
"use strict";

// Slow enough to see each move; a match of sixty is over in a minute.
const PAUSE_MS = 1000;
const button = document.getElementById("autoplay");
const way = (id) => document.getElementById(id);
const { body } = document;
let timer = 0;
let isOwnClick = false; // true while the script clicks for the viewer

function show() {
  button.textContent = timer ? "❚❚" : "▶";
  button.title = timer ? "Pause" : "Play the moves, one a second";
  button.setAttribute("aria-label", button.title);
}
function click(id) {
  isOwnClick = true;
  way(id).click();
  isOwnClick = false;
}
function isAtEnd() {
  const [step, last] = way("where").textContent.split("/").map(Number);
  return step >= last;
}
function stop() {
  clearInterval(timer);
  timer = 0;
  show();
}
function tick() {
  if (isAtEnd()) stop();
  else click("next");
}
button.addEventListener("click", () => {
  if (timer) {
    stop();
    return;
  }
  if (isAtEnd()) click("first");
  timer = setInterval(tick, PAUSE_MS);
  show();
});
body.addEventListener("click", (event) => {
  if (timer && !isOwnClick && event.target.closest(".steps a, .moves a, .past a")) stop();
});
document.addEventListener("keydown", (event) => {
  if (timer && ["Home", "End", "ArrowLeft", "ArrowRight"].includes(event.key)) stop();
});
show();
button.hidden = false;
