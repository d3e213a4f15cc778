// Who plays in this tab. A tab keeps its own player over a reload; a new tab goes on as the latest player of the
// browser.
//
// The server's key takes back a seat and takes over from another tab, but a player of the roster who has neither needs
// the secret again. So the tab keeps that, too, until it is closed; the browser is left the key alone. Where a browser
// keeps nothing, a reload asks for the name.
"use strict";

const PLACE = "gameserver.player";
const STORES = ["sessionStorage", "localStorage"];

function first(act) {
  for (const name of STORES) {
    try {
      const found = act(window[name], name);
      if (found) return found;
    } catch {
      // A browser that keeps nothing refuses even to be asked.
    }
  }
  return null;
}

const read = (store) => JSON.parse(store.getItem(PLACE));

export function recall() {
  return first((store) => {
    const found = read(store);
    return found && typeof found.name === "string" && typeof found.key === "string" ? found : null;
  });
}

export function remember(name, key, secret) {
  first((store, kind) => {
    const kept = kind === "sessionStorage" && secret ? { name, key, secret } : { name, key };
    store.setItem(PLACE, JSON.stringify(kept));
  });
}

export function forget(name) {
  first((store) => {
    if (read(store)?.name === name) store.removeItem(PLACE);
  });
}
