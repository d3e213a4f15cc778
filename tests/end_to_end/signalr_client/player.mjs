// A player on the official client, moved by a test: node player.mjs URL PLAYER VARIANT TYPE
//
// It joins over REST, connects to the hub and invokes JoinMatch. From then on it invokes what it reads, a line of JSON
// each, such as ["Move",0,4], and prints what it hears, a line of JSON each. A lost connection is made again by the
// client's own automatic reconnect, as it is out of the box; then JoinMatch comes again. The end of the input is its end.

import { createInterface } from "node:readline";
import * as signalR from "@microsoft/signalr";

const EVENTS = [
  ...["match-lobby-waiting", "match-lobby-found", "match-started", "match-ended", "match-state", "force-disconnect"],
  ...["game-waiting", "game-started", "game-state", "game-ended", "error", "player-connected", "player-disconnected"],
  ...["double-offered", "double-accepted", "double-declined"],
];
const [url, player, variant, type] = process.argv.slice(2);
const say = (what) => console.log(JSON.stringify(what));

const response = await fetch(`${url}/api/matches/join`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ PlayerId: player, MatchVariant: +variant, MatchModus: 0, MatchType: +type }),
});
const { matchId, token } = (await response.json()).payload;

const hub = new signalR.HubConnectionBuilder()
  .withUrl(`${url}/matchhub?matchId=${matchId}&playerId=${player}`, { accessTokenFactory: () => token })
  .withAutomaticReconnect()
  .configureLogging(signalR.LogLevel.None)
  .build();

async function invoke(method, ...args) {
  try {
    await hub.invoke(method, matchId, ...args);
    say({ done: method });
  } catch (error) {
    say({ failed: method, why: error.message });
  }
}

for (const name of EVENTS) {
  hub.on(name, ({ type: told, payload }) => say({ event: name, payload, isEnvelopeRight: told === name }));
}
hub.onreconnecting(() => say({ connection: "lost" }));
hub.onreconnected(async () => {
  await invoke("JoinMatch", player);
  say({ connection: "back" });
});
hub.onclose((error) => say({ connection: "closed", why: error ? error.message : null }));

await hub.start();
await invoke("JoinMatch", player);
for await (const line of createInterface({ input: process.stdin })) await invoke(...JSON.parse(line));
await hub.stop();
