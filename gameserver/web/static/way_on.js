// Where a region says what comes next and none did before, the viewer is taken there: to the podium after the last result,
// and back if the tournament goes on. That is meant for a projector. A phone, and anybody who reads, gets a link instead.
"use strict";

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
document.addEventListener("news", (event) => {
  const { head, ceremony } = event.detail.html;
  const html = head || ceremony;
  if (!html) return;
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const next = holder.content.querySelector("[data-next]");
  const isNew = next && !saysNext;
  saysNext = next !== null;
  const offer = document.getElementById("way-on");
  if (!next) offer.replaceChildren();
  if (!isNew) return;
  if (isLeftAlone()) {
    event.preventDefault();
    location.assign(next.dataset.next);
    return;
  }
  const link = document.createElement("a");
  link.href = next.dataset.next;
  link.textContent = next.dataset.nextWords;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", () => offer.replaceChildren());
  offer.replaceChildren(link, close);
});
