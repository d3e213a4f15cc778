// The rules of the game at hand, for people. The page has those of every game, which are read without scripts, too.
"use strict";

const section = document.getElementById("rules");

// Below the element `after`; none if no game is at hand, or it has none.
export function showRules(game, after = null) {
  section.hidden = true;
  for (const one of section.children) {
    one.hidden = one.dataset.game !== game;
    if (one.hidden) one.open = false;
    else section.hidden = false;
  }
  if (after && after.nextElementSibling !== section) after.after(section);
}
