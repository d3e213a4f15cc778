// A match as spectators see it, for a tab whose player plays it in another one.
"use strict";

export function watch(root, match) {
  const stream = new EventSource(`/matches/${match}/events`);
  stream.addEventListener("change", (event) => {
    const { html } = JSON.parse(event.data);
    if (!html.board) return;
    const holder = document.createElement("template");
    holder.innerHTML = html.board;
    root.replaceChildren(holder.content);
  });
  stream.addEventListener("over", () => stream.close());
  return {
    close() {
      stream.close();
      root.replaceChildren();
    },
  };
}
