// Who plays in this tab. A tab keeps its own player over a reload; a new tab continues as the latest player of the
// browser. Only the server's key is kept, never a secret. Where the browser keeps nothing, a reload asks for the name.
"use strict";

const PLACE = "gameserver.player";

function each(act) {
  for (const name of ["sessionStorage", "localStorage"]) {
    try {
      const found = act(window[name]);
      if (found) return found;
    } catch {
      // A browser that keeps nothing refuses even to be asked.
    }
  }
  return null;
}

export function recall() {
  return each((store) => {
    const found = JSON.parse(store.getItem(PLACE));
    return found && typeof found.name === "string" && typeof found.key === "string" ? found : null;
  });
}

export function remember(name, key) {
  each((store) => store.setItem(PLACE, JSON.stringify({ name, key })));
}

export function forget(name) {
  each((store) => {
    const found = JSON.parse(store.getItem(PLACE));
    if (found && found.name === name) store.removeItem(PLACE);
  });
}
