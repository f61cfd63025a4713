// Machines as boxes with the processes that run on them. A process is dragged with the pointer, or moved with the arrow keys.
import { Context } from "../frame/context";
import { el, replace, set_attribute, set_text } from "../dom";
import { shown, visible } from "../names";
import { MachineChange, PlacedProcess, PlacementMachine } from "../source/requests";
import { own, Plan } from "../state/plan";

interface Actions {
  drop: (process: PlacedProcess, machine: string) => void;
  over: (process: PlacedProcess, machine: string | null) => void;
  change: (machine: PlacementMachine, change: MachineChange) => void;
  settle: () => void;
}

interface Drag {
  process: PlacedProcess;
  chip: HTMLElement;
  ghost: HTMLElement;
  x: number;
  y: number;
  started: boolean;
  over: string | null;
}

const START_PX = 5, CHIPS_MAX = 80;

export class Machines {
  readonly element = el("div", { class: "machines", role: "list", "aria-label": "Machines" });
  private machines: PlacementMachine[] = [];
  private processes: PlacedProcess[] = [];
  private plan: Plan | null = null;
  private boxes = new Map<string, HTMLElement>();
  private drag: Drag | null = null;
  private shape = "";
  private shown = "";
  private readonly moves = (event: PointerEvent) => this.move(event);
  private readonly ends = (event: PointerEvent) => this.end(event.type === "pointerup");

  constructor(private readonly context: Context, private readonly actions: Actions) {
    addEventListener("pointermove", this.moves);
    addEventListener("pointerup", this.ends);
    addEventListener("pointercancel", this.ends);
  }

  close(): void {
    removeEventListener("pointermove", this.moves);
    removeEventListener("pointerup", this.ends);
    removeEventListener("pointercancel", this.ends);
    this.drag?.ghost.remove();
  }

  show(machines: PlacementMachine[], processes: PlacedProcess[], plan: Plan): void {
    this.machines = machines;
    this.processes = processes;
    this.plan = plan;
    const key = JSON.stringify([machines, processes, plan, this.context.state.selected, this.context.world.processes.length]);
    if (key === this.shown || this.drag?.started) return;
    this.shown = key;
    const shape = JSON.stringify(machines);
    if (shape !== this.shape) {
      this.shape = shape;
      this.boxes = new Map(machines.map((machine) => [machine.name, this.box(machine)]));
      replace(this.element, ...this.boxes.values());
    }
    this.fill(plan);
  }

  private machine_of(process: PlacedProcess): string {
    return (this.plan && own(this.plan.machine_of, process.name)) ?? process.machine;
  }

  private fill(plan: Plan): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.process;
    const { selected } = this.context.state;
    for (const machine of this.machines) {
      const box = this.boxes.get(machine.name)!;
      const here = this.processes.filter((process) => this.machine_of(process) === machine.name);
      const chips = here.slice(0, CHIPS_MAX).map((process) => this.chip(process, plan, selected.includes(process.process)));
      replace(box.querySelector(".chips")!, ...chips, here.length > CHIPS_MAX && el("span", { class: "muted" }, `and ${here.length - CHIPS_MAX} more`));
      set_text(box.querySelector(".count")!, String(here.length));
      const changed = own(plan.machines, machine.name) ?? {};
      this.set_slider(box, "speed", changed.speed ?? machine.speed, `${changed.speed ?? machine.speed}×`, changed.speed !== undefined);
      this.set_slider(box, "cores", changed.cores ?? machine.cores, String(changed.cores ?? machine.cores), changed.cores !== undefined);
    }
    if (focused !== undefined) this.element.querySelector<HTMLElement>(`[data-process="${Number(focused)}"]`)?.focus();
  }

  private set_slider(box: HTMLElement, name: string, value: number, text: string, changed: boolean): void {
    const input = box.querySelector<HTMLInputElement>(`input[data-what="${name}"]`)!;
    if (document.activeElement !== input) input.value = String(value);
    const output = box.querySelector<HTMLElement>(`output[data-what="${name}"]`)!;
    set_text(output, text);
    output.classList.toggle("changed", changed);
  }

  private box(machine: PlacementMachine): HTMLElement {
    const slider = (what: "speed" | "cores", attributes: Record<string, string>, label: string) => {
      const input = el("input", { type: "range", "data-what": what, "aria-label": `${label} of ${visible(machine.name)}`, ...attributes });
      input.addEventListener("input", () => this.actions.change(machine, { [what]: Number(input.value) }));
      input.addEventListener("change", () => this.actions.settle());
      return el("label", { class: "slider" }, el("span", {}, label), input, el("output", { "data-what": what }));
    };
    return el("section", { class: "card machine-box" + (machine.accepts ? "" : " closed"), role: "listitem", "aria-label": `Machine ${visible(machine.name)}` },
      el("h2", {}, el("bdi", { title: visible(machine.name).slice(0, 300) }, shown(machine.name, 28)), el("span", { class: "count", title: "processes" })),
      !machine.accepts && el("p", { class: "muted small" }, "takes no other processes"),
      slider("speed", { min: "0.1", max: String(Math.max(8, machine.speed * 4)), step: "0.1" }, "speed"), slider("cores", { min: "1", max: String(Math.max(16, machine.cores * 2)), step: "1" }, "cores"),
      el("div", { class: "chips" }));
  }

  private chip(process: PlacedProcess, plan: Plan, selected: boolean): HTMLElement {
    const copies = own(plan.replicas, process.name) ?? 1;
    const was_moved = this.machine_of(process) !== process.machine;
    const name = shown(process.name, 30);
    const chip = el("button", {
      class: "chip process" + (selected ? " selected" : "") + (was_moved ? " moved" : "") + (process.fixed ? " fixed" : ""), "data-process": process.process, title: visible(process.name).slice(0, 300) + (was_moved ? `\nin the trace on ${shown(process.machine, 40)}` : ""),
      "aria-label": `${name} on ${shown(this.machine_of(process), 40)}${process.fixed ? ", cannot be moved" : ". Left and right arrow keys move it."}`, "aria-pressed": String(selected),
    }, el("bdi", { class: "name" }, name), copies > 1 ? el("span", { class: "copies" }, `×${copies}`) : null);
    chip.addEventListener("click", (event) => this.context.select([process.process], event.shiftKey));
    chip.addEventListener("keydown", (event) => this.key(event, process));
    if (!process.fixed) chip.addEventListener("pointerdown", (event) => this.begin(event, process, chip));
    return chip;
  }

  private key(event: KeyboardEvent, process: PlacedProcess): void {
    const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || process.fixed) return;
    event.preventDefault();
    event.stopPropagation();
    const open = this.machines.filter(({ accepts, name }) => accepts || name === process.machine);
    const at = open.findIndex(({ name }) => name === this.machine_of(process));
    const next = open[(at + step + open.length) % open.length];
    if (next) this.actions.drop(process, next.name);
  }

  private begin(event: PointerEvent, process: PlacedProcess, chip: HTMLElement): void {
    if (event.button !== 0) return;
    const ghost = chip.cloneNode(true) as HTMLElement;
    ghost.classList.add("ghost");
    set_attribute(ghost, "aria-hidden", "true");
    this.drag = { process, chip, ghost, x: event.clientX, y: event.clientY, started: false, over: null };
  }

  private move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    if (!drag.started) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < START_PX) return;
      drag.started = true;
      document.body.append(drag.ghost);
      drag.chip.classList.add("dragged");
      this.element.classList.add("dragging");
    }
    event.preventDefault();
    drag.ghost.style.transform = `translate(${event.clientX + 8}px, ${event.clientY + 8}px)`;
    const over = this.machine_at(event);
    if (over === drag.over) return;
    drag.over = over;
    for (const [name, box] of this.boxes) box.classList.toggle("over", name === over);
    this.actions.over(drag.process, over === this.machine_of(drag.process) ? null : over);
  }

  private machine_at(event: PointerEvent): string | null {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    for (const machine of this.machines) {
      if (this.boxes.get(machine.name)!.contains(under)) return machine.accepts || machine.name === this.drag?.process.machine ? machine.name : null;
    }
    return null;
  }

  private end(dropped: boolean): void {
    const { drag } = this;
    if (!drag) return;
    this.drag = null;
    if (!drag.started) return;
    drag.ghost.remove();
    drag.chip.classList.remove("dragged");
    this.element.classList.remove("dragging");
    for (const box of this.boxes.values()) box.classList.remove("over");
    // The click that follows a drag selects the process: so what was moved is selected.
    if (dropped && drag.over !== null && drag.over !== this.machine_of(drag.process)) this.actions.drop(drag.process, drag.over);
    else this.actions.over(drag.process, null);
  }
}
