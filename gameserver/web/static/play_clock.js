// Clocks that run down to points of the server's time. They show; only the server decides who is late.
"use strict";

// A clock under a minute shows tenths of a second.
const TICK_MS = 100;
// A clock turns to the colour of haste with so much left, and a screen reader says it once with so much. Judgement.
const SHORT_MS = 5_000;
const WARN_MS = 10_000;
// A way to the server and back that a player should know of: moves arrive this late. Judgement.
const SLOW_MS = 400;

function clockText(left_ms) {
  const left = Math.max(0, left_ms) / 1000;
  if (left < 60) return `${(Math.floor(left * 10) / 10).toFixed(1)} s`;
  const whole = Math.floor(left);
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${padded(minutes)}:${padded(seconds)}` : `${minutes}:${padded(seconds)}`;
}

// What `bankWords` of live.js says of a bank with little left.
const isLow = (text) => text.endsWith(", low");

// A time in spoken words: "30 seconds", "2 minutes".
export function spokenTime(left_ms) {
  const seconds = Math.max(0, Math.round(left_ms / 1000));
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

// The clocks of one match. `onWarning` hears once that a running own clock is nearly down.
export class Clocks {
  constructor(socket, { onWarning }) {
    this.socket = socket;
    this.onWarning = onWarning;
    this.running = new Map();
    this.timer = setInterval(() => this.#tick(), TICK_MS);
  }

  close() {
    clearInterval(this.timer);
  }

  // `element` shows the time to `deadline_ms`, or `text` if nothing runs; `isOwn` for the clock that is the player's
  // own; `bank` is the clock of the match, as it is written, if this is what is left of a bank.
  set(element, deadline_ms, { text = "", isOwn = false, bank = null } = {}) {
    if (deadline_ms === null || deadline_ms === undefined) {
      this.running.delete(element);
      element.textContent = text;
      element.classList.toggle("short", isLow(text));
      return;
    }
    const isKnown = this.running.get(element)?.deadline_ms === deadline_ms;
    const isWarned = isKnown ? this.running.get(element).isWarned : deadline_ms - this.socket.now_ms() < WARN_MS;
    this.running.set(element, { deadline_ms, isOwn, isWarned, bank });
    this.#show(element, deadline_ms, bank);
  }

  #tick() {
    if (this.socket.state !== undefined && this.socket.state !== "open") return;
    for (const [element, clock] of this.running) {
      const left = this.#show(element, clock.deadline_ms, clock.bank);
      if (clock.isOwn && !clock.isWarned && left < WARN_MS) {
        clock.isWarned = true;
        this.onWarning(left);
      }
    }
  }

  #show(element, deadline_ms, bank) {
    const left = deadline_ms - this.socket.now_ms();
    const text = bank === null ? clockText(left) : bankWords(Math.max(0, left), bank);
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle("short", bank === null ? left < SHORT_MS : isLow(text));
    return left;
  }
}

// The network's delay in words; it counts as large when a move may come too late for it.
export function delayWords(rtt_ms) {
  if (rtt_ms === null || rtt_ms === undefined) return { text: "", isSlow: false };
  const isSlow = rtt_ms > SLOW_MS;
  const time = rtt_ms < 1000 ? `${Math.max(1, Math.round(rtt_ms))} ms` : `${(rtt_ms / 1000).toFixed(1)} s`;
  return { text: isSlow ? `Slow network: ${time} to the server and back. Move early.` : `Network delay ${time}`, isSlow };
}
