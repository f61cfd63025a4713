// What the trace consists of: machines, processes and their names, from `describe`. It grows while a program runs.
import { shown, visible } from "../names";
import { Answer, Can, Description, Machine, Process, WhyNot } from "../source/requests";

export type Grouping = "none" | "program" | "machine" | "container";

export class World {
  title = "";
  source = "";
  state: Description["state"] = "recording";
  started: number | null = null;
  dpm = "";
  machines: Machine[] = [];
  processes: Process[] = [];
  common_time = true;
  can: Partial<Can> = {};
  why_not: WhyNot = {};
  read = 1;
  described = false;
  working: number | null = null;  // the share that is done of the analysis after the end
  private taken = "";
  private by_id = new Map<number, Process>();
  private machine_by_id = new Map<number, Machine>();

  // False: nothing is new but the time.
  take(answer: Answer<"describe">): boolean {
    this.working = answer.as_of.working ?? null;
    const text = JSON.stringify({ ...answer, now_s: null, version: null, as_of: null });
    if (text === this.taken) return false;
    this.taken = text;
    this.described = true;
    this.title = answer.title;
    this.source = answer.source;
    this.state = answer.state;
    this.started = answer.started;
    this.dpm = answer.dpm;
    this.machines = answer.machines;
    const all = answer.processes;
    // Threads are counted in their process.
    this.processes = all.filter(({ id, group }) => group === null || group === id);
    this.common_time = answer.common_time;
    this.can = answer.can;
    this.why_not = answer.why_not;
    this.read = answer.read;
    this.by_id = new Map(all.map((process) => [process.id, process]));
    this.machine_by_id = new Map(this.machines.map((machine) => [machine.id, machine]));
    return true;
  }

  process(id: number): Process | undefined {
    return this.by_id.get(id);
  }

  // The process, and its threads.
  threads_of(id: number): number[] {
    return [id, ...[...this.by_id.values()].filter(({ id: own, group }) => group === id && own !== id).map(({ id: own }) => own)];
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

  machine_name(id: number | null | undefined, characters?: number): string {
    const machine = id === undefined || id === null ? undefined : this.machine_by_id.get(id);
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
