// Checks the chance of a match that is over: recomputes every draw from what its page tells, by the rule of
// docs/fairness.md. With a SHA-256 of its own, as browsers have theirs on HTTPS and localhost only.
"use strict";

const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
const fraction = (x) => Math.floor((x % 1) * 2 ** 32) | 0;
const ROUNDS = primes.map((prime) => fraction(Math.cbrt(prime)));
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const turned = (x, bits) => (x >>> bits) | (x << (32 - bits));

function block(hash, w) {
  for (let n = 16; n < 64; n++) {
    const [x, y] = [w[n - 15], w[n - 2]];
    const mixed = (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) + (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
    w[n] = (w[n - 16] + w[n - 7] + mixed) | 0;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let n = 0; n < 64; n++) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[n] + w[n]) | 0;
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + other) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, n) => (word + hash[n]) | 0);
}

function sha256(bytes) {
  const padded = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  [...bytes, 0x80].forEach((byte, n) => padded.setUint8(n, byte));
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  let hash = START;
  for (let at = 0; at < padded.byteLength; at += 64) {
    hash = block(hash, Array.from({ length: 16 }, (_, n) => padded.getInt32(at + 4 * n)));
  }
  return hash.flatMap((word) => [24, 16, 8, 0].map((bits) => (word >>> bits) & 255));
}

function hmac(key, bytes) {
  const padded = (byte) => Array.from({ length: 64 }, (_, n) => (key[n] ?? 0) ^ byte);
  return sha256([...padded(0x5c), ...sha256([...padded(0x36), ...bytes])]);
}

const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (hex) => (hex.match(/../g) ?? []).map((digits) => parseInt(digits, 16));
const utf8 = (text) => [...new TextEncoder().encode(text)];
const sized = (bytes) => [bytes.length >> 8, bytes.length & 255, ...bytes];
const inByteOrder = (names) => [...names].sort((one, other) => (toHex(utf8(one)) < toHex(utf8(other)) ? -1 : 1));

function drawn(key, { purpose, n, sides }) {
  const fair = 2n ** 64n - (2n ** 64n % BigInt(sides));
  for (let attempt = 0; ; attempt++) {
    const digest = toHex(hmac(key, utf8(`${purpose}|${n}|${attempt}`)));
    const words = digest.match(/.{16}/g).map((word) => BigInt(`0x${word}`));
    const counts = words.find((word) => word < fair);
    if (counts !== undefined) return 1 + Number(counts % BigInt(sides));
  }
}

export function verdict(chance, players) {
  const secret = fromHex(chance.key);
  if (toHex(sha256(secret)) !== chance.commitment) return "The secret is not the one that was committed to.";
  const added = new Map(chance.contributions);
  const key = hmac(secret, inByteOrder(added.keys()).flatMap((name) => [...sized(utf8(name)), ...sized(fromHex(added.get(name)))]));
  const order = inByteOrder(players);
  for (const draw of chance.draws) {
    const value = drawn(key, draw);
    if (value !== draw.value) return `Draw ${draw.n} of “${draw.purpose}” is ${draw.value}, and ${value} by the rule.`;
    const last = draw.sides - 1;
    if (draw.purpose === "seats") [order[last], order[value - 1]] = [order[value - 1], order[last]];
  }
  if (chance.seats_by === "drawn" && order.join() !== players.join()) return `The seats are not those of the lot, ${order.join(", ")}.`;
  return `${chance.draws.length} ${chance.draws.length === 1 ? "draw" : "draws"} as committed.`;
}

// The part of the page is replaced when the match ends.
document.addEventListener("click", async ({ target }) => {
  if (target.id !== "check") return;
  const { chance, seats } = await (await fetch(target.dataset.match)).json();
  document.getElementById("checked").textContent = verdict(chance, seats.map((seat) => seat.player));
});
