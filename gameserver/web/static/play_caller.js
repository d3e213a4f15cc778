// Calls a player who looks elsewhere: by the title of the tab, and by a notification if the player asked for those.
"use strict";

const TITLE = document.title;
const isHere = () => document.visibilityState === "visible" && document.hasFocus();

function come() {
  if (isHere()) document.title = TITLE;
}
addEventListener("focus", come);
document.addEventListener("visibilitychange", come);

export function call(text) {
  if (isHere()) return;
  document.title = `● ${text}`;
  if (!mayNotify() || Notification.permission !== "granted") return;
  try {
    const shown = new Notification("gameserver", { body: text, tag: "gameserver-play" });
    shown.addEventListener("click", () => {
      focus();
      shown.close();
    });
  } catch {
    // Android's browsers let only a service worker notify; the title has to do.
  }
}

export function stopCalling() {
  document.title = TITLE;
}

// Browsers ask for the permission only on pages that came by TLS or from the own machine.
const mayNotify = () => "Notification" in window && isSecureContext;

// A button that asks for the permission, and is gone when the browser has an answer.
export function offerNotifications(button) {
  const show = () => {
    button.hidden = !mayNotify() || Notification.permission !== "default";
  };
  button.addEventListener("click", () => Notification.requestPermission().then(show));
  show();
}
