// What happens in a match, as plain sentences for its player.
"use strict";

// A person is told the question; what follows a bar repeats the position, for programs that remember nothing.
export const question = (prompt) => (prompt ?? "").split(" | ")[0];

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);
const joined = (names) => names.join(" and ");

// Moves that are words of their own. Any other is played.
const ACTS = {
  roll: ["roll the dice", "rolls the dice"],
  double: ["offer to double the stake", "offers to double the stake"],
  take: ["take the double", "takes the double"],
  drop: ["drop the double", "drops the double"],
  undo: ["take a step back", "takes a step back"],
  end: ["end the turn", "ends the turn"],
};

// Acts that are not what one usually wants to do, beside those that are.
export const ASIDE = new Set(["double", "drop", "undo"]);

// Acts that are asked once more, as a touch in passing would cost too much: the question, and the answers.
export const ASKED = {
  double: ["Offer to double the stake?", "Keep the stake", "Double the stake"],
  drop: ["Drop the double, and lose this game?", "Think again", "Drop it"],
};

function actWords(move, words, player, isOwn) {
  if (move in ACTS) return isOwn ? `You ${ACTS[move][0]}` : `${player} ${ACTS[move][1]}`;
  const shown = move === "?" ? "a hidden move" : words;
  return isOwn ? `You play ${shown}` : `${player} plays ${shown}`;
}

// What `details` say beyond what was said last: those of dice begin with the words before them.
export function untold(details = "", last = "") {
  if (last && details === last) return "";
  return last && details.startsWith(`${last}, `) ? details.slice(last.length + 2) : details;
}

// `words` are the move as people say it, `details` what came of it.
export function moveWords({ seat, player, move, words = move, details = "", by }, you) {
  const said = question(details);
  const after = said ? ` ${sentence(capital(said))}` : "";
  if (by === "chance" || seat === null || seat === undefined) return after.trim() || `Drawn: ${move}.`;
  if (by === "server") return `${seat === you ? "You were" : `${player} was`} late: the server played ${words}.${after}`;
  // The dice tell that they were rolled.
  if (move === "roll" && after) return after.trim();
  return `${actWords(move, words, player, seat === you)}.${after}`;
}

const FAULTS = {
  resigned: ["You resigned", "{name} resigned"],
  late: ["You ran out of time", "{name} ran out of time"],
  "illegal move": ["You made an illegal move", "{name} made an illegal move"],
  dropped: ["You lost the connection for too long", "{name} lost the connection"],
};

// Why a game or match ended, in a sentence; empty if it was simply played to its end.
export function faultWords({ reason, by }, players, you) {
  if (reason === "void") return "It does not count: something broke on the server's side, and nobody has lost.";
  if (reason === "abandoned") return "It was abandoned, and nobody has lost.";
  const words = FAULTS[reason];
  if (!words || by === null || by === undefined) return "";
  return `${by === you ? words[0] : words[1].replace("{name}", () => players[by])}.`;
}

// What a rule or a clock says about a loss, to who lost.
export function whyWords(why) {
  if (!why) return "";
  if (typeof why === "string") return sentence(capital(why));
  const told = [];
  if (why.rule) told.push(sentence(capital(why.rule)));
  if (why.turn_time_ms && why.late_ms === null) told.push(`A turn may take ${why.turn_time_ms / 1000} s, and no move came.`);
  else if (why.late_ms) told.push(`A turn may take ${why.turn_time_ms / 1000} s; the move came ${why.late_ms / 1000} s too late.`);
  return told.join(" ");
}

const VERDICTS = { win: "You won", loss: "You lost", draw: "A draw", void: "Void" };

export function verdict({ result, reason, winners }, players, you) {
  if (result in VERDICTS) return reason === "abandoned" ? "Abandoned" : VERDICTS[result];
  if (!winners?.length) return "A draw";
  return winners.includes(you) ? "You won" : `${joined(winners.map((seat) => players[seat]))} won`;
}

export function turnWords(awaited, players, you) {
  if (!awaited.length) return "";
  if (awaited.includes(you)) return "Your turn";
  const names = joined(awaited.map((seat) => players[seat]));
  return awaited.length > 1 ? `${names} are to move` : `${names} is to move`;
}
