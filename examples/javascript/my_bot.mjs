// Starts the bot: reads the command line, and lets the client play with your strategy.

import { parseArgs } from "node:util";
import { SIZES } from "./board.mjs";
import { Client, GiveUp } from "./client.mjs";
import { choose } from "./strategy.mjs";

const USAGE = `usage: node my_bot.mjs HOST PORT NAME [--game GAME] [--challenge OPPONENT] [--matches K]
    [--secret SECRET] [--retry-for SECONDS] [--silence SECONDS]`;

function endWith(exitCode, ...lines) {
  console.error(lines.join("\n"));
  process.exit(exitCode);
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        game: { type: "string", default: "" },
        challenge: { type: "string", default: "" },
        matches: { type: "string", default: "0" },
        secret: { type: "string", default: "" },
        "retry-for": { type: "string", default: "60" },
        silence: { type: "string", default: "20" },
      },
    });
    const [host, port, name] = positionals;
    if (positionals.length !== 3) throw new Error("HOST, PORT and NAME are needed");
    if (values.game && !(values.game in SIZES)) throw new Error(`--game is one of ${Object.keys(SIZES).join(", ")}`);
    if (values.challenge && !values.game) throw new Error("--challenge needs --game");
    const numbers = { port, matches: values.matches, retryFor: values["retry-for"], silence: values.silence };
    for (const [what, text] of Object.entries(numbers)) {
      if (!/^[0-9]+$/.test(text)) throw new Error(`${what} needs a number, not ${text}`);
      numbers[what] = Number(text);
    }
    const { game, challenge, secret } = values;
    return { host, name: name.trim(), game, challenge, secret, ...numbers };
  } catch (wrong) {
    return endWith(2, `my_bot: ${wrong.message}`, USAGE);
  }
}

const client = new Client(readOptions(), choose);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => client.stop()); // Ctrl-C: log out first
try {
  await client.run();
} catch (problem) {
  if (!(problem instanceof GiveUp)) throw problem; // a bug in the bot
  endWith(1, `my_bot: ${problem.message}`);
}
