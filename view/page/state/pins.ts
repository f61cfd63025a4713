// The series of a history as words of the address: "cpu:12", "queue:3", "messages:3-5" (an arc), "messages" (the whole run), "load:m0" (a
// machine). One plot is a list of them, with commas. Pure.

import { SeriesOf } from "../source/requests";
import { Quantity } from "./state";

export const PROCESS_SERIES = ["cpu", "waiting", "queue", "sent", "received", "sent_bytes", "received_bytes"] as const;
export type ProcessSeries = (typeof PROCESS_SERIES)[number];

export const MACHINE_SERIES = ["load", "memory", "swap", "faults", "swapped", "disk_read", "disk_written", "disk_busy"] as const;
export type MachineSeries = (typeof MACHINE_SERIES)[number];

export const SERIES_TITLES: Record<SeriesOf["what"], string> = {
  cpu: "CPU", waiting: "waiting for messages", queue: "queue", sent: "messages sent", received: "messages received", sent_bytes: "bytes sent",
  received_bytes: "bytes received", messages: "messages", bytes: "bytes", load: "load", memory: "memory used", swap: "swap used",
  faults: "page faults from disk", swapped: "swapped in and out", disk_read: "read from disks", disk_written: "written to disks", disk_busy: "disks busy",
};

export function process_pin(what: ProcessSeries, id: number): string {
  return `${what}:${id}`;
}

export function machine_pin(what: MachineSeries, machine: number): string {
  return `${what}:m${machine}`;
}

// The queue length of an arc is that of its receiver's queue. For the mean size, the history shows the bytes instead.
export function arc_pin(quantity: Quantity, from: number, to: number): string {
  if (quantity === "queue") return process_pin("queue", to);
  return `${quantity === "messages" ? "messages" : "bytes"}:${from}-${to}`;
}

// What does not parse is left out: pins come from an address.
export function parse_pin(pin: string): SeriesOf[] {
  return pin.split(",").map(parse_one).filter((one): one is SeriesOf => one !== null);
}

function parse_one(text: string): SeriesOf | null {
  const of_machine = /^([a-z_]+):m(\d+)$/.exec(text);
  if (of_machine) return is_machine_series(of_machine[1]) ? { what: of_machine[1], machine: Number(of_machine[2]) } : null;
  const match = /^([a-z_]+)(?::(\d+)(?:-(\d+))?)?$/.exec(text);
  if (!match || !Object.prototype.hasOwnProperty.call(SERIES_TITLES, match[1])) return null;
  const what = match[1] as SeriesOf["what"];
  const [, , first, second] = match;
  if (second !== undefined) return what === "messages" || what === "bytes" ? { what, from: Number(first), to: Number(second) } : null;
  if (first !== undefined) return (PROCESS_SERIES as readonly string[]).includes(what) ? { what, process: Number(first) } : null;
  return is_machine_series(what) ? null : { what };
}

function is_machine_series(what: string): what is MachineSeries {
  return (MACHINE_SERIES as readonly string[]).includes(what);
}

// Series can share a plot, and its scale, if they have the same unit.
export function unit_of(what: string): "fraction" | "bytes" | "memory" | "count" | "length" {
  if (what === "cpu" || what === "waiting" || what === "disk_busy") return "fraction";
  if (what === "memory" || what === "swap") return "memory";
  if (what === "load") return "length";
  if (what === "swapped" || what === "disk_read" || what === "disk_written") return "bytes";
  if (what.includes("bytes")) return "bytes";
  return what === "queue" ? "length" : "count";
}
