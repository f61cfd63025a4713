// What the trace consists of: machines, processes and their names, from `describe`. It grows while a program runs.
import { shown, visible } from "../names";

export interface Process {
  id: number;
  name: string;
  program: string;
  machine: number;
  pid: number;
  group: number | null;
  cgroup: string;
  in_computation: boolean;
  outside: boolean;
}

export interface Machine {
  id: number;
  name: string;
  speed: number;
  cores: number;
  accepts: boolean;
}

export type Grouping = "none" | "program" | "machine" | "container";

export class World {
  title = "";
  source = "";
  state = "recording";
  started: number | null = null;
  dpm = "";
  machines: Machine[] = [];
  processes: Process[] = [];
  common_time = true;
  can: Record<string, boolean> = {};
  why_not: Record<string, string> = {};
  read = 1;
  described = false;
  private taken = "";
  private by_id = new Map<number, Process>();
  private machine_by_id = new Map<number, Machine>();

  // False: nothing is new but the time.
  take(answer: Record<string, any>): boolean {
    const text = JSON.stringify({ ...answer, now_s: null, version: null });
    if (text === this.taken) return false;
    this.taken = text;
    this.described = true;
    this.title = answer.title ?? "";
    this.source = answer.source ?? "";
    this.state = answer.state ?? "ended";
    this.started = answer.started ?? null;
    this.dpm = answer.dpm ?? "";
    this.machines = answer.machines ?? [];
    const all: Process[] = answer.processes ?? [];
    // Threads are counted in their process.
    this.processes = all.filter(({ id, group }) => group === null || group === undefined || group === id);
    this.common_time = answer.common_time ?? true;
    this.can = answer.can ?? {};
    this.why_not = answer.why_not ?? {};
    this.read = answer.read ?? 1;
    this.by_id = new Map(all.map((process) => [process.id, process]));
    this.machine_by_id = new Map(this.machines.map((machine) => [machine.id, machine]));
    return true;
  }

  process(id: number): Process | undefined {
    return this.by_id.get(id);
  }

  // For a label.
  name(id: number, characters?: number): string {
    const process = this.by_id.get(id);
    return process ? shown(process.name, characters) : `process ${id}`;
  }

  full_name(id: number): string {
    const process = this.by_id.get(id);
    return process ? visible(process.name) : `process ${id}`;
  }

  machine_name(id: number | undefined, characters?: number): string {
    const machine = id === undefined ? undefined : this.machine_by_id.get(id);
    return machine ? shown(machine.name, characters) : "unknown machine";
  }

  // Why queues may have no length.
  why_no_queue(running: boolean): string {
    return this.why_not.live_queues ?? (running ? "Queues are known when the program has ended." : "Not known: see Queues & paths.");
  }

  id_of(name: string): number | null {
    return this.processes.find((process) => process.name === name)?.id ?? null;
  }

  group_of(id: number, grouping: Grouping): string {
    const process = this.by_id.get(id);
    if (!process || grouping === "none") return "";
    if (process.outside) return "outside";
    if (grouping === "machine") return this.machine_name(process.machine);
    if (grouping === "container") return process.cgroup ? visible(process.cgroup) : "no container";
    return process.program ? visible(process.program.split("/").pop()!) : this.name(id);
  }
}
