// An order of processes in which those that exchange many messages stand together, so that clusters appear as blocks on the diagonal of a
// matrix. Spectral seriation: sort by the second eigenvector of the normalised traffic; small matrices are improved by moves afterwards. Pure.

export interface Link {
  a: number;
  b: number;
  weight: number;
}

const ITERATIONS = 160, IMPROVED_MAX = 220;

export function clustered_order(count: number, links: Link[]): number[] {
  const neighbours: { at: number; weight: number }[][] = Array.from({ length: count }, () => []);
  for (const { a, b, weight } of links) {
    if (a === b || !(weight > 0)) continue;
    // A pair that exchanges a thousand times more is not a thousand times nearer.
    neighbours[a].push({ at: b, weight: Math.log1p(weight) });
    neighbours[b].push({ at: a, weight: Math.log1p(weight) });
  }
  const components = connected(neighbours).sort((a, b) => b.length - a.length || a[0] - b[0]);
  return components.flatMap((nodes) => {
    const order = spectral(nodes, neighbours);
    return nodes.length <= IMPROVED_MAX ? improved(order, neighbours) : order;
  });
}

// The sum over pairs of weight times distance in the order: what is to be small.
export function order_cost(order: number[], links: Link[]): number {
  const place = new Map(order.map((node, index) => [node, index]));
  return links.reduce((sum, { a, b, weight }) => sum + (a === b ? 0 : Math.log1p(weight) * Math.abs(place.get(a)! - place.get(b)!)), 0);
}

function connected(neighbours: { at: number }[][]): number[][] {
  const seen = new Uint8Array(neighbours.length), components: number[][] = [], alone: number[] = [];
  for (let start = 0; start < neighbours.length; ++start) {
    if (seen[start]) continue;
    seen[start] = 1;
    const nodes = [start];
    for (let i = 0; i < nodes.length; ++i) {
      for (const { at } of neighbours[nodes[i]]) {
        if (seen[at]) continue;
        seen[at] = 1;
        nodes.push(at);
      }
    }
    if (nodes.length === 1) alone.push(start);
    else components.push(nodes.sort((a, b) => a - b));
  }
  return alone.length > 0 ? [...components, ...alone.map((node) => [node])] : components;
}

// Power iteration on (I + D^-1/2 W D^-1/2) / 2, with the known first eigenvector, the roots of the degrees, taken out.
function spectral(nodes: number[], neighbours: { at: number; weight: number }[][]): number[] {
  if (nodes.length < 3) return nodes;
  const place = new Map(nodes.map((node, index) => [node, index]));
  const root = nodes.map((node) => Math.sqrt(neighbours[node].reduce((sum, { weight }) => sum + weight, 0)));
  const norm = Math.hypot(...root);
  const first = root.map((value) => value / norm);
  // A fixed start: the same matrix has the same order each time.
  let vector = nodes.map((_, index) => Math.sin(index * 12.9898 + 1) + index / nodes.length);
  for (let round = 0; round < ITERATIONS; ++round) {
    const along = vector.reduce((sum, value, index) => sum + value * first[index], 0);
    vector = vector.map((value, index) => value - along * first[index]);
    const next = vector.map((value, index) => {
      let sum = 0;
      for (const { at, weight } of neighbours[nodes[index]]) {
        const other = place.get(at)!;
        sum += (weight * vector[other]) / (root[index] * root[other]);
      }
      return (value + sum) / 2;
    });
    const length = Math.hypot(...next);
    if (!(length > 1e-12)) break;
    vector = next.map((value) => value / length);
  }
  const keys = vector.map((value, index) => value / root[index]);
  return nodes.map((_, index) => index).sort((a, b) => keys[a] - keys[b] || a - b).map((index) => nodes[index]);
}

// Moves one node at a time to a better place among its neighbours' places, until nothing improves.
function improved(order: number[], neighbours: { at: number; weight: number }[][]): number[] {
  let best = [...order];
  const place = new Map<number, number>();
  const number_places = () => best.forEach((node, index) => place.set(node, index));
  const cost = (nodes: number[]) => {
    nodes.forEach((node, index) => place.set(node, index));
    return nodes.reduce((sum, node) => sum + neighbours[node].reduce((part, { at, weight }) => part + weight * Math.abs(place.get(node)! - place.get(at)!), 0), 0);
  };
  let best_cost = cost(best);
  for (let pass = 0; pass < 3; ++pass) {
    let moved = false;
    for (const node of [...best]) {
      number_places();
      const targets = [...neighbours[node]].sort((a, b) => b.weight - a.weight).slice(0, 3).map(({ at }) => place.get(at)!);
      for (const target of targets) {
        const without = best.filter((other) => other !== node);
        const candidate = [...without.slice(0, target), node, ...without.slice(target)];
        const candidate_cost = cost(candidate);
        if (candidate_cost < best_cost - 1e-9) {
          best = candidate;
          best_cost = candidate_cost;
          moved = true;
          break;
        }
      }
    }
    if (!moved) break;
  }
  return best;
}
