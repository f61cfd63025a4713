import assert from "node:assert/strict";
import { test } from "node:test";
import { grid_of } from "../../../../view/page/draw/bin_picture";
import { label_places } from "../../../../view/page/draw/labels";
import { curve_between } from "../../../../view/page/draw/arcs";
import { distance_to } from "../../../../view/page/draw/lanes";
import { time_ticks } from "../../../../view/page/draw/time_axis";
import { asked_window } from "../../../../view/page/layout/asked";
import { place_of } from "../../../../view/page/layout/flames";
import { arcs_of, boxes_of } from "../../../../view/page/layout/groups";
import { acyclic_order, isotonic, layered } from "../../../../view/page/layout/layered";
import { clustered_order, Link, order_cost } from "../../../../view/page/layout/order";
import { away_from_first, depths, request_direction } from "../../../../view/page/layout/requests";
import { random_of } from "./random";

function random_graph(seed: number) {
  const random = random_of(seed);
  const count = 2 + Math.floor(random() * 30);
  const arcs = Array.from({ length: Math.floor(random() * count * 2) }, () => ({ from: Math.floor(random() * count), to: Math.floor(random() * count), weight: random() * 100 }));
  const sizes = Array.from({ length: count }, () => ({ width: 60 + random() * 120, height: 42 }));
  return { count, arcs, sizes };
}

test("layers: boxes never overlap, whatever the graph", () => {
  for (let seed = 1; seed <= 80; ++seed) {
    const { count, arcs, sizes } = random_graph(seed);
    const { x, y, width, height } = layered(sizes, arcs);
    for (let a = 0; a < count; ++a) {
      assert(x[a] - sizes[a].width / 2 >= 0 && x[a] + sizes[a].width / 2 <= width && y[a] - 21 >= 0 && y[a] + 21 <= height, `seed ${seed}: box ${a} is outside`);
      for (let b = 0; b < a; ++b) {
        const apart = Math.abs(x[a] - x[b]) >= (sizes[a].width + sizes[b].width) / 2 - 0.01 || Math.abs(y[a] - y[b]) >= 42 - 0.01;
        assert(apart, `seed ${seed}: boxes ${a} and ${b} overlap`);
      }
    }
  }
});

test("layers: without circles every arc leads to the right, and a chain is a straight line", () => {
  for (let seed = 1; seed <= 60; ++seed) {
    const { arcs, sizes } = random_graph(seed);
    const forward = arcs.filter(({ from, to }) => from < to);
    const { layer } = layered(sizes, forward, { layer_most: 1000 });
    for (const { from, to } of forward) assert(layer[from] < layer[to], `seed ${seed}`);
  }
  const { y, layer } = layered([1, 2, 3, 4].map(() => ({ width: 80, height: 42 })), [{ from: 2, to: 0, weight: 1 }, { from: 0, to: 3, weight: 1 }, { from: 3, to: 1, weight: 1 }]);
  assert.deepEqual(layer, [1, 3, 0, 2]);
  assert.deepEqual(new Set(y).size, 1);
});

test("layers: of a circle the lightest arc is the one that leads back", () => {
  const rank = acyclic_order(3, [{ from: 0, to: 1, weight: 5 }, { from: 1, to: 2, weight: 5 }, { from: 2, to: 0, weight: 1 }]);
  assert.deepEqual(rank, [0, 1, 2]);
});

test("layers: a complete bipartite drawing in the wrong order is untangled", () => {
  // 0-5, 1-4, 2-3: three arcs that all cross if both sides keep their numbers.
  const placed = layered([0, 1, 2, 3, 4, 5].map(() => ({ width: 80, height: 42 })), [{ from: 0, to: 5, weight: 1 }, { from: 1, to: 4, weight: 1 }, { from: 2, to: 3, weight: 1 }]);
  for (const [a, b] of [[0, 5], [1, 4], [2, 3]]) assert.equal(Math.round(placed.y[a]), Math.round(placed.y[b]));
});

test("isotonic: no other nondecreasing sequence of a grid is nearer", () => {
  for (let seed = 1; seed <= 40; ++seed) {
    const random = random_of(seed);
    const values = Array.from({ length: 4 }, () => Math.floor(random() * 5));
    const cost = (fit: number[]) => fit.reduce((sum, value, i) => sum + (value - values[i]) ** 2, 0);
    const fit = isotonic(values);
    for (let i = 1; i < fit.length; ++i) assert(fit[i] >= fit[i - 1] - 1e-12);
    for (let a = 0; a <= 8; ++a) for (let b = a; b <= 8; ++b) for (let c = b; c <= 8; ++c) for (let d = c; d <= 8; ++d) assert(cost(fit) <= cost([a / 2, b / 2, c / 2, d / 2]) + 1e-9, `seed ${seed}`);
  }
});

test("order: planted clusters stand together, also when nodes are shuffled", () => {
  for (let seed = 1; seed <= 20; ++seed) {
    const random = random_of(seed);
    const count = 60, cluster = Array.from({ length: count }, () => Math.floor(random() * 5));
    const links: Link[] = [];
    for (let a = 0; a < count; ++a) for (let b = 0; b < a; ++b) if (random() < (cluster[a] === cluster[b] ? 0.6 : 0.01)) links.push({ a, b, weight: 10 });
    const order = clustered_order(count, links);
    assert.deepEqual([...order].sort((a, b) => a - b), Array.from({ length: count }, (_, i) => i), "each once");
    const changes = order.slice(1).filter((node, i) => cluster[node] !== cluster[order[i]]).length;
    assert(changes <= 12, `seed ${seed}: ${changes} changes of cluster`);
    assert(order_cost(order, links) <= order_cost(Array.from({ length: count }, (_, i) => i), links), `seed ${seed}`);
  }
});

test("order: clusters of clients that talk only to their servers stand together, also in matrices too large for moves", () => {
  for (let seed = 1; seed <= 5; ++seed) {
    const random = random_of(seed);
    // Six clusters of 40 clients and 10 servers: within a cluster the graph has two sides.
    const count = 300, cluster = Array.from({ length: count }, (_, i) => i % 6), server = Array.from({ length: count }, (_, i) => i >= 240);
    const links: Link[] = [];
    for (let a = 0; a < count; ++a) for (let b = 0; b < a; ++b) if (server[a] !== server[b] && random() < (cluster[a] === cluster[b] ? 0.7 : 0.004)) links.push({ a, b, weight: 5 });
    const order = clustered_order(count, links);
    const changes = order.slice(1).filter((node, i) => cluster[node] !== cluster[order[i]]).length;
    assert(changes <= 60, `seed ${seed}: ${changes} changes of cluster`);
  }
});

test("order: a thousand processes are ordered, and those without messages stand at the end", () => {
  const random = random_of(4);
  const links = Array.from({ length: 6000 }, () => ({ a: Math.floor(random() * 990), b: Math.floor(random() * 990), weight: random() * 100 }));
  const order = clustered_order(1000, links);
  assert.equal(new Set(order).size, 1000);
  assert.deepEqual(order.slice(-10), [990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
});

const MEMBERS = Array.from({ length: 120 }, (_, id) => ({ id, group: id < 100 ? "many" : id < 119 ? "few" : "one", weight: id }));

test("groups: few processes stand alone, many are groups, and an opened group shows the busiest", () => {
  assert.deepEqual(boxes_of(MEMBERS.slice(0, 15), new Set(), true).map(({ key }) => key), MEMBERS.slice(0, 15).map(({ id }) => "p" + id));
  assert.deepEqual(boxes_of(MEMBERS, new Set(), true).map(({ key, members }) => [key, members.length]), [["g:many", 100], ["g:few", 19], ["p119", 1]]);
  const opened = boxes_of(MEMBERS, new Set(["many"]), true);
  assert.equal(opened.length, 40 + 2);
  assert(opened.some(({ key, members }) => key === "r:many" && members.length === 61 && !members.includes(99)));
  for (const boxes of [opened, boxes_of(MEMBERS, new Set(), false)]) assert.deepEqual(boxes.flatMap(({ members }) => members).sort((a, b) => a - b), MEMBERS.map(({ id }) => id), "each process is in one box");
});

test("groups: arcs between boxes are sums, and no message is counted twice", () => {
  const boxes = boxes_of(MEMBERS, new Set(), true);
  const pair = (from: number, to: number, count: number) => ({ from, to, value: count, messages: count, bytes: 10 * count, activity: count + 1 });
  const pairs = [pair(1, 101, 2), pair(2, 102, 3), pair(1, 2, 5), pair(1, 999, 7)];
  assert.deepEqual(arcs_of(boxes, pairs), [{ from: 0, to: 1, value: 5, messages: 5, bytes: 50, activity: 7 }, { from: 0, to: 0, value: 5, messages: 5, bytes: 50, activity: 6 }]);
});

test("requests: the diagram of requests decides, then users, then flows, then sizes", () => {
  const there = { from: 1, to: 2, messages: 100, bytes: 100 * 900 }, back = { from: 2, to: 1, messages: 100, bytes: 100 * 50 };
  const nothing = () => undefined, no = () => false;
  assert.equal(request_direction(there, back, (node) => node, no), 1);
  assert.equal(request_direction(there, back, (node) => -node, no), -1);
  assert.equal(request_direction(there, back, nothing, (node) => node === 1), 1);
  assert.equal(request_direction(there, back, nothing, no), -1, "the smaller messages are requests");
  assert.equal(request_direction(there, { ...back, messages: 10 }, nothing, no), 1, "a flow");
  assert.equal(request_direction(there, undefined, nothing, no), 1);
  assert.deepEqual([...depths([{ process: null }, { process: 7 }, { process: 9 }], [{ from: 0, to: 1 }, { from: 1, to: 2 }, { from: 2, to: 1 }])], [[7, 1], [9, 2]]);
});

test("requests: a diagram's arcs lead away from its first node, and both directions of a pair are one", () => {
  const arcs = [{ from: 0, to: 1, weight: 9 }, { from: 1, to: 0, weight: 9 }, { from: 1, to: 2, weight: 5 }, { from: 2, to: 1, weight: 4 }, { from: 2, to: 0, weight: 1 }, { from: 3, to: 3, weight: 1 }];
  assert.deepEqual(away_from_first(4, arcs), [{ from: 0, to: 1, weight: 18 }, { from: 1, to: 2, weight: 9 }, { from: 0, to: 2, weight: 1 }]);
  const placed = layered([0, 1, 2, 3].map(() => ({ width: 80, height: 42 })), away_from_first(4, arcs));
  assert.deepEqual(placed.layer.slice(0, 3), [0, 1, 2]);
});

test("labels: they cover neither each other nor boxes where there is another place", () => {
  const boxes = [{ x: 60, y: 60, width: 100, height: 42 }, { x: 460, y: 60, width: 100, height: 42 }, { x: 460, y: 76, width: 100, height: 42 }];
  const curves = [curve_between(boxes[0], boxes[1], [], 0), curve_between(boxes[0], boxes[2], [], 0)];
  const [a, b] = label_places(["123/s", "456/s"], curves, boxes);
  assert(a && b && (Math.abs(a.x - b.x) > 31 || Math.abs(a.y - b.y) >= 13), `${JSON.stringify([a, b])}`);
});

test("labels: of arcs that lie on each other only the most important are labelled", () => {
  const boxes = [{ x: 60, y: 60, width: 100, height: 42 }, { x: 260, y: 60, width: 100, height: 42 }];
  const curves = Array.from({ length: 20 }, () => curve_between(boxes[0], boxes[1], [], 0));
  const places = label_places(curves.map(() => "123/s"), curves, boxes, curves.map((_, index) => index));
  const labelled = places.filter((place) => place !== null).length;
  assert(labelled > 0 && labelled < 20 && places[19] !== null && places[0] === null, JSON.stringify(places));
});

test("asked: the answer covers the view, and small moves do not ask again", () => {
  for (let seed = 1; seed <= 300; ++seed) {
    const random = random_of(seed);
    const span = Math.pow(10, random() * 10 - 6), from = random() * 1000;
    const asked = asked_window(from, from + span, 1000);
    assert(asked.from_s <= from && asked.to_s >= from + span, `seed ${seed}`);
    assert(asked.to_s - asked.from_s <= span * 2.1 && asked.width <= 4096);
  }
  const moves = new Set(Array.from({ length: 100 }, (_, i) => JSON.stringify(asked_window(5 + i * 0.001, 6 + i * 0.001, 1000))));
  assert(moves.size <= 3, `${moves.size} questions for a tenth of the width`);
});

test("asked: what is shown of a file's single events is asked for without what is beside them", () => {
  const single = { from_s: 10, to_s: 30 };
  for (const [from_s, to_s] of [[10, 12], [26, 30], [10, 30], [15, 16]]) {
    const asked = asked_window(from_s, to_s, 1000, single);
    assert(asked.from_s >= single.from_s && asked.to_s <= single.to_s && asked.from_s <= from_s && asked.to_s >= to_s, `${from_s} to ${to_s}: ${JSON.stringify(asked)}`);
  }
  assert.deepEqual(asked_window(9, 12, 1000, single), asked_window(9, 12, 1000));
});

test("ticks: they are in the range, at most as many as there is room for, and at least one", () => {
  for (let seed = 1; seed <= 300; ++seed) {
    const random = random_of(seed);
    const span = Math.pow(10, random() * 12 - 7), from = random() * 100, most = 3 + Math.floor(random() * 10);
    const { ticks } = time_ticks(from, from + span, most);
    assert(ticks.length >= 1 && ticks.length <= most + 1, `seed ${seed}: ${ticks.length} of ${most}`);
    for (const tick of ticks) assert(tick >= from - span * 1e-6 && tick <= from + span, `seed ${seed}`);
  }
});

test("bins: a common grid is found, also when the last bin is cut; bins of different widths have none", () => {
  const from = [0, 1, 2, 3, 0, 2].map((i) => 0.5 + i * 0.25);
  assert.deepEqual(grid_of({ bin_from: from, bin_to: from.map((t) => t + 0.25) }), { from_s: 0.5, step_s: 0.25, columns: 4 });
  assert.equal(grid_of({ bin_from: [0, 1, 2], bin_to: [1, 2, 2.4] })?.columns, 3);
  assert.equal(grid_of({ bin_from: [0, 1, 3], bin_to: [1, 3, 4] }), null);
  assert.equal(grid_of({ bin_from: [0, 0.5], bin_to: [1, 1.5] }), null);
  assert.equal(grid_of({ bin_from: [], bin_to: [] }), null);
});

test("distance: to the nearest point of a line's part, not of the whole line", () => {
  assert.deepEqual([distance_to(5, 3, 0, 0, 10, 0), distance_to(-3, 4, 0, 0, 10, 0), distance_to(1, 1, 1, 1, 1, 1)], [3, 5, 0]);
});

test("flame graph: a box keeps its share of the width, and damage does not leave the picture", () => {
  const box = (from: number, to: number) => ({ depth: 2, from, to, label: "", tone: "cpu", tip: "" });
  assert.deepEqual(place_of(box(0.25, 0.5), 400), { x: 100, y: 44, width: 100 });
  assert.deepEqual(place_of(box(-1, 7), 400), { x: 0, y: 44, width: 400 });
  assert.equal(place_of(box(0.5, 0.5001), 400), null);
  assert.equal(place_of(box(0.9, 0.1), 400), null);
});
