// Where a region says what comes next and none did before, the viewer is taken there: to the podium after the last
// result, and back if the tournament goes on. That is meant for a projector. A phone, and anybody who reads, gets a
// link instead. A wide screen that stays shows nothing newer before the link is followed or closed: the podium is the
// first to say who won.
"use strict";

// Nobody has touched the page for a minute: then it is a projector, or nobody reads. When every viewer was taken along,
// a student lost a page in the middle of a line.
const QUIET_MS = 60000;
// The podium stands below the header, and a link to it scrolls there.
const TOP_PX = 120;
const hasRoom = matchMedia("(min-width: 60rem) and (min-height: 34rem)");
let touchedMs = -QUIET_MS;
for (const kind of ["pointerdown", "wheel", "touchmove", "keydown"]) {
  addEventListener(kind, () => (touchedMs = performance.now()), { passive: true });
}
const isLeftAlone = () => hasRoom.matches && scrollY < TOP_PX && performance.now() - touchedMs >= QUIET_MS;

let saysNext = document.querySelector("[data-next]") !== null;
let held = [];
function showHeld() {
  const news = held;
  held = [];
  document.getElementById("way-on").replaceChildren();
  news.forEach(change);
}
function offer(next) {
  const link = document.createElement("a");
  link.href = next.dataset.next;
  link.textContent = next.dataset.nextWords;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", showHeld);
  document.getElementById("way-on").replaceChildren(link, close);
}
document.addEventListener("news", (event) => {
  const { head, ceremony } = event.detail.html;
  const holder = document.createElement("template");
  holder.innerHTML = head || ceremony || "";
  const next = holder.content.querySelector("[data-next]");
  const isNew = next && !saysNext;
  if (head || ceremony) {
    saysNext = next !== null;
    if (!next) showHeld();
  }
  if (isNew && isLeftAlone()) {
    event.preventDefault();
    location.assign(next.dataset.next);
  } else if (held.length || (isNew && head && hasRoom.matches)) {
    event.preventDefault();
    held.push(event.detail);
  }
  if (isNew && !isLeftAlone()) offer(next);
  // The podium of a page that waited for it begins as for one who comes to it now.
  if (holder.content.querySelector(".podium") && !document.querySelector(".podium")) {
    queueMicrotask(() => location.replace("#ceremony"));
  }
});
