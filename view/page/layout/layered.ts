// Places the boxes of a graph in layers from left to right, so that arcs lead forward as far as possible and cross little (Sugiyama,
// Tagawa and Toda 1981): turn arcs that close a circle, layer by longest path, order the layers by the means of neighbours, align. Pure.

export interface BoxSize {
  width: number;
  height: number;
}

export interface WeightedArc {
  from: number;
  to: number;
  weight: number;
}

export interface Placed {
  x: number[];  // centres
  y: number[];
  layer: number[];
  routes: { x: number; y: number }[][];  // by arc: the points between its ends, where it passes other layers
  width: number;
  height: number;
}

export interface LayeredOptions {
  width: number;  // to be filled
  height: number;  // to be filled, where few boxes leave room
  gap: number;  // between boxes of a layer, at least
  gap_max: number;
  column_gap_min: number;
  column_gap_max: number;
  layer_most: number;  // a layer with more boxes becomes several columns
}

export const DEFAULTS: LayeredOptions = { width: 900, height: 0, gap: 22, gap_max: 120, column_gap_min: 84, column_gap_max: 240, layer_most: 12 };

interface Vertex {
  node: number;  // -1: a point of a long arc
  layer: number;
  width: number;
  height: number;
  y: number;
  neighbours: { at: number; weight: number }[][];  // in the layer before, in the layer after
}

export function layered(sizes: BoxSize[], arcs: WeightedArc[], options: Partial<LayeredOptions> = {}): Placed {
  const wanted = { ...DEFAULTS, ...options };
  const forward = arcs.filter(({ from, to }) => from !== to);
  const rank = acyclic_order(sizes.length, forward);
  const directed = forward.map((arc) => (rank[arc.from] <= rank[arc.to] ? { ...arc, turned: false } : { from: arc.to, to: arc.from, weight: arc.weight, turned: true }));
  const layer = compact(split(longest_path(sizes.length, directed, rank), directed, wanted.layer_most));
  const { vertices, chains } = with_points(sizes, layer, directed);
  const layers = order_layers(vertices, Math.max(0, ...layer) + 1);
  const fullest = Math.max(1, ...layers.map((nodes) => nodes.reduce((sum, vertex) => sum + (vertices[vertex].node < 0 ? 0.4 : 1), 0)));
  const tallest = Math.max(1, ...sizes.map(({ height }) => height));
  align(vertices, layers, Math.max(wanted.gap, Math.min(wanted.gap_max, wanted.height / fullest - tallest)));
  return result(sizes, arcs, layer, vertices, layers, chains, directed, wanted);
}

// An order of the nodes in which little weight leads backward (Eades, Lin and Smyth 1993): take away sources and sinks, then the node that
// gives most more than it takes.
export function acyclic_order(count: number, arcs: WeightedArc[]): number[] {
  const out = new Float64Array(count), into = new Float64Array(count);
  const next: WeightedArc[][] = Array.from({ length: count }, () => []), previous: WeightedArc[][] = Array.from({ length: count }, () => []);
  for (const arc of arcs) {
    out[arc.from] += arc.weight;
    into[arc.to] += arc.weight;
    next[arc.from].push(arc);
    previous[arc.to].push(arc);
  }
  const rank = new Array<number>(count).fill(0), left = new Set(Array.from({ length: count }, (_, i) => i));
  let head = 0, tail = count - 1;
  const take = (node: number, place: number) => {
    rank[node] = place;
    left.delete(node);
    for (const arc of next[node]) into[arc.to] -= arc.weight;
    for (const arc of previous[node]) out[arc.from] -= arc.weight;
  };
  const none = (sum: number, of: WeightedArc[], end: "from" | "to") => sum < 1e-12 || !of.some((arc) => left.has(arc[end]));
  while (left.size > 0) {
    let best = -1, best_difference = -Infinity, found = false;
    for (const node of left) {
      if (none(into[node], previous[node], "from")) {
        take(node, head++);
        found = true;
        break;
      }
      if (none(out[node], next[node], "to")) {
        take(node, tail--);
        found = true;
        break;
      }
      if (out[node] - into[node] > best_difference) {
        best_difference = out[node] - into[node];
        best = node;
      }
    }
    if (!found) take(best, head++);
  }
  return rank;
}

function longest_path(count: number, arcs: WeightedArc[], rank: number[]): number[] {
  const layer = new Array<number>(count).fill(0);
  const by_rank = Array.from({ length: count }, (_, i) => i).sort((a, b) => rank[a] - rank[b]);
  const next: number[][] = Array.from({ length: count }, () => []), previous: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of arcs) {
    next[from].push(to);
    previous[to].push(from);
  }
  for (const node of by_rank) for (const to of next[node]) layer[to] = Math.max(layer[to], layer[node] + 1);
  // A source stands directly before what it sends to, not at the far left.
  for (const node of [...by_rank].reverse()) {
    if (previous[node].length === 0 && next[node].length > 0) layer[node] = Math.min(...next[node].map((to) => layer[to])) - 1;
  }
  return layer;
}

// A layer with too many nodes becomes several: those that few arcs lead to stand first.
function split(layer: number[], arcs: WeightedArc[], most: number): number[] {
  const degree = new Float64Array(layer.length);
  for (const { to } of arcs) ++degree[to];
  const result = new Array<number>(layer.length);
  let shift = 0;
  for (let at = 0; at <= Math.max(0, ...layer); ++at) {
    const nodes = layer.map((_, node) => node).filter((node) => layer[node] === at).sort((a, b) => degree[a] - degree[b] || a - b);
    const columns = Math.max(1, Math.ceil(nodes.length / most)), each = Math.ceil(nodes.length / columns);
    nodes.forEach((node, index) => (result[node] = at + shift + Math.floor(index / each)));
    shift += columns - 1;
  }
  return result;
}

function compact(layer: number[]): number[] {
  const used = [...new Set(layer)].sort((a, b) => a - b);
  return layer.map((own) => used.indexOf(own));
}

function with_points(sizes: BoxSize[], layer: number[], arcs: WeightedArc[]): { vertices: Vertex[]; chains: number[][] } {
  const vertices: Vertex[] = sizes.map(({ width, height }, node) => ({ node, layer: layer[node], width, height, y: 0, neighbours: [[], []] }));
  const link = (a: number, b: number, weight: number) => {
    vertices[a].neighbours[1].push({ at: b, weight });
    vertices[b].neighbours[0].push({ at: a, weight });
  };
  const chains = arcs.map(({ from, to, weight }) => {
    if (layer[from] === layer[to]) return [];
    const [a, b] = layer[from] < layer[to] ? [from, to] : [to, from];
    const points: number[] = [];
    let last = a;
    for (let between = layer[a] + 1; between < layer[b]; ++between) {
      vertices.push({ node: -1, layer: between, width: 0, height: 6, y: 0, neighbours: [[], []] });
      points.push(vertices.length - 1);
      link(last, vertices.length - 1, weight * 2);
      last = vertices.length - 1;
    }
    link(last, b, weight);
    return a === from ? points : points.reverse();
  });
  return { vertices, chains };
}

function order_layers(vertices: Vertex[], count: number): number[][] {
  const layers: number[][] = Array.from({ length: count }, () => []);
  vertices.forEach((vertex, index) => layers[vertex.layer].push(index));
  const place = new Float64Array(vertices.length);
  const number_places = (all: number[][]) => all.forEach((layer) => layer.forEach((vertex, index) => (place[vertex] = index)));
  number_places(layers);
  let best = layers.map((layer) => [...layer]), best_crossings = crossings(vertices, layers, place);
  for (let sweep = 0; sweep < 14 && best_crossings > 0; ++sweep) {
    const down = sweep % 2 === 0;
    for (let step = 1; step < count; ++step) {
      const layer = layers[down ? step : count - 1 - step];
      const mean = new Map(layer.map((vertex) => [vertex, mean_place(vertices[vertex].neighbours[down ? 0 : 1], place) ?? place[vertex]]));
      layer.sort((a, b) => mean.get(a)! - mean.get(b)! || (sweep % 4 < 2 ? a - b : place[a] - place[b]));
      layer.forEach((vertex, index) => (place[vertex] = index));
    }
    const now = crossings(vertices, layers, place);
    if (now < best_crossings) {
      best_crossings = now;
      best = layers.map((layer) => [...layer]);
    }
  }
  return best;
}

function mean_place(neighbours: { at: number; weight: number }[], place: ArrayLike<number>): number | null {
  if (neighbours.length === 0) return null;
  let sum = 0, weights = 0;
  for (const { at, weight } of neighbours) {
    const strength = Math.sqrt(weight) + 1e-9;  // few heavy arcs do not decide alone
    sum += place[at] * strength;
    weights += strength;
  }
  return sum / weights;
}

// How many pairs of arcs between neighbouring layers cross.
export function crossings(vertices: { neighbours: { at: number }[][] }[], layers: number[][], place: ArrayLike<number>): number {
  let count = 0;
  for (const layer of layers) {
    const ends: number[] = [];
    for (const vertex of layer) ends.push(...vertices[vertex].neighbours[1].map(({ at }) => place[at]).sort((a, b) => a - b));
    if (ends.length > 3000) continue;
    for (let i = 1; i < ends.length; ++i) for (let j = 0; j < i; ++j) if (ends[j] > ends[i]) ++count;
  }
  return count;
}

// Boxes go where their neighbours are, in their order and without overlap.
function align(vertices: Vertex[], layers: number[][], gap: number): void {
  const y = new Float64Array(vertices.length);
  const spread = (layer: number[], wanted: number[]) => {
    const offset: number[] = [];
    let sum = 0;
    layer.forEach((vertex, index) => {
      if (index > 0) sum += (vertices[layer[index - 1]].height + vertices[vertex].height) / 2 + gap * (vertices[vertex].node < 0 || vertices[layer[index - 1]].node < 0 ? 0.5 : 1);
      offset.push(sum);
    });
    const levels = isotonic(wanted.map((value, index) => value - offset[index]));
    layer.forEach((vertex, index) => (y[vertex] = levels[index] + offset[index]));
  };
  for (const layer of layers) {
    spread(layer, layer.map(() => 0));
  }
  for (let pass = 0; pass < 10; ++pass) {
    const down = pass % 2 === 0;
    for (let step = 0; step < layers.length; ++step) {
      const layer = layers[down ? step : layers.length - 1 - step];
      spread(layer, layer.map((vertex) => {
        const { neighbours } = vertices[vertex];
        const side = pass < 6 ? neighbours[down ? 0 : 1] : [...neighbours[0], ...neighbours[1]];
        return mean_place(side, y) ?? y[vertex];
      }));
    }
  }
  vertices.forEach((vertex, index) => (vertex.y = y[index]));
}

// The nondecreasing values nearest to the given ones (pool adjacent violators).
export function isotonic(values: number[]): number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const value of values) {
    let block = { sum: value, count: 1 };
    while (blocks.length > 0 && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].count > block.sum / block.count) {
      const before = blocks.pop()!;
      block = { sum: before.sum + block.sum, count: before.count + block.count };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count));
}

function result(sizes: BoxSize[], arcs: WeightedArc[], layer: number[], vertices: Vertex[], layers: number[][], chains: number[][],
  directed: (WeightedArc & { turned: boolean })[], wanted: LayeredOptions): Placed {
  const widths = layers.map((nodes) => Math.max(10, ...nodes.map((vertex) => vertices[vertex].width)));
  const sum = widths.reduce((a, b) => a + b, 0);
  const column_gap = layers.length < 2 ? 0 : Math.min(wanted.column_gap_max, Math.max(wanted.column_gap_min, (wanted.width - sum - 8) / (layers.length - 1)));
  const centres: number[] = [];
  let left = 4;
  for (const width of widths) {
    centres.push(left + width / 2);
    left += width + column_gap;
  }
  const top = Math.min(...vertices.map(({ y, height }) => y - height / 2)) - 26, bottom = Math.max(...vertices.map(({ y, height }) => y + height / 2)) + 26;
  const routes: { x: number; y: number }[][] = arcs.map(() => []);
  let index = 0;
  arcs.forEach((arc, at) => {
    if (arc.from === arc.to) return;
    const points = chains[index].map((vertex) => ({ x: centres[vertices[vertex].layer], y: vertices[vertex].y - top }));
    routes[at] = directed[index].turned ? points.reverse() : points;
    ++index;
  });
  return {
    x: sizes.map((_, node) => centres[layer[node]]), y: sizes.map((_, node) => vertices[node].y - top), layer, routes,
    width: Math.max(40, left - column_gap + 4), height: sizes.length === 0 ? 40 : bottom - top,
  };
}
