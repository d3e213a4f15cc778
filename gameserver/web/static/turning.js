// Standings, and lists of players, that are too long for the screen turn their pages, slowly; the style sheet shows the
// page that <body> names. The turn is kept on <body>, so that it survives each change of the list.
"use strict";

// Time to find one's own name among some forty from the back of a class. Judgement.
const PAGE_MS = 12000;
let isTurning = true;
let turn = 0;
let turnedMs = performance.now();

const turnButton = () => document.querySelector("button.turn");
const isRead = () => document.querySelector(":is(#standings, #join .crowd):is(:hover, :focus-within)") !== null;

function showTurn() {
  const button = turnButton();
  if (!button) {
    delete document.body.dataset.turn;
    return;
  }
  const pages = Number(button.dataset.pages);
  turn %= pages;
  button.hidden = false;
  if (isTurning) document.body.dataset.turn = turn;
  else delete document.body.dataset.turn;
  const words = isTurning ? `${turn + 1} of ${pages} · Show all` : "Turn pages";
  if (button.textContent !== words) button.textContent = words;
}
// A page stays while somebody points at a player in it.
setInterval(() => {
  const now = performance.now();
  if (isTurning && now - turnedMs >= PAGE_MS && !isRead()) [turn, turnedMs] = [turn + 1, now];
  showTurn();
}, 250);
document.addEventListener("click", (event) => {
  if (!event.target.closest("button.turn")) return;
  isTurning = !isTurning;
  turnedMs = performance.now();
  showTurn();
});
new MutationObserver(showTurn).observe(document.querySelector("main"), { childList: true, subtree: true });
showTurn();
