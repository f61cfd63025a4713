// The curves of arcs between boxes. Pure geometry: points in, path and place of the label out.
import { curveMonotoneX, line } from "d3-shape";

export interface Point {
  x: number;
  y: number;
}

export interface BoxAt extends Point {
  width: number;
  height: number;
}

export interface Curve {
  path: string;
  labels: Point[];  // where the label can stand, the best first: beside the line, not on it
  angle: number;  // of the arrow head, in degrees
  end: Point;
}

const through = line<Point>().x((point) => point.x).y((point) => point.y).curve(curveMonotoneX);
const HEAD = 9;
const PLACES = [0.4, 0.3, 0.5, 0.22, 0.6, 0.7, 0.8];

// From one box to another. Arcs to the right leave on the right; arcs to the left bow below; both directions of a pair stay apart.
export function curve_between(from: BoxAt, to: BoxAt, route: Point[], shift: number): Curve {
  if (from === to) return loop(from);
  const right = to.x - to.width / 2 >= from.x + from.width / 2 - 1;
  const left = from.x - from.width / 2 >= to.x + to.width / 2 - 1;
  if (right || left) return sideways(from, to, route, shift, right ? 1 : -1);
  return same_column(from, to, shift);
}

function sideways(from: BoxAt, to: BoxAt, route: Point[], shift: number, direction: 1 | -1): Curve {
  const fan = Math.min(from.height, to.height) * 0.28;
  const start = { x: from.x + (direction * from.width) / 2, y: from.y + direction * -shift * fan };
  const end = { x: to.x - direction * (to.width / 2 + HEAD), y: to.y + direction * -shift * fan };
  const bow = direction < 0 ? 16 : 0;
  if (route.length > 0) {
    const points = [start, ...route.map((point) => ({ x: point.x, y: point.y - direction * shift * 5 + bow * 0.4 })), end];
    return { path: through(points) ?? "", labels: along_points(points, direction > 0), angle: direction > 0 ? 0 : 180, end };
  }
  const reach = Math.max(30, Math.abs(end.x - start.x) * 0.45);
  const c1 = { x: start.x + direction * reach, y: start.y + bow }, c2 = { x: end.x - direction * reach, y: end.y + bow };
  // The labels of both directions stand near where their arcs begin, so not above each other; near an end arcs of one box crowd.
  return { path: cubic(start, c1, c2, end), labels: PLACES.map((t) => beside(cubic_at(start, c1, c2, end, t), direction > 0)), angle: direction > 0 ? 0 : 180, end };
}

function same_column(from: BoxAt, to: BoxAt, shift: number): Curve {
  const side = to.y > from.y ? 1 : -1;  // down on the right side, up on the left
  const near = Math.abs(to.y - from.y);
  const start = { x: from.x + (side * from.width) / 2, y: from.y + side * from.height * 0.16 };
  const end = { x: to.x + side * (to.width / 2 + HEAD), y: to.y - side * to.height * 0.16 };
  const reach = 26 + Math.min(60, near * 0.18) + shift * 4;
  const c1 = { x: start.x + side * reach, y: start.y }, c2 = { x: end.x + side * reach, y: end.y };
  return { path: cubic(start, c1, c2, end), labels: [0.5, 0.4, 0.6, 0.3, 0.7].map((t) => cubic_at(start, c1, c2, end, t)).map(({ x, y }) => ({ x: x + side * 4, y: y + 4 })), angle: side > 0 ? 180 : 0, end };
}

function loop(box: BoxAt): Curve {
  const start = { x: box.x - 10, y: box.y - box.height / 2 }, end = { x: box.x + 12, y: box.y - box.height / 2 - HEAD };
  const c1 = { x: start.x - 14, y: start.y - 34 }, c2 = { x: end.x + 12, y: end.y - 26 };
  return { path: cubic(start, c1, c2, end), labels: [{ x: box.x, y: start.y - 26 }], angle: 90, end };
}

// Straight, for a circle of boxes: it begins and ends at the borders, beside the middle line.
export function straight_between(from: BoxAt, to: BoxAt, shift: number): Curve {
  const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy) || 1;
  const side = { x: (-dy / length) * 5 * shift, y: (dx / length) * 5 * shift };
  const border = (box: BoxAt, sign: 1 | -1, extra: number): Point => {
    const scale = Math.min(box.width / 2 / (Math.abs(dx) || 1e-9), box.height / 2 / (Math.abs(dy) || 1e-9));
    return { x: box.x + sign * dx * scale + (sign * dx * extra) / length + side.x, y: box.y + sign * dy * scale + (sign * dy * extra) / length + side.y };
  };
  const start = border(from, 1, 1), end = border(to, -1, HEAD + 1);
  return { path: `M${text(start)}L${text(end)}`, labels: [0.34, 0.26, 0.42, 0.5, 0.6].map((t) => ({ x: start.x + (end.x - start.x) * t, y: start.y + (end.y - start.y) * t + 4 })), angle: (Math.atan2(dy, dx) * 180) / Math.PI, end };
}

function along_points(points: Point[], above: boolean): Point[] {
  const middles = points.slice(1).map((point, index) => ({ x: (point.x + points[index].x) / 2, y: (point.y + points[index].y) / 2 }));
  const places = [...middles, ...points.slice(1, -1)];
  const centre = (places.length - 1) / 2;
  return places.map((point, index) => ({ point, far: Math.abs(index - centre) })).sort((a, b) => a.far - b.far).map(({ point }) => beside(point, above));
}

function beside(point: Point, above: boolean): Point {
  return { x: point.x, y: point.y + (above ? -6 : 15) };
}

function cubic(a: Point, b: Point, c: Point, d: Point): string {
  return `M${text(a)}C${text(b)} ${text(c)} ${text(d)}`;
}

function cubic_at(a: Point, b: Point, c: Point, d: Point, t: number): Point {
  const u = 1 - t;
  const mix = (key: "x" | "y") => u * u * u * a[key] + 3 * u * u * t * b[key] + 3 * u * t * t * c[key] + t * t * t * d[key];
  return { x: mix("x"), y: mix("y") };
}

function text({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
