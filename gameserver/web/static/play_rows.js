// Lists that change while somebody uses them: a row that stays is the same element, so that it keeps the focus.
"use strict";

// The rows of `items`, by their keys. `make` makes a row's content once, `update` puts in what may change.
export function showRows(list, items, keyOf, make, update = () => {}) {
  const before = new Map([...list.children].map((row) => [row.dataset.key, row]));
  const wasInside = list.contains(document.activeElement);
  items.forEach((item, place) => {
    const key = String(keyOf(item));
    let row = before.get(key);
    if (!row) {
      row = document.createElement("li");
      row.dataset.key = key;
      row.append(...make(item));
    }
    before.delete(key);
    // An element that is moved loses the focus, so only those in a wrong place are.
    if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
    update(row, item);
  });
  for (const row of before.values()) row.remove();
  if (wasInside && !list.contains(document.activeElement)) {
    list.tabIndex = -1;
    list.focus({ preventScroll: true });
  }
}

export function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...content);
  return made;
}

// A player's name, which may be in any script and of any length.
export const nameOf = (name) => element("b", { className: "name", dir: "auto" }, name);

// Of a double click only the first counts, as long as its answer is on the way.
export function button(text, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  let isBusy = false;
  made.addEventListener("click", async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await act();
    } finally {
      isBusy = false;
    }
  });
  return made;
}

// A time for a turn in words, or a clock with a bank.
export function timeWords(seconds, clock) {
  if (clock) {
    const spaced = clock.replace(/([\d.]+)([ms])/g, (_, count, unit) => `${count} ${unit === "m" ? "min" : "s"}`);
    return `with a bank of ${spaced.replace("+", " + ").replace(" x ", " × ").replace("turn", "a turn at most")}`;
  }
  if (seconds === null || seconds === undefined) return "no limit for a turn";
  const [count, unit] = seconds % 3600 === 0 ? [seconds / 3600, "hour"] : seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"} for a turn`;
}
