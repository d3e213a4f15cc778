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
import { Client, GiveUp } from "./client.mjs";
import { choose } from "./strategy.mjs";

const RECORDED = new URL("recorded/", import.meta.url);
const SPOKEN = /^\S+ ([<>]) ?(.*)$/; // 12:00:01.123 > move 19
const NEWS = /^SVR GAME (MATCH|WIN|LOSS|DRAW) /;
const RESULT = /^SVR GAME (WIN|LOSS|DRAW) /;

/**
 * The lines of server and bot, as pairs of a mark and a text; without signs of life (here nobody is silent for long) and
 * the logout at the end.
 */
function read(recording) {
  const spoken = [];
  let command = "";
  let answers = 0;
  for (const line of readFileSync(new URL(recording, RECORDED), "utf8").split(/\r?\n/)) {
    const [, mark, text] = SPOKEN.exec(line) ?? [];
    if (mark === undefined) continue;
    if (text === "get gamelist" && !command.startsWith("login ")) {
      answers = 2; // OK and the list
    } else if (answers > 0 && (text === "OK" || text.startsWith("SVR GAMELIST "))) {
      answers -= 1;
    } else {
      spoken.push([mark, text]);
    }
    if (mark === ">") command = text;
  }
  if (spoken.at(-1)[1] === "logout") spoken.pop();
  return spoken;
}

/** A server that can do nothing but repeat one conversation. */
class RecordedServer {
  constructor(spoken, cut) {
    this.spoken = [...spoken];
    this.cut = cut; // send every byte alone?
    this.problem = "the conversation is not over";
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
    if (this.spoken.length === 0) return; // the bot has not noticed yet that the conversation is over
    const [, expected] = this.spoken.shift();
    if (heard !== expected) {
      this.problem = `the bot said '${heard}' instead of '${expected}'`;
      this.spoken = [];
      this.server.close();
      connection.destroy();
      return;
    }
    while (this.spoken.length > 0 && this.spoken[0][0] === "<") {
      const line = Buffer.from(`${this.spoken.shift()[1]}\r\n`);
      if (!this.cut) connection.write(line);
      else for (let i = 0; i < line.length; i++) connection.write(line.subarray(i, i + 1));
    }
    if (this.spoken.length === 0) {
      this.problem = "";
      this.server.close();
      connection.end();
    } else if (this.spoken[0][1].startsWith("login ")) {
      connection.end(); // the connection was lost here
    }
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
  const results = spoken.filter(([, text]) => RESULT.test(text));
  const moves = spoken.filter(([, text]) => text.startsWith("move ")).map(([, text]) => Number(text.slice(5)));
  const server = new RecordedServer(spoken, cut);
  const wrong = [];
  const options = { ...optionsOf(spoken), host: "127.0.0.1", port: await server.listen() };
  const client = new Client(options, (board, legal) => {
    const yours = choose(board.copy(), legal);
    const move = moves.shift();
    if (!legal.includes(yours)) wrong.push(`your strategy chose ${yours}, which is none of ${legal}`);
    if (!legal.includes(move)) wrong.push(`the recorded move ${move} is none of ${legal}`);
    return move;
  });
  try {
    await client.run();
  } catch (end) {
    if (!(end instanceof GiveUp)) throw end; // else the server is gone, because the conversation is over
  }
  server.server.close();
  assert.equal(server.problem, "");
  assert.deepEqual(wrong, []);
  assert.equal(client.played, results.length);
  const [, last] = spoken.filter(([, text]) => NEWS.test(text)).at(-1);
  if (client.board?.game === "Reversi" && last.includes('COMMENT: ""')) { // played to its end
    const discs = client.board.cells.filter((owner) => owner === ME).length;
    assert.match(last, new RegExp(`"${discs}"`));
  }
}

for (const recording of readdirSync(RECORDED).filter((name) => name.endsWith(".txt"))) {
  test(`${recording}, whole lines`, () => play(recording, false));
  test(`${recording}, byte by byte`, () => play(recording, true));
}
