// Two games on Colyseus, as a user of it would write them: node server.mjs PORT [JOURNAL]
//
// With the name of a journal it promises what gameserver does: a move is on the disk before anybody hears of it, and
// a finished game is written down. Without one it keeps everything in memory, and a kill loses every game.
// A pair stays in its room for ever. There are no ratings and no clocks, and nobody is matched for each game.

import { createServer } from "node:http";
import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { ConnectFour3D, TicTacToe } from "./games.mjs";
import { Journal } from "./journal.mjs";

const [port, path] = process.argv.slice(2);
const journal = path ? new Journal(path) : null;

class TwoPlayers extends Room {
  maxClients = 2;
  seats = [];
  restarts = new Set();

  onCreate() {
    this.setPatchRate(null);
    this.onMessage("move", (client, move) => this.move(client, move));
    this.onMessage("restart", (client) => this.restart(client));
  }

  onJoin(client) {
    this.seats.push(client.sessionId);
    client.send("seat", this.seats.length - 1);
    if (this.seats.length === 2) this.begin();
  }

  begin() {
    this.game = new this.Game();
    this.turn = 0;
    this.moves = [];
    this.restarts.clear();
    this.broadcast("turn", 0);
  }

  move(client, move) {
    const seat = this.seats.indexOf(client.sessionId);
    if (this.game === null || seat !== this.turn || !this.game.isLegal(move)) {
      client.send("error", "no such move now");
      return;
    }
    const hasWon = this.game.play(seat, move);
    const isOver = hasWon || this.game.isFull();
    this.turn = 1 - seat;
    if (!isOver) {
      const turn = this.turn;
      this.record(seat, move, null, () => this.broadcast("moved", { move, seat, turn }));
      return;
    }
    const winner = hasWon ? seat : -1;
    this.game = null;
    this.record(seat, move, winner, () => {
      this.broadcast("over", { move, seat, winner });
      if (this.restartsByItself) this.begin();
    });
  }

  restart(client) {
    if (this.game !== null) {
      client.send("error", "the game is not over");
      return;
    }
    this.restarts.add(client.sessionId);
    if (this.restarts.size === 2) this.begin();
  }

  record(seat, move, winner, tell) {
    if (journal === null) {
      tell();
      return;
    }
    const at = Date.now();
    this.moves.push([seat, move, at]);
    let lines = `${JSON.stringify({ room: this.roomId, seat, move, at })}\n`;
    if (winner !== null) lines += `${JSON.stringify({ room: this.roomId, winner, moves: this.moves })}\n`;
    journal.append(lines, tell);
  }
}

class TicTacToeRoom extends TwoPlayers {
  Game = TicTacToe;
  restartsByItself = true;
}

class ConnectFourRoom extends TwoPlayers {
  Game = ConnectFour3D;
  restartsByItself = false; // both players ask for it, as in gameserver's protocol
}

const server = new Server({
  transport: new WebSocketTransport({ server: createServer() }),
  greet: false,
});
server.define("tic-tac-toe", TicTacToeRoom);
server.define("connect-four", ConnectFourRoom);
await server.listen(+port);
