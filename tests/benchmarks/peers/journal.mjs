// A file in which every move is before anybody hears of it.

import { fdatasync, openSync, write } from "node:fs";

export class Journal {
  #file;
  #lines = [];
  #tell = [];
  #isBusy = false;

  constructor(path) {
    this.#file = openSync(path, "a");
  }

  // Writes a line, and calls back once it is on the disk. Lines that come during a commit share the next one.
  append(line, tell) {
    this.#lines.push(line);
    this.#tell.push(tell);
    if (!this.#isBusy) setImmediate(() => this.#commit());
  }

  #commit() {
    if (this.#isBusy || this.#lines.length === 0) return;
    this.#isBusy = true;
    const [text, tell] = [this.#lines.join(""), this.#tell];
    [this.#lines, this.#tell] = [[], []];
    write(this.#file, text, (error) => {
      if (error) throw error;
      fdatasync(this.#file, (failed) => {
        if (failed) throw failed;
        for (const each of tell) each();
        this.#isBusy = false;
        setImmediate(() => this.#commit());
      });
    });
  }
}
