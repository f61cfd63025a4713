// Finds processes by a part of their name, program or machine.
import { Context } from "./context";
import { el, replace, set_attribute } from "../dom";

const FOUND_MAX = 8;

export class Search {
  readonly element: HTMLElement;
  private readonly input = el("input", { type: "search", class: "search", placeholder: "find a process", "aria-label": "Find a process", role: "combobox", "aria-expanded": "false", "aria-controls": "found", autocomplete: "off", spellcheck: "false" });
  private readonly list = el("ul", { class: "found", id: "found", role: "listbox", hidden: true });
  private found: number[] = [];
  private chosen = 0;

  constructor(private readonly context: Context) {
    this.element = el("div", { class: "search-box" }, this.input, this.list);
    this.input.addEventListener("input", () => this.look());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => setTimeout(() => this.hide(), 150));
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  private look(): void {
    const text = this.input.value.trim().toLowerCase();
    const { world } = this.context;
    this.found = text === "" ? [] : world.processes.filter((process) =>
      [process.name, process.program, world.machine_name(process.machine)].some((part) => part?.toLowerCase().includes(text))).slice(0, FOUND_MAX).map(({ id }) => id);
    this.chosen = 0;
    this.show();
  }

  private show(): void {
    const { world } = this.context;
    replace(this.list, ...this.found.map((id, index) => el("li", { role: "option", id: "found-" + index, "aria-selected": String(index === this.chosen), onpointerdown: () => this.take(id, false) },
      el("bdi", {}, world.name(id, 32)), el("bdi", { class: "muted" }, world.machine_name(world.process(id)?.machine, 16)))));
    this.list.hidden = this.found.length === 0;
    set_attribute(this.input, "aria-expanded", String(this.found.length > 0));
    set_attribute(this.input, "aria-activedescendant", this.found.length > 0 ? "found-" + this.chosen : null);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "ArrowDown") this.chosen = Math.min(this.found.length - 1, this.chosen + 1);
    else if (event.key === "ArrowUp") this.chosen = Math.max(0, this.chosen - 1);
    else if (event.key === "Enter" && this.found.length > 0) return this.take(this.found[this.chosen], event.shiftKey);
    else if (event.key === "Escape") return this.hide();
    else return;
    event.preventDefault();
    this.show();
  }

  private take(id: number, add: boolean): void {
    this.context.select([id], add);
    this.input.value = "";
    this.found = [];
    this.hide();
    this.input.blur();
  }

  private hide(): void {
    this.found = [];
    this.show();
  }
}
