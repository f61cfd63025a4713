// A placement that a user is trying: which process on which machine, speeds, cores, delays, copies; with undo and redo. Pure.
import { MachineChange } from "../source/requests";

export interface Plan {
  machine_of: Record<string, string>;  // only what differs from the trace
  machines: Record<string, MachineChange>;
  delay_factor: number;
  replicas: Record<string, number>;
}

export const NO_PLAN: Plan = { machine_of: {}, machines: {}, delay_factor: 1, replicas: {} };

const STEPS_MAX = 200;

export class Plans {
  private past: Plan[] = [];
  private future: Plan[] = [];
  // Steps of one slider are one step of undo.
  private last_kind = "";

  constructor(public plan: Plan = NO_PLAN) {}

  change(plan: Plan, kind = ""): void {
    if (JSON.stringify(plan) === JSON.stringify(this.plan)) return;
    if (kind === "" || kind !== this.last_kind) this.past.push(this.plan);
    if (this.past.length > STEPS_MAX) this.past.shift();
    this.last_kind = kind;
    this.future = [];
    this.plan = plan;
  }

  end_step(): void {
    this.last_kind = "";
  }

  get can_undo(): boolean {
    return this.past.length > 0;
  }

  get can_redo(): boolean {
    return this.future.length > 0;
  }

  undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.future.push(this.plan);
    this.plan = before;
    this.last_kind = "";
  }

  redo(): void {
    const next = this.future.pop();
    if (!next) return;
    this.past.push(this.plan);
    this.plan = next;
    this.last_kind = "";
  }
}

export function moved(plan: Plan, process: string, machine: string, traced: string): Plan {
  const machine_of = { ...plan.machine_of };
  if (machine === traced) delete machine_of[process];
  else set_own(machine_of, process, machine);
  return { ...plan, machine_of };
}

export function with_machine(plan: Plan, machine: string, change: MachineChange, traced: { speed: number; cores: number }): Plan {
  const merged = { ...own(plan.machines, machine), ...change };
  if (merged.speed === traced.speed) delete merged.speed;
  if (merged.cores === traced.cores) delete merged.cores;
  const machines = { ...plan.machines };
  if (Object.keys(merged).length === 0) delete machines[machine];
  else set_own(machines, machine, merged);
  return { ...plan, machines };
}

export function with_replicas(plan: Plan, process: string, copies: number): Plan {
  const replicas = { ...plan.replicas };
  if (copies <= 1) delete replicas[process];
  else set_own(replicas, process, copies);
  return { ...plan, replicas };
}

// Names come from programs: one may be "__proto__", which an ordinary assignment takes for something else.
export function own<T>(record: Record<string, T>, name: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(record, name) ? record[name] : undefined;
}

export function set_own<T>(record: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

// For the address. What does not parse is no plan.
export function encode_plan(plan: Plan): string {
  return JSON.stringify(plan) === JSON.stringify(NO_PLAN) ? "" : JSON.stringify(plan);
}

export function decode_plan(text: string | undefined): Plan {
  if (!text) return NO_PLAN;
  try {
    const plan = JSON.parse(text);
    const record = (value: unknown) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}) as Record<string, any>;
    const delay = Number(plan.delay_factor);
    return { machine_of: record(plan.machine_of), machines: record(plan.machines), delay_factor: delay >= 0 ? delay : 1, replicas: record(plan.replicas) };
  } catch {
    return NO_PLAN;
  }
}
