// What players say to each other, a line at a time.
"use strict";

import { element, nameOf } from "./play_rows.js";

const byId = (id) => document.getElementById(id);
const LINES_MAX = 100;

export class Talk {
  constructor(socket, playersOf) {
    this.socket = socket;
    this.playersOf = playersOf;
    this.to = "";
    byId("say").addEventListener("submit", (event) => {
      event.preventDefault();
      this.say();
    });
    byId("say-to").addEventListener("choose", (event) => this.choose(event.detail));
    byId("say-to").addEventListener("change", (event) => {
      this.to = event.target.value;
    });
  }

  hear(message) {
    if (message.tell === "said") {
      this.note(message.from, message.text);
      if (!this.to) this.choose(message.from);
    } else if (message.tell === "players") this.show();
  }

  choose(name) {
    this.to = name;
    this.show();
  }

  show() {
    const players = this.playersOf();
    const people = players.filter((one) => !one.house).map((one) => one.name);
    // House players do not read.
    if (players.some((one) => one.house && one.name === this.to)) this.to = "";
    const names = this.to && !people.includes(this.to) ? [this.to, ...people] : people;
    const select = byId("say-to");
    if (select.dataset.names !== JSON.stringify(names)) {
      select.dataset.names = JSON.stringify(names);
      select.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
    }
    if (!this.to && names.length) this.to = names[0];
    select.value = this.to;
    byId("say").hidden = names.length === 0;
    byId("talk-nobody").hidden = names.length > 0;
  }

  async say() {
    const text = byId("say-text").value.trim();
    if (!text || !this.to) return;
    byId("say-wrong").textContent = "";
    const to = this.to;
    const answer = await this.socket.ask({ do: "say", to, text });
    if (answer.tell === "error") {
      byId("say-wrong").textContent = answer.why;
      return;
    }
    byId("say-text").value = "";
    this.note(`You to ${to}`, text);
  }

  note(who, text) {
    const line = element("li", {}, nameOf(who), ": ", element("span", { dir: "auto" }, text));
    const said = byId("said");
    said.append(line);
    while (said.childElementCount > LINES_MAX) said.firstChild.remove();
    said.parentElement.scrollTop = said.parentElement.scrollHeight;
  }
}
