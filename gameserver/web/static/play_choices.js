// What was chosen last stays so over a reload and for the next visit, where the browser keeps anything. What is open
// with the server, which forgets it when the connection ends, is known to the tab alone, and over a reload.
"use strict";

// The parts of a game's seats, of which a challenger may choose one; none where the seats are alike.
export function rolesOf(game) {
  const card = [...document.querySelectorAll("#games input")].find(({ value }) => value === game)?.parentElement;
  return card?.dataset.roles ? card.dataset.roles.split("|") : [];
}

// The seat that is wanted at a game, as a challenge names it; nothing if it is left to the lot.
export function seatAt(game) {
  const { dataset, value } = document.getElementById("seat");
  return value !== "" && dataset.shows === rolesOf(game).join() ? { seat: Number(value) } : {};
}

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
