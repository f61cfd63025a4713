// Which end of a pair sends the requests: the layers of a graph follow from it. Pure.

export interface PairTraffic {
  from: number;
  to: number;
  messages: number;
  bytes: number;
}

// `depth` is how far from the users a process is in the diagram of requests, where that is known; `outside` processes are those of users.
// Otherwise: much more one way than back is a flow that way; of about equal numbers, the smaller messages are taken for the requests.
export function request_direction(there: PairTraffic, back: PairTraffic | undefined, depth: (node: number) => number | undefined, outside: (node: number) => boolean): 1 | -1 {
  const a = depth(there.from), b = depth(there.to);
  if (a !== undefined && b !== undefined && a !== b) return a < b ? 1 : -1;
  if (outside(there.from) !== outside(there.to)) return outside(there.from) ? 1 : -1;
  if (!back || back.messages === 0) return 1;
  if (there.messages === 0 || back.messages > there.messages * 1.8) return -1;
  if (there.messages > back.messages * 1.8) return 1;
  const size = there.bytes / there.messages, size_back = back.bytes / back.messages;
  if (size !== size_back) return size < size_back ? 1 : -1;
  return there.from < there.to ? 1 : -1;
}

// Distances from the requestors in the state diagram of `paths`.
export function depths(nodes: { process: number | null }[], arcs: { from: number; to: number }[]): Map<number, number> {
  const next: number[][] = nodes.map(() => []);
  for (const { from, to } of arcs) if (next[from] && nodes[to]) next[from].push(to);
  const distance = new Map<number, number>();
  const start = nodes.findIndex(({ process }) => process === null);
  let layer = start >= 0 ? [start] : nodes.length > 0 ? [0] : [];
  for (const node of layer) distance.set(node, 0);
  for (let step = 1; layer.length > 0; ++step) {
    const following: number[] = [];
    for (const node of layer) {
      for (const to of next[node]) {
        if (distance.has(to)) continue;
        distance.set(to, step);
        following.push(to);
      }
    }
    layer = following;
  }
  const result = new Map<number, number>();
  for (const [node, step] of distance) {
    const { process } = nodes[node];
    if (process !== null) result.set(process, step);
  }
  return result;
}

// The arcs of a diagram whose requests begin at the first node, each turned so that it leads away from there.
export function away_from_first<A extends { from: number; to: number; weight: number }>(count: number, arcs: A[]): { from: number; to: number; weight: number }[] {
  const distance = new Array<number>(count).fill(Infinity);
  const next: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of arcs) next[from].push(to);
  const order = count > 0 ? [0] : [];
  if (count > 0) distance[0] = 0;
  for (let i = 0; i < order.length; ++i) {
    for (const to of next[order[i]]) {
      if (distance[to] < Infinity) continue;
      distance[to] = distance[order[i]] + 1;
      order.push(to);
    }
  }
  const sums = new Map<string, { from: number; to: number; weight: number }>();
  for (const { from, to, weight } of arcs) {
    if (from === to) continue;
    const forward = distance[from] < distance[to] || (distance[from] === distance[to] && from < to);
    const [a, b] = forward ? [from, to] : [to, from];
    const sum = sums.get(`${a} ${b}`);
    if (sum) sum.weight += weight;
    else sums.set(`${a} ${b}`, { from: a, to: b, weight });
  }
  return [...sums.values()];
}
