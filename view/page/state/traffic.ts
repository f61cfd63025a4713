// The values of pairs and processes in a time range, from the answer `traffic`. Pure.
import { bytes, short } from "../format";
import * as requests from "../source/requests";
import { Form, Quantity } from "./state";

export interface Pair {
  from: number;
  to: number;
  messages: number;
  bytes: number;
  value: number;  // as chosen
}

export interface ProcessLoad {
  cpu: number;  // cores
  waiting: number;  // fraction of the range
  queue: number;
  sent: number;
  received: number;
}

export interface Traffic {
  pairs: Pair[];
  loads: Map<number, ProcessLoad>;
}

export function traffic_of(answer: requests.Traffic, quantity: Quantity, form: Form): Traffic {
  const { from, to, span_s, before_span_s } = answer;
  const span = Math.max(span_s, 1e-12);
  const counts = answer[quantity], before = answer[`before_${quantity}`];
  const loads = new Map<number, ProcessLoad>();
  for (let i = 0; i < answer.process.length; ++i) {
    const cpu = answer.cpu_s[i] / span;
    loads.set(answer.process[i], { cpu, waiting: answer.waiting_s[i] / span, queue: answer.queue[i], sent: 0, received: 0 });
  }
  const pairs: Pair[] = [];
  for (let i = 0; i < from.length; ++i) {
    const messages = answer.messages[i];
    const rate = counts[i] / span;
    const value = form === "total" ? counts[i] : form === "rate" ? rate : before_span_s > 0 ? (rate - before[i] / before_span_s) / span : NaN;
    pairs.push({ from: from[i], to: to[i], messages, bytes: answer.bytes[i], value });
    load_of(loads, from[i]).sent += messages;
    load_of(loads, to[i]).received += messages;
  }
  return { pairs, loads };
}

// Ends that are not metered have messages only.
function load_of(loads: Map<number, ProcessLoad>, id: number): ProcessLoad {
  let load = loads.get(id);
  if (!load) loads.set(id, (load = { cpu: 0, waiting: 0, queue: NaN, sent: 0, received: 0 }));
  return load;
}

// Why there is no pair.
export function why_no_pairs(running: boolean): string {
  return running ? "No message in this range yet." : "There was no message in this range.";
}

export function value_text(value: number, quantity: Quantity, form: Form): string {
  const text = quantity === "bytes" ? bytes(value) : short(value);
  const sign = form === "change" && value > 0 ? "+" : "";
  return sign + text + (form === "rate" ? "/s" : form === "change" ? "/s²" : "");
}

// The change of a rate can be negative: then the colour shows where it stands between the strongest fall and the strongest rise.
export function value_bounds(values: Iterable<number>, form: Form): { least: number; most: number } {
  let least = Infinity, most = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value) || (form !== "change" && value <= 0)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (form === "change") {
    const size = Math.max(Math.abs(least), Math.abs(most));
    return Number.isFinite(size) ? { least: -size, most: size } : { least: 0, most: 0 };
  }
  return Number.isFinite(most) ? { least, most } : { least: 0, most: 0 };
}
