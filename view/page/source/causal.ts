// The causal past and future of a message among the messages of a list: what its sender had received before it sent, and so on
// backwards; what its receiver sent after it had received, and so on forwards. Pure.

export interface Messages {
  from: ArrayLike<number>;  // rows
  to: ArrayLike<number>;
  sent: ArrayLike<number>;
  received: ArrayLike<number>;
}

export interface Causal {
  past: number[];  // indices, nearest in time first
  future: number[];
  past_left_out: number;
  future_left_out: number;
}

export function causal(messages: Messages, index: number, most = 2000): Causal {
  const past = reach(messages, index, -1), future = reach(messages, index, +1);
  return {
    past: past.slice(0, most), future: future.slice(0, most),
    past_left_out: Math.max(0, past.length - most), future_left_out: Math.max(0, future.length - most),
  };
}

// For each row only the latest (earliest) moment that is reached matters, so one pass in order of time is enough.
function reach({ from, to, sent, received }: Messages, index: number, direction: 1 | -1): number[] {
  const here = direction < 0 ? to : from, there = direction < 0 ? from : to;  // the row where the next one is met, and where it leads
  const meets = direction < 0 ? received : sent, leads = direction < 0 ? sent : received;
  const bound = new Map<number, number>([[direction < 0 ? from[index] : to[index], direction < 0 ? sent[index] : received[index]]]);
  const order = Array.from({ length: from.length }, (_, i) => i).filter((i) => i !== index && Number.isFinite(sent[i]) && Number.isFinite(received[i]));
  order.sort((a, b) => direction * (meets[a] - meets[b]));
  const found: number[] = [];
  for (const i of order) {
    const limit = bound.get(here[i]);
    if (limit === undefined || direction * (meets[i] - limit) < 0) continue;
    found.push(i);
    const known = bound.get(there[i]);
    if (known === undefined || direction * (leads[i] - known) < 0) bound.set(there[i], leads[i]);
  }
  return found;
}
