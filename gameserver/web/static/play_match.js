// Everything of one match on the screen of a player.
//
// `told` is the message that began it (`paired` or `match`); `hear` is given every later message of that match, and what
// is said meanwhile. After an interruption that is a `match` again. The event `leave` on `root` asks the page for the way
// back to the lobby. The page itself calls a player who looks elsewhere, and moves the focus to the heading.
"use strict";

export function openMatch(root, socket, told) {
  const heading = document.createElement("h2");
  heading.tabIndex = -1;
  heading.textContent = `${told.players[told.you]} at ${told.game}`;
  const log = document.createElement("pre");
  const leave = document.createElement("button");
  leave.type = "button";
  leave.textContent = "To the lobby";
  leave.addEventListener("click", () => root.dispatchEvent(new CustomEvent("leave")));
  root.replaceChildren(heading, log, leave);
  const hear = (message) => {
    log.append(`${JSON.stringify(message)}\n`);
    if (message.tell === "paired") socket.ask({ do: "ready" });
  };
  hear(told);
  return { hear, close: () => root.replaceChildren() };
}
