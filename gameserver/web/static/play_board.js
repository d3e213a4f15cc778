// The board: a picture that can be touched with a finger, a mouse, or the keyboard.
//
// What can be touched lies over the picture as buttons, one for each spot, named as the game names it. A pointer
// need not hit it: the nearest spot within reach counts. Where moves lie closer together than a finger can tell,
// the first touch of a finger only shows the spot, and a second one plays it. Where a checker goes is such a second
// touch already: the nearest of its points is taken at once.
"use strict";

import { distanceTo, drawShapes, isWithin, middleOf, svgElement, svgShape } from "./play_picture.js";
import { Touches } from "./play_touch.js";

// Pixels on the screen: how near a touch counts, how near to each other a finger cannot tell two spots apart, and how
// far a pointer moves before it drags. Judgement.
const REACH_PX = 28;
const FINGER_PX = 30;
const DRAG_PX = 8;

// More frames than this would hide the board, and look like lines of it on one of Go: they are not drawn.
const CROWD = 40;

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class Spot {
  constructor(name, shapes) {
    this.name = name;
    // Invisible shapes are there to be touched; where there are some, the visible ones need no frame.
    const areas = shapes.filter((shape) => !shape.fill && !shape.stroke);
    this.areas = areas.length ? areas : shapes;
    this.shapes = shapes;
    const middles = this.areas.map(middleOf);
    this.x = middles.reduce((sum, [x]) => sum + x, 0) / middles.length;
    this.y = middles.reduce((sum, [, y]) => sum + y, 0) / middles.length;
  }

  distanceTo(x, y) {
    return Math.min(...this.shapes.map((shape) => distanceTo(shape, x, y)));
  }

  // How far the middle of the spot's nearest area is.
  middleDistanceTo(x, y) {
    return Math.min(...this.areas.map((area) => Math.hypot(...middleOf(area).map((at, axis) => at - [x, y][axis]))));
  }
}

function spotsOf(picture) {
  const shapes = new Map();
  for (const shape of picture.shapes) {
    if (shape.spot) shapes.set(shape.spot, [...(shapes.get(shape.spot) ?? []), shape]);
  }
  return new Map([...shapes].map(([name, own]) => [name, new Spot(name, own)]));
}

export class Board {
  // `onMove` hears each move that was made by touch; `onChosen` what is chosen so far, and several moves to pick from.
  constructor(frame, { onMove, onChosen }) {
    this.frame = frame;
    this.onMove = onMove;
    this.onChosen = onChosen;
    this.picture = null;
    this.touches = new Touches([]);
    this.spots = new Map();
    this.buttons = new Map();
    this.pressed = null;
    this.proposed = null;
    this.lastPlace = null;
    this.cancelElsewhere = (event) => {
      if (!this.svg?.contains(event.target) && !event.target.closest?.("dialog, .play-which")) this.cancel();
    };
    this.cancelByKey = (event) => {
      if (event.key === "Escape") this.cancel();
    };
    document.addEventListener("pointerdown", this.cancelElsewhere);
    document.addEventListener("keydown", this.cancelByKey);
  }

  close() {
    document.removeEventListener("pointerdown", this.cancelElsewhere);
    document.removeEventListener("keydown", this.cancelByKey);
  }

  // Shows a picture; `rolls` says that dice have just been thrown. Without `canTouch` nothing of it can be touched.
  show(picture, { canTouch = true, rolls = false } = {}) {
    const hadFocus = this.svg?.contains(document.activeElement) ?? false;
    const drawn = drawShapes(picture, { before: this.picture, rolls });
    this.picture = picture;
    this.touches = new Touches(canTouch ? (picture.touches ?? []) : []);
    this.spots = spotsOf(picture);
    this.proposed = null;
    this.pressed = null;
    this.ghost = svgElement("g", { class: "ghost", "aria-hidden": "true" });
    this.layer = svgElement("g", { class: "spots" });
    this.svg = svgElement(
      "svg",
      { class: "board", viewBox: `0 0 ${picture.width} ${picture.height}`, tabindex: -1, "aria-describedby": "board-words" },
      svgElement("g", { "aria-hidden": "true" }, ...drawn),
      this.layer,
      this.ghost,
    );
    const words = document.createElement("p");
    words.className = "sr";
    words.id = "board-words";
    words.textContent = picture.description;
    this.#listen();
    this.frame.replaceChildren(this.svg, words);
    this.#showSpots();
    if (hadFocus) this.focus();
  }

  // Shows lines of text instead, for a game without pictures.
  showText(lines) {
    this.picture = this.svg = null;
    this.touches = new Touches([]);
    const text = document.createElement("pre");
    text.className = "board-text";
    text.tabIndex = 0;
    text.setAttribute("role", "group");
    text.setAttribute("aria-label", "Board");
    text.textContent = lines.join("\n");
    this.frame.replaceChildren(text);
  }

  // Shows a board that was drawn by the server, which nobody can touch any more.
  showFinal(board) {
    const hadFocus = this.frame.contains(document.activeElement);
    this.picture = this.svg = null;
    this.touches = new Touches([]);
    this.buttons = new Map();
    this.frame.replaceChildren(document.adoptNode(board));
    if (hadFocus) this.frame.closest(".play-match")?.querySelector("h2").focus({ preventScroll: true });
  }

  cancel() {
    const wasChosen = this.touches.chosen.length > 0 || this.proposed;
    this.touches.cancel();
    this.proposed = null;
    this.pressed = null;
    if (!this.svg || !wasChosen) return;
    this.#showSpots();
    this.onChosen([], []);
  }

  // Moves the focus to the spot where it was, or the one nearest to it.
  focus() {
    if (!this.svg) return;
    const [first] = this.buttons.keys();
    const nearest = this.lastPlace ? this.#nearest(...this.lastPlace, Infinity) : null;
    const name = this.buttons.has(this.lastName) ? this.lastName : (nearest ?? first);
    (this.buttons.get(name) ?? this.svg).focus({ preventScroll: true });
  }

  // --- what can be touched

  #showSpots() {
    const { touches } = this;
    const shown = new Set([...touches.chosen, ...touches.next, ...touches.first].filter((name) => this.spots.has(name)));
    const focused = this.layer.contains(document.activeElement);
    this.buttons = new Map();
    for (const name of shown) this.buttons.set(name, this.#button(name));
    this.layer.replaceChildren(...this.buttons.values());
    this.ghost.replaceChildren();
    const isPlayable = this.buttons.size > 0;
    this.svg.setAttribute("role", isPlayable ? "group" : "img");
    this.svg.setAttribute("aria-label", isPlayable ? "Board, arrow keys go from spot to spot" : "Board");
    this.svg.classList.toggle("is-playable", isPlayable);
    this.svg.classList.toggle("is-crowded", this.layer.querySelectorAll(".frame").length > CROWD);
    this.#setTabStop(this.buttons.has(this.lastName) ? this.lastName : this.buttons.keys().next().value);
    if (focused) this.focus();
  }

  #button(name) {
    const { touches } = this;
    const spot = this.spots.get(name);
    const isChosen = touches.chosen.includes(name) || this.proposed === name;
    const isTarget = touches.chosen.length > 0 && touches.next.has(name);
    const isOther = touches.chosen.length > 0 && !isTarget && !isChosen;
    const kinds = ["spot", isChosen && "chosen", isTarget && "target", isOther && "other", touches.isSource(name) && "source"];
    const words = isTarget ? `${touches.chosen.join(", ")} to ${name}` : name;
    const button = svgElement(
      "g",
      { class: kinds.filter(Boolean).join(" "), role: "button", tabindex: -1, "aria-label": words, "data-spot": name },
      ...spot.areas.map((area) => {
        const frame = svgShape({ ...area, fill: undefined, stroke: undefined });
        frame.setAttribute("class", "frame");
        return frame;
      }),
    );
    if (touches.isSource(name)) button.setAttribute("aria-pressed", isChosen);
    button.addEventListener("keydown", (event) => this.#onKey(event, name));
    button.addEventListener("focus", () => {
      this.lastName = name;
      this.lastPlace = [spot.x, spot.y];
      this.#setTabStop(name);
    });
    return button;
  }

  #setTabStop(name) {
    for (const [each, button] of this.buttons) button.setAttribute("tabindex", each === name ? 0 : -1);
  }

  // Touches a spot as if by hand, whatever way it was meant.
  touch(name) {
    this.proposed = null;
    const moves = this.touches.touch(name);
    const chosen = [...this.touches.chosen];
    if (moves.length) this.touches.cancel();
    this.#showSpots();
    if (moves.length === 1) this.onMove(moves[0]);
    else this.onChosen(chosen, moves);
  }

  #onKey(event, name) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.touch(name);
    else if (event.key === "Home" || event.key === "End") this.#focusOn([...this.buttons.keys()].at(event.key === "Home" ? 0 : -1));
    else if (event.key in KEYS) this.#focusOn(this.#towards(name, KEYS[event.key]));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #focusOn(name) {
    this.buttons.get(name)?.focus();
  }

  // The nearest spot in a direction: what lies straight ahead goes before what lies aside.
  #towards(name, [wayX, wayY]) {
    const from = this.spots.get(name);
    let best, least = Infinity;
    for (const other of this.buttons.keys()) {
      const { x, y } = this.spots.get(other);
      const ahead = (x - from.x) * wayX + (y - from.y) * wayY;
      const aside = Math.abs((x - from.x) * wayY) + Math.abs((y - from.y) * wayX);
      if (ahead > 1 && ahead + 2 * aside < least) [best, least] = [other, ahead + 2 * aside];
    }
    return best ?? name;
  }

  // --- pointers

  #listen() {
    const { svg } = this;
    svg.addEventListener("pointerdown", (event) => this.#onDown(event));
    svg.addEventListener("pointermove", (event) => this.#onMoved(event));
    svg.addEventListener("pointerup", (event) => this.#onUp(event));
    svg.addEventListener("pointercancel", () => this.#release());
    svg.addEventListener("pointerleave", () => this.#aim(null));
    // A screen reader's own gesture arrives as a click without a pointer.
    svg.addEventListener("click", (event) => {
      const name = event.target.closest?.("[data-spot]")?.dataset.spot;
      if (name && event.detail === 0 && !event.pointerType) this.touch(name);
    });
  }

  get #unitsPerPixel() {
    return this.picture.width / (this.svg.getBoundingClientRect().width || this.picture.width);
  }

  #placeOf(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [place.x, place.y];
  }

  // The spot at a place, or the nearest within reach; those that go on with what is chosen before the others.
  #nearest(x, y, reach) {
    let best = null, least = [reach, Infinity];
    for (const name of this.buttons.keys()) {
      const spot = this.spots.get(name);
      const found = [spot.distanceTo(x, y), spot.middleDistanceTo(x, y)];
      if (found[0] < least[0] || (found[0] === least[0] && found[1] < least[1])) [best, least] = [name, found];
    }
    return best;
  }

  #spotAt(event) {
    return this.#nearest(...this.#placeOf(event), REACH_PX * this.#unitsPerPixel);
  }

  // True if touching this spot plays a move, and a finger could have meant another one as well.
  #isDoubtful(name, event) {
    if (!this.touches.plays(name) || this.touches.chosen.length) return false;
    const [x, y] = this.#placeOf(event);
    const least = FINGER_PX * this.#unitsPerPixel;
    return [...this.touches.next].some((other) => other !== name && this.spots.get(other)?.middleDistanceTo(x, y) < least);
  }

  #aim(name) {
    for (const [each, button] of this.buttons) button.classList.toggle("aimed", each === name);
  }

  #onDown(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const name = this.#spotAt(event);
    if (name === null) {
      this.cancel();
      return;
    }
    this.#aim(name);
    this.pressed = { name, from: [event.clientX, event.clientY], isDrag: false };
    // Only a piece that can be dragged keeps the finger: from elsewhere the page scrolls.
    if (this.touches.isSource(name)) this.svg.setPointerCapture(event.pointerId);
  }

  #onMoved(event) {
    const { pressed } = this;
    if (!pressed) {
      this.#aim(this.#spotAt(event));
      return;
    }
    const moved = Math.hypot(event.clientX - pressed.from[0], event.clientY - pressed.from[1]);
    if (!pressed.isDrag && moved > DRAG_PX && this.touches.isSource(pressed.name) && !this.#isTarget(pressed.name)) {
      this.touches.cancel();
      this.touches.touch(pressed.name);
      this.#showSpots();
      pressed.isDrag = true;
      this.#lift(pressed.name);
    }
    if (pressed.isDrag) {
      const [x, y] = this.#placeOf(event);
      this.ghost.setAttribute("transform", `translate(${x} ${y})`);
    }
    this.#aim(this.#spotAt(event));
  }

  #isTarget(name) {
    return this.touches.chosen.length > 0 && this.touches.next.has(name);
  }

  // The uppermost piece of the spot follows the pointer, or else all that is drawn within the area to touch.
  #lift(name) {
    const spot = this.spots.get(name);
    const disc = spot.shapes.findLast((shape) => shape.kind === "disc" && shape.fill);
    const piece = disc ? [disc] : this.picture.shapes.filter((shape) => spot.areas.some((area) => isWithin(shape, area)));
    const [x, y] = disc ? middleOf(disc) : [spot.x, spot.y];
    const lifted = piece.map((shape) => svgShape(shape));
    this.ghost.append(svgElement("g", { transform: `translate(${-x} ${-y})` }, ...lifted));
  }

  #onUp(event) {
    const { pressed } = this;
    this.#release();
    if (!pressed) return;
    const name = this.#spotAt(event);
    if (pressed.isDrag) {
      if (name !== null && this.#isTarget(name)) this.touch(name);
      else if (name !== pressed.name) this.cancel();
      return;
    }
    if (name === null || (name !== pressed.name && event.pointerType === "mouse")) return;
    if (event.pointerType !== "mouse" && this.proposed !== name && this.#isDoubtful(name, event)) this.#propose(name);
    else this.touch(name);
  }

  #propose(name) {
    this.proposed = name;
    this.#showSpots();
    this.onChosen([...this.touches.chosen, name], [], { isProposal: true });
  }

  #release() {
    this.pressed = null;
    this.ghost.replaceChildren();
    this.#aim(null);
  }
}
