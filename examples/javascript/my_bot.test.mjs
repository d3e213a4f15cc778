// Plays recorded conversations again, to the bot: node --test
//
// A recording is the log of a bot. A server of our own sends its "<" lines, and expects its ">" lines from the bot. Put
// the log of a match that went wrong into recorded/, and it is played again here, as often as it takes to find the
// mistake.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { ME } from "./board.mjs";
import { Client } from "./client.mjs";
import { choose } from "./strategy.mjs";

const RECORDED = new URL("recorded/", import.meta.url);
const SPOKEN = /^\S+ ([<>]) ?(.*)$/; // 12:00:01.123 > move 19
const RESULT = /^SVR GAME (WIN|LOSS|DRAW) /;

/** What server and bot said, as pairs of a mark and a text. */
function read(recording) {
  const lines = readFileSync(new URL(recording, RECORDED), "utf8").split(/\r?\n/);
  return lines.map((line) => SPOKEN.exec(line)).filter((found) => found).map(([, mark, text]) => [mark, text]);
}

/** A server that can do nothing but repeat one conversation. */
class RecordedServer {
  constructor(spoken, cut) {
    this.spoken = [...spoken];
    this.cut = cut; // send every byte alone?
    this.problem = "";
    this.server = createServer({ noDelay: true }, (connection) => this.onConnection(connection));
  }

  async listen() {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return this.server.address().port;
  }

  onConnection(connection) {
    let unfinished = "";
    connection.setEncoding("utf8");
    connection.on("error", () => {}); // the bot may be gone already
    connection.on("data", (received) => {
      const lines = (unfinished + received).split("\r\n");
      unfinished = lines.pop();
      for (const line of lines) this.onLine(connection, line);
    });
  }

  /** The bot said something: if it is what it said then, go on to the next line that it has to say. */
  onLine(connection, heard) {
    const [, expected] = this.spoken.shift() ?? ["", "nothing more"];
    if (heard !== expected) {
      this.problem ||= `the bot said '${heard}' instead of '${expected}'`;
      this.server.close();
      connection.destroy();
      return;
    }
    while (this.spoken.length > 0 && this.spoken[0][0] === "<") {
      const line = Buffer.from(`${this.spoken.shift()[1]}\r\n`);
      if (!this.cut) connection.write(line);
      else for (let i = 0; i < line.length; i++) connection.write(line.subarray(i, i + 1));
    }
    if (this.spoken[0]?.[1].startsWith("login ")) connection.end(); // the connection was lost here
  }
}

/** The options with which that bot was started; they show in what it said. */
function optionsOf(spoken) {
  const said = spoken.filter(([mark]) => mark === ">").map(([, text]) => text);
  const options = { name: said[0].slice("login ".length), retryFor: 0 };
  for (const text of said) {
    const subscribed = /^subscribe (.*)$/.exec(text);
    const challenged = /^challenge "(.*)" "(.*)"$/.exec(text);
    if (subscribed) options.game = subscribed[1];
    if (challenged) [, options.challenge, options.game] = challenged;
  }
  return options;
}

async function play(recording, cut) {
  const spoken = read(recording);
  const results = spoken.filter(([, text]) => RESULT.test(text)).map(([, text]) => text);
  const moves = spoken.filter(([, text]) => text.startsWith("move ")).map(([, text]) => Number(text.slice(5)));
  const server = new RecordedServer(spoken, cut);
  const wrong = [];
  const options = { ...optionsOf(spoken), host: "127.0.0.1", port: await server.listen(), matches: results.length };
  const client = new Client(options, (board, legal) => {
    const yours = choose(board.copy(), legal);
    const move = moves.shift();
    if (!legal.includes(yours)) wrong.push(`your strategy chose ${yours}, which is none of ${legal}`);
    if (!legal.includes(move)) wrong.push(`the recorded move ${move} is none of ${legal}`);
    return move;
  });
  try {
    await client.run();
  } finally {
    server.server.close();
    assert.equal(server.problem, "");
  }
  assert.deepEqual(wrong, []);
  assert.equal(client.played, results.length);
  if (options.game === "Reversi") { // all the passes understood, all discs turned over?
    const discs = client.board.cells.filter((owner) => owner === ME).length;
    assert.match(results.at(-1), new RegExp(`"${discs}"`));
  }
}

for (const recording of readdirSync(RECORDED).filter((name) => name.endsWith(".txt"))) {
  test(`${recording}, whole lines`, () => play(recording, false));
  test(`${recording}, byte by byte`, () => play(recording, true));
}
