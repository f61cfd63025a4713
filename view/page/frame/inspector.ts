// The strip of what is selected: in every view the same processes, arc and message, with the way to pin their history.
import { Context } from "./context";
import { el, replace } from "../dom";
import { icon } from "./icons";
import { process_pin, arc_pin } from "../state/pins";

const CHIPS_MAX = 12;

export class Inspector {
  readonly element = el("section", { class: "inspector", "aria-label": "Selection" });
  private shown = "";

  constructor(private readonly context: Context) {}

  update(): void {
    const { state, world } = this.context;
    const key = JSON.stringify([state.selected, state.arc, state.pins, world.processes.length, state.selected.map((id) => world.name(id))]);
    if (key === this.shown) return;
    this.shown = key;
    const { selected, arc } = state;
    this.element.hidden = selected.length === 0;
    if (selected.length === 0) return replace(this.element);
    const rest = selected.length - CHIPS_MAX;
    replace(this.element, el("span", { class: "label" }, "Selected"), ...selected.slice(0, CHIPS_MAX).map((id) => this.chip(id)),
      rest > 0 && el("span", { class: "label" }, `and ${rest} more`), arc && this.arc_chip(arc), selected.length === 1 && this.facts(selected[0]),
      el("button", { class: "quiet", title: "Select nothing (Esc)", "aria-label": "Select nothing", onclick: () => this.context.select([]) }, icon("close")));
  }

  private chip(id: number): HTMLElement {
    const { world, state } = this.context;
    const pin = process_pin("cpu", id);
    return el("span", { class: "chip" }, el("bdi", { class: "name", title: world.full_name(id).slice(0, 400) }, world.name(id, 36)),
      this.pin_button(pin, state.pins.includes(pin), `Pin the CPU history of ${world.name(id)}`),
      el("button", { "aria-label": `Select ${world.name(id)} no longer`, onclick: () => this.context.select([id], true) }, icon("close")));
  }

  private arc_chip([from, to]: [number, number]): HTMLElement {
    const { world, state } = this.context;
    const pin = arc_pin(state.quantity, from, to);
    return el("span", { class: "chip" }, el("span", { class: "name" }, el("bdi", {}, world.name(from, 18)), " → ", el("bdi", {}, world.name(to, 18))),
      this.pin_button(pin, state.pins.includes(pin), "Pin the history of this edge"));
  }

  private pin_button(pin: string, pinned: boolean, label: string): HTMLElement {
    return el("button", { "aria-label": label, title: label + " (P)", "aria-pressed": String(pinned), onclick: () => this.context.pin(pin) }, icon("pin"));
  }

  private facts(id: number): HTMLElement {
    const { world } = this.context;
    const process = world.process(id);
    if (!process) return el("span");
    const facts = [world.machine_name(process.machine, 24), process.program && world.group_of(id, "program"), process.pid ? `pid ${process.pid}` : "", process.cgroup && world.group_of(id, "container"),
      process.outside ? "stands for ends that are not metered" : ""].filter(Boolean);
    return el("bdi", { class: "facts" }, facts.join(" · ").slice(0, 200));
  }
}
