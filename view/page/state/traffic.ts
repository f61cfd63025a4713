// The values of pairs and processes in a time range, from the answer `traffic`. Pure.
import { amount_bounds } from "../draw/colours";
import { bytes, short } from "../format";
import * as requests from "../source/requests";
import { Form, Quantity } from "./state";

export interface Pair {
  from: number;
  to: number;
  messages: number;
  bytes: number;
  value: number;  // as chosen
  activity: number;  // messages, where changes are shown also of the range before: a pair that has none is not shown
}

export interface ProcessLoad {
  cpu: number;  // cores
  waiting: number;  // fraction of the range
  queue: number;
  sent: number;
  received: number;
  activity: number;
}

export interface Traffic {
  pairs: Pair[];
  loads: Map<number, ProcessLoad>;
}

export function traffic_of(answer: requests.Traffic, quantity: Quantity, form: Form): Traffic {
  const { from, to, span_s } = answer;
  const span = Math.max(span_s, 1e-12);
  const loads = new Map<number, ProcessLoad>();
  for (let i = 0; i < answer.process.length; ++i) {
    const cpu = answer.cpu_s[i] / span;
    loads.set(answer.process[i], { cpu, waiting: answer.waiting_s[i] / span, queue: answer.queue[i], sent: 0, received: 0, activity: 0 });
  }
  const pairs: Pair[] = [];
  for (let i = 0; i < from.length; ++i) {
    const messages = answer.messages[i];
    const value = value_of(answer, i, quantity, form, loads.get(to[i])?.queue ?? NaN);
    const activity = messages + (form === "change" ? answer.before_messages[i] : 0);
    pairs.push({ from: from[i], to: to[i], messages, bytes: answer.bytes[i], value, activity });
    const [sender, receiver] = [load_of(loads, from[i]), load_of(loads, to[i])];
    sender.sent += messages;
    receiver.received += messages;
    sender.activity += activity;
    receiver.activity += activity;
  }
  return { pairs, loads };
}

// Of one pair. NaN: it is not known, which is not 0.
function value_of(answer: requests.Traffic, i: number, quantity: Quantity, form: Form, queue: number): number {
  const { span_s, before_span_s, messages, bytes: sent_bytes, before_messages, before_bytes } = answer;
  const span = Math.max(span_s, 1e-12);
  if (quantity === "queue") return form === "change" ? NaN : queue;
  if (quantity === "size") {
    const size = messages[i] > 0 ? sent_bytes[i] / messages[i] : NaN;
    return form !== "change" ? size : before_messages[i] > 0 ? (size - before_bytes[i] / before_messages[i]) / span : NaN;
  }
  const counts = answer[quantity], before = answer[`before_${quantity}`];
  if (form === "total") return counts[i];
  if (form === "rate") return counts[i] / span;
  return before_span_s > 0 ? (counts[i] / span - before[i] / before_span_s) / span : NaN;
}

// Ends that are not metered have messages only.
function load_of(loads: Map<number, ProcessLoad>, id: number): ProcessLoad {
  let load = loads.get(id);
  if (!load) loads.set(id, (load = { cpu: 0, waiting: 0, queue: NaN, sent: 0, received: 0, activity: 0 }));
  return load;
}

// Why there is no pair.
export function why_no_pairs(running: boolean): string {
  return running ? "No message in this range yet." : "There was no message in this range.";
}

// Why no change is known; empty: it is known.
export function why_no_change({ before_span_s }: requests.Traffic, form: Form, quantity: Quantity = "messages"): string {
  if (form === "change" && quantity === "queue") return "The change of a queue is not known: choose another quantity, or its history.";
  return form === "change" && before_span_s <= 0 ? "Nothing precedes the start of the run, so no change is known: choose a range that begins later." : "";
}

export function value_text(value: number, quantity: Quantity, form: Form): string {
  const text = quantity === "bytes" || quantity === "size" ? bytes(value) : short(value);
  const sign = form === "change" && value > 0 ? "+" : "";
  // A size and a length are the same in a second and in all.
  if (quantity === "size" || quantity === "queue") return sign + text + (form === "change" ? "/s" : "");
  return sign + text + (form === "rate" ? "/s" : form === "change" ? "/s²" : "");
}

// The change of a rate can be negative: then the colour shows where it stands between the strongest fall and the strongest rise.
export function value_bounds(values: Iterable<number>, form: Form): { least: number; most: number } {
  if (form !== "change") return amount_bounds(values);
  let size = 0;
  for (const value of values) if (Number.isFinite(value)) size = Math.max(size, Math.abs(value));
  return { least: size > 0 ? -size : 0, most: size };
}
