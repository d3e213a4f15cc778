// What was chosen last stays so over a reload and for the next visit, where the browser keeps anything.
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
