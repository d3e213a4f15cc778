// What was chosen last stays so over a reload and for the next visit, where the browser keeps anything. What is open with the
// server, which forgets it when the connection ends, is known to the tab alone, and over a reload.
"use strict";

const placeOf = (what) => `gameserver.play.${what}`;

export function keep(what, value) {
  try {
    localStorage.setItem(placeOf(what), value);
  } catch {
    // Then it is chosen again.
  }
}

export function kept(what) {
  try {
    return localStorage.getItem(placeOf(what));
  } catch {
    return null;
  }
}

export function keepOpen(what, value) {
  try {
    if (value) sessionStorage.setItem(placeOf(what), JSON.stringify(value));
    else sessionStorage.removeItem(placeOf(what));
  } catch {
    // Then a reload ends it without a word.
  }
}

export function takeOpen(what) {
  try {
    const found = JSON.parse(sessionStorage.getItem(placeOf(what)));
    sessionStorage.removeItem(placeOf(what));
    return found;
  } catch {
    return null;
  }
}
