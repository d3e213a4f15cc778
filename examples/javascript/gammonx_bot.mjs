// A bot with random legal moves for the GammonX protocol: Backgammon, Tavla and Tavli over REST and SignalR.
//
//   npm install                                     once, in this directory
//   node gammonx_bot.mjs --variant 2 --modus 2      a match of Tavli against the house
//
//   --url      http://localhost:8080
//   --player   a GUID, which is you; a new one if none is given
//   --variant  0 Backgammon, 1 Tavla, 2 Tavli
//   --modus    0 anybody, 1 somebody of your rating, 2 the house
//   --type     0 to five points, 1 to seven, 2 cash: one game, or one each of Tavli's three
//
// It does what the last event allows, whatever happened before. So a lost connection costs nothing: when it is
// made again, JoinMatch has the state told once more.

import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import * as signalR from "@microsoft/signalr";

const USAGE =
  "usage: node gammonx_bot.mjs [--url http://localhost:8080] [--player GUID] [--variant 0|1|2] [--modus 0|1|2] [--type 0|1|2]";

function giveUp(why, exitCode) {
  console.error(`gammonx_bot: ${why}`);
  process.exit(exitCode);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        url: { type: "string", default: "http://localhost:8080" },
        player: { type: "string", default: randomUUID() },
        variant: { type: "string", default: "0" },
        modus: { type: "string", default: "0" },
        type: { type: "string", default: "2" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (problem) {
    return giveUp(`${problem.message}\n${USAGE}`, 2);
  }
}

const options = readOptions();
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}

async function join() {
  const response = await fetch(`${options.url}/api/matches/join`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      PlayerId: options.player,
      MatchVariant: Number(options.variant),
      MatchModus: Number(options.modus),
      MatchType: Number(options.type),
    }),
  });
  const { type, payload } = await response.json();
  if (type !== "OK") throw new Error(payload ? payload.message : `the server answered ${response.status}`);
  return payload;
}

const { matchId, token } = await join().catch((problem) =>
  giveUp(problem.cause ? `no server at ${options.url}: ${problem.cause.message || problem.cause.code}` : problem.message, 1),
);
console.log(`joined match ${matchId}`);

const hub = new signalR.HubConnectionBuilder()
  .withUrl(`${options.url}/matchhub?matchId=${matchId}&playerId=${options.player}`, { accessTokenFactory: () => token })
  .withAutomaticReconnect([0, 200, 500, 1000, 1000, 2000, 2000, 5000, 10000])
  .configureLogging(signalR.LogLevel.None)
  .build();

// A connection that is lost takes what was asked for with it; JoinMatch has the state told again.
const ask = (method, ...args) => hub.invoke(method, matchId, ...args).catch(() => {});
const pick = (list) => list[Math.floor(Math.random() * list.length)];

const act = {
  StartGame: () => ask("StartGame"),
  Roll: () => ask("Roll"),
  Move: ({ moveSequences }) => {
    const { from, to } = pick(moveSequences).moves[0];
    return ask("Move", from, to);
  },
  EndTurn: () => ask("EndTurn"),
  AcceptDouble: () => ask("AcceptDouble"),
};

function onState({ payload }) {
  const command = payload.allowedCommands.find((name) => name in act);
  if (command) act[command](payload);
}

for (const event of ["match-started", "game-started", "game-state", "double-offered"]) hub.on(event, onState);
hub.on("match-lobby-waiting", () => console.log("waiting for an opponent"));
hub.on("game-ended", (event) => {
  const { player1, player2 } = event.payload;
  console.log(`game ${event.payload.gameRound} is over, it stands ${player1.score} to ${player2.score}`);
  onState(event);
});
hub.on("error", ({ payload }) => console.log(`${payload.code}: ${payload.message}`));
hub.on("match-ended", ({ payload }) => {
  const [we, they] = payload.player1.id === options.player ? ["player1", "player2"] : ["player2", "player1"];
  console.log(`match over, ${payload[we].score} to ${payload[they].score}`);
});
hub.on("force-disconnect", () => hub.stop());
hub.onreconnected(() => {
  console.log("connected again");
  hub.invoke("JoinMatch", matchId, options.player);
});
const closed = new Promise((resolve) => hub.onclose(resolve));

await hub.start();
await hub.invoke("JoinMatch", matchId, options.player);
const error = await closed;
if (error) {
  console.log(`the connection is gone: ${error.message}`);
  process.exitCode = 1;
}
