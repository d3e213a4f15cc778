// Makes boards as large as the screen has room for. All of them are on the screen at once if they can be read then;
// otherwise they get the least width at which they can, and the page scrolls.
"use strict";

const tiles = document.getElementById("tiles");
const frame = tiles.closest(".boards");
// All in rem, as tiles.css has them. Below the least sizes names and boards cannot be read; fifteen boards of
// Backgammon fit a projector with the smallest letters.
const GAP = 0.9;
const PAD = 0.7;
const TILE_WIDTH_MIN = 13.5;
const BOARD_HEIGHT_MIN = 9;
const BOARD_HEIGHT_MAX = 52;
const SPACE_BELOW = 0.5;
const FONT_MIN = 0.95;

const fontOf = (width) => Math.min(1.35, Math.max(FONT_MIN, width / 17));
// Two lines for the players, one for the game, and what lies between and around them.
const wordsOf = (font) => 2 * (1.5 * font + 0.1) + 1.2 * font + 2 * 0.45 + 2 * PAD;

function ratioOf(board) {
  const box = board && board.getAttribute("viewBox");
  if (!box) return 1.3;
  const [, , width, height] = box.split(" ").map(Number);
  return width / height;
}
function layout(count, columns, room, ratio, given = 0) {
  const width = (room.width - (columns - 1) * GAP) / columns;
  const rows = Math.ceil(count / columns);
  const font = given || fontOf(width);
  const left = (room.height - (rows - 1) * GAP) / rows - wordsOf(font);
  const height = Math.min(left, (width - 2 * PAD) / ratio, BOARD_HEIGHT_MAX);
  return { columns, width, font, height };
}
function best(count, room, ratio) {
  const most = Math.max(1, Math.floor((room.width + GAP) / (TILE_WIDTH_MIN + GAP)));
  let found = null;
  for (let columns = 1; columns <= Math.min(most, count); columns++) {
    // With one size of letters for all, the same rows have the same height, and fewer columns are wider.
    const one = layout(count, columns, room, ratio, 1.1);
    if (!found || one.height > found.height + 0.1) found = one;
  }
  for (const font of [0, 1.1, FONT_MIN]) {
    found = layout(count, found.columns, room, ratio, font);
    if (found.height >= BOARD_HEIGHT_MIN) return found;
  }
  const narrow = layout(count, Math.min(most, count), room, ratio);
  // The first row is seen as a whole.
  const seen = Math.max(BOARD_HEIGHT_MIN, room.height - wordsOf(narrow.font));
  return { ...narrow, height: Math.min((narrow.width - 2 * PAD) / ratio, seen) };
}
function fitTexts(width, height) {
  for (const text of tiles.querySelectorAll(".board-text")) {
    const lines = text.textContent.split("\n");
    const letters = Math.max(...lines.map((line) => line.length));
    text.style.fontSize = `${Math.max(9, Math.min(width / (letters * 0.62), height / (lines.length * 1.4), 32))}px`;
  }
}
// From the tiles' top to the end of the screen, or of the part of it that scrolls by itself. Boards that begin far down
// are looked at after scrolling, and then have the whole screen.
function heightLeft() {
  const top = tiles.getBoundingClientRect().top + scrollY;
  if (frame && getComputedStyle(frame).overflowY === "auto") {
    return frame.getBoundingClientRect().bottom + scrollY - top - frame.scrollTop;
  }
  return innerHeight - (top < innerHeight / 2 ? top : 0);
}
let last = "";
function fit() {
  const count = tiles.childElementCount;
  if (!count || !tiles.clientWidth) return;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const room = { width: tiles.clientWidth / rem, height: heightLeft() / rem - SPACE_BELOW };
  const ratios = [...tiles.children].map((tile) => ratioOf(tile.querySelector(".board-frame > .board")));
  const found = best(count, room, Math.max(...ratios));
  const narrowest = Math.max(TILE_WIDTH_MIN, found.height * Math.max(...ratios) + 2 * PAD);
  const width = Math.min(found.width, Math.max(narrowest, Math.min(found.width, 24)));
  const font = Math.min(found.font, fontOf(width));
  const wanted = [found.columns, width.toFixed(2), font.toFixed(2), found.height.toFixed(2)].join(" ");
  if (wanted !== last) {
    last = wanted;
    tiles.style.setProperty("--columns", found.columns);
    tiles.style.setProperty("--tile-width", `${width}rem`);
    tiles.style.setProperty("--font", `${font}rem`);
    tiles.style.setProperty("--board-height", `${found.height}rem`);
    tiles.classList.add("fitted");
  }
  fitTexts((width - 2 * PAD) * rem, found.height * rem);
}
fit();
const observer = new ResizeObserver(fit);
observer.observe(tiles);
if (frame) observer.observe(frame);
new MutationObserver(fit).observe(tiles, { childList: true });
addEventListener("resize", fit);
