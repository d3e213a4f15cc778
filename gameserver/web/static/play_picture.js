// Pictures as SVG: the elements and classes that the server's own pages have (gameserver/web/templating.py: svg_of).
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const PIECES = new Set(["first", "second", "black", "white", ...Array.from({ length: 8 }, (_, value) => `value-${value}`)]);
const DARK = new Set(["first", "second", "black"]);

export function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== "") made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const classes = (fill, stroke, more = "") => [fill && `f-${fill}`, stroke && `s-${stroke}`, more].filter(Boolean).join(" ");
const widthOf = (shape) => (shape.stroke ? (shape.stroke_width ?? 1) : undefined);
const pointsOf = (shape) => shape.points.map(([x, y]) => `${x},${y}`).join(" ");

const WRITERS = {
  box: (shape) =>
    svgElement("rect", {
      class: classes(shape.fill, shape.stroke),
      x: shape.x,
      y: shape.y,
      width: shape.width,
      height: shape.height,
      rx: shape.rounding,
      "stroke-width": widthOf(shape),
    }),
  disc: (shape, more) =>
    svgElement("circle", {
      class: classes(shape.fill, shape.stroke, more),
      cx: shape.x,
      cy: shape.y,
      r: shape.radius,
      "stroke-width": widthOf(shape),
    }),
  line: (shape, more) =>
    svgElement("polyline", {
      class: classes(undefined, shape.stroke ?? "grid", more),
      points: pointsOf(shape),
      "stroke-width": shape.stroke_width ?? 1,
    }),
  polygon: (shape) =>
    svgElement("polygon", {
      class: classes(shape.fill, shape.stroke),
      points: pointsOf(shape),
      "stroke-width": widthOf(shape),
    }),
  label: (shape) =>
    svgElement(
      "text",
      {
        class: classes(shape.fill ?? "ink", undefined, shape.is_bold ? "bold" : ""),
        x: shape.x,
        y: shape.y,
        "font-size": shape.size ?? 14,
        "text-anchor": shape.anchor ?? "middle",
        "dominant-baseline": "central",
      },
      shape.text,
    ),
};

export const svgShape = (shape, more = "") => WRITERS[shape.kind](shape, more);

// Shapes are the same if they look the same: what can be touched differs from turn to turn.
const lookOf = ({ spot, ...look }) => JSON.stringify(look);

// The shapes that the last move added, unless the game marks its last move itself.
function newShapes(picture, before) {
  if (!before || picture.shapes.some((shape) => shape.fill === "last" || shape.stroke === "last")) return new Set();
  const known = new Set(before.shapes.map(lookOf));
  const isPiece = (shape) =>
    (shape.kind === "disc" && PIECES.has(shape.fill)) || (["disc", "line"].includes(shape.kind) && PIECES.has(shape.stroke));
  return new Set(picture.shapes.filter((shape) => isPiece(shape) && !known.has(lookOf(shape))));
}

const DIE_SIDE_MAX = 48;
// Dice are square boxes with round corners, and on each one to six dots and nothing else.
const mayBeDie = (shape) =>
  shape.kind === "box" && shape.rounding > 0 && shape.width === shape.height && shape.width <= DIE_SIDE_MAX;
const liesOn = (shape, box) =>
  shape.kind === "disc" && shape.fill && shape.radius < box.width / 4 && distanceTo(box, shape.x, shape.y) === 0;

// The picture's shapes as elements, those of each die in a group. Dice that `rolls` are new tumble.
export function drawShapes(picture, { before = null, rolls = false } = {}) {
  const fresh = newShapes(picture, before);
  const known = new Set((before?.shapes ?? []).map(lookOf));
  const drawn = [];
  for (let index = 0; index < picture.shapes.length; index += 1) {
    const shape = picture.shapes[index];
    const element = svgShape(shape, fresh.has(shape) ? "new" : "");
    if (!mayBeDie(shape)) {
      drawn.push(element);
      continue;
    }
    const dots = [];
    while (index + 1 < picture.shapes.length && liesOn(picture.shapes[index + 1], shape)) dots.push(picture.shapes[(index += 1)]);
    const isDie = dots.length >= 1 && dots.length <= 6;
    const tumbles = isDie && rolls && ![shape, ...dots].every((one) => known.has(lookOf(one)));
    drawn.push(svgElement("g", { class: isDie ? (tumbles ? "die rolls" : "die") : "" }, element, ...dots.map((dot) => svgShape(dot))));
  }
  return drawn;
}

// The piece of a side beside its player's name; null if nothing tells its pieces apart.
export function sidePiece(side) {
  if (!side || (!side.paint && !side.mark)) return null;
  const on = side.paint ? (DARK.has(side.paint) ? "on-dark" : "on-light") : "ink";
  const piece = svgElement("svg", { class: "board side", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" });
  if (side.paint) piece.append(svgShape({ kind: "disc", x: 12, y: 12, radius: 11, fill: side.paint, stroke: "grid" }));
  const size = side.mark?.length === 1 ? 15 : 11;
  if (side.mark) piece.append(svgShape({ kind: "label", x: 12, y: 12, text: side.mark, size, fill: on, is_bold: true }));
  return piece;
}

// --- where shapes are

function toSegment(x, y, [fromX, fromY], [toX, toY]) {
  const [alongX, alongY] = [toX - fromX, toY - fromY];
  const length = alongX * alongX + alongY * alongY;
  const part = length ? Math.min(1, Math.max(0, ((x - fromX) * alongX + (y - fromY) * alongY) / length)) : 0;
  return Math.hypot(x - fromX - part * alongX, y - fromY - part * alongY);
}

function isInside(points, x, y) {
  let inside = false;
  for (let index = 0, other = points.length - 1; index < points.length; other = index, index += 1) {
    const [[x1, y1], [x2, y2]] = [points[index], points[other]];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

const sidesOf = (points) => points.map((point, index) => [point, points[(index + 1) % points.length]]);

// How far a point is from a shape, in the picture's units; 0 inside of it.
export function distanceTo(shape, x, y) {
  if (shape.kind === "box") {
    return Math.hypot(
      Math.max(shape.x - x, 0, x - shape.x - shape.width),
      Math.max(shape.y - y, 0, y - shape.y - shape.height),
    );
  }
  if (shape.kind === "disc") return Math.max(0, Math.hypot(x - shape.x, y - shape.y) - shape.radius);
  if (shape.kind === "polygon" && isInside(shape.points, x, y)) return 0;
  const segments = sidesOf(shape.points);
  if (shape.kind === "line") segments.pop();
  return Math.min(...segments.map(([from, to]) => toSegment(x, y, from, to)));
}

export function middleOf(shape) {
  if (shape.kind === "box") return [shape.x + shape.width / 2, shape.y + shape.height / 2];
  if (shape.kind === "disc" || shape.kind === "label") return [shape.x, shape.y];
  const [sumX, sumY] = shape.points.reduce(([x, y], [moreX, moreY]) => [x + moreX, y + moreY], [0, 0]);
  return [sumX / shape.points.length, sumY / shape.points.length];
}

// The corners of the least box around a shape: left, top, right, bottom. A label counts by its middle.
function extentOf(shape) {
  const [x, y] = middleOf(shape);
  const [across, down] = shape.kind === "box" ? [shape.width / 2, shape.height / 2] : [shape.radius ?? 0, shape.radius ?? 0];
  const points = shape.points ?? [[x - across, y - down], [x + across, y + down]];
  const [all, below] = [points.map(([at]) => at), points.map(([, at]) => at)];
  return [Math.min(...all), Math.min(...below), Math.max(...all), Math.max(...below)];
}

// True if a shape lies within an area without touching its edges, as a piece does, and not the field below it.
export function isWithin(shape, area) {
  const [[left, top, right, bottom], [areaLeft, areaTop, areaRight, areaBottom]] = [extentOf(shape), extentOf(area)];
  return left > areaLeft && top > areaTop && right < areaRight && bottom < areaBottom;
}
