// The official client at the tests' chat hub: node chat.mjs URL SCENARIO.
// What a scenario finds is printed as one line of JSON; the test looks at it.

import * as signalR from "@microsoft/signalr";

const [url, scenario] = process.argv.slice(2);
const say = (what) => console.log(JSON.stringify(what));
const errorOf = (promise) => promise.then((result) => `no error, but ${result}`, (error) => error.message);

function connect(options = {}, { reconnects = false } = {}) {
  let builder = new signalR.HubConnectionBuilder().withUrl(url, options).configureLogging(signalR.LogLevel.None);
  if (reconnects) builder = builder.withAutomaticReconnect([0, 100, 500, 1000, 1000, 1000]);
  const hub = builder.build();
  const log = [];
  for (const name of ["welcome", "joined", "said", "games", "moved"]) {
    hub.on(name, (...args) => log.push([name, ...args]));
  }
  const closed = new Promise((resolve) => hub.onclose((error) => resolve(error ? error.message : null)));
  const reconnected = () => new Promise((resolve) => hub.onreconnected(resolve));
  return { hub, log, closed, reconnected };
}

async function until(log, name) {
  while (!log.some(([found]) => found === name)) await new Promise((resolve) => setTimeout(resolve, 5));
}

const scenarios = {
  async talk() {
    const ann = connect(), bob = connect();
    await ann.hub.start();
    await bob.hub.start();
    const joined = await ann.hub.invoke("Join", "ann").then((result) => [result, [...ann.log]]);
    await bob.hub.invoke("join", "bob");
    const players = await ann.hub.invoke("Players");
    await bob.hub.send("Tell", "ann", "fire and forget");
    await until(ann.log, "said");
    await ann.hub.invoke("Tell", "bob", "games?");
    await until(bob.log, "games");
    const order = [];
    const numbers = Array.from({ length: 300 }, (_, number) => number);
    await Promise.all(numbers.map((number) => ann.hub.invoke("Move", "m", number, -number).then(() => order.push(number))));
    const moves = ann.log.filter(([name]) => name === "moved").map(([, event]) => event.payload[1]);
    const errors = {
      unknown: await errorOf(ann.hub.invoke("Nope")),
      arity: await errorOf(ann.hub.invoke("Move", "m", 1)),
      type: await errorOf(ann.hub.invoke("Move", "m", "1", 2)),
      hub: await errorOf(ann.hub.invoke("Refuse", "not now")),
      stream: await new Promise((resolve) => ann.hub.stream("Version").subscribe({ error: (e) => resolve(e.message) })),
    };
    await ann.hub.stop();
    await bob.hub.stop();
    say({
      joined, players, errors, told: bob.log,
      inOrder: [order, moves].every((found) => found.every((number, index) => number === index) && found.length === 300),
      closed: [await ann.closed, await bob.closed],
    });
  },

  async skip() {
    const { hub, closed } = connect({ skipNegotiation: true, transport: signalR.HttpTransportType.WebSockets });
    await hub.start();
    const version = await hub.invoke("Version");
    const id = hub.connectionId ?? null;
    await hub.stop();
    say({ version, id, closed: await closed });
  },

  async token() {
    const { hub, log } = connect({ accessTokenFactory: () => "secret" });
    await hub.start();
    await hub.invoke("Version");
    await hub.stop();
    say(log);
  },

  // The test cuts the connection when it reads the first line.
  async dropped() {
    const { hub, closed, reconnected } = connect({}, { reconnects: true });
    await hub.start();
    const first = hub.connectionId;
    const back = reconnected();
    say({ version: await hub.invoke("Version") });
    const second = await back;
    const version = await hub.invoke("Version");
    await hub.stop();
    say({ other: first !== second, version, closed: await closed });
  },

  async sentAway() {
    const { hub, closed, reconnected } = connect({}, { reconnects: true });
    await hub.start();
    const back = reconnected();
    await hub.invoke("Leave", "come back", true);
    await back;
    const version = await hub.invoke("Version");
    await hub.invoke("Leave", "for good", false);
    say({ version, closed: await closed, state: hub.state });
  },

  // Half a minute of silence on both sides, cut short: the client's own limits are 2 s here.
  async pings() {
    const { hub, closed } = connect();
    hub.serverTimeoutInMilliseconds = 2000;
    hub.keepAliveIntervalInMilliseconds = 300;
    await hub.start();
    const begin = Date.now();
    const lost = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 3500, "still there"))]);
    const version = await hub.invoke("Version");
    await hub.stop();
    say({ lost, version, waited: Date.now() - begin >= 3400 });
  },
};

await scenarios[scenario]();
