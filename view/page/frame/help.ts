// The overlay that lists the keys.
import { el, replace } from "../dom";
import { View } from "../views/view";

const EVERYWHERE: [string, string][] = [
  ["1 … 8", "open a view"], ["?", "this list"], ["/", "find a process"], ["W  S", "zoom in, zoom out"], ["A  D", "earlier, later"], ["0", "the whole run"],
  ["F", "follow the present, or stop"], ["Space", "play or pause a replay"], [",  .", "event before, event after (of the selected process)"], ["Home", "replay from the beginning"],
  ["P", "pin the history of the selection"], ["Esc", "select nothing, close"], ["T", "light or dark"], ["C", "other colours for values"],
  ["Ctrl Z  Ctrl Y", "undo and redo (placement)"], ["Tab  arrows", "move the focus; Enter opens and selects; Shift Enter adds"],
];

export class Help {
  readonly element = el("div", { class: "help", hidden: true, role: "dialog", "aria-modal": "true", "aria-label": "Keys" });
  private before: Element | null = null;

  constructor(private readonly view: () => View) {
    this.element.addEventListener("click", (event) => event.target === this.element && this.close());
  }

  get is_open(): boolean {
    return !this.element.hidden;
  }

  toggle(): void {
    if (this.is_open) return this.close();
    this.before = document.activeElement;
    const view = this.view();
    const close = el("button", { onclick: () => this.close() }, "Close");
    replace(this.element, el("div", { class: "sheet" }, el("h2", {}, "Keys"), list(EVERYWHERE),
      view.keys && el("h2", {}, view.title), view.keys && list(view.keys),
      el("p", { class: "muted" }, "With the pointer: drag in a plot to zoom to a range; the wheel zooms in the space-time view, and with Ctrl in every plot; a double click shows the whole run. The address of the page always shows what you see: mail it, and others see the same."), close));
    this.element.hidden = false;
    close.focus();
  }

  close(): void {
    this.element.hidden = true;
    if (this.before instanceof HTMLElement) this.before.focus();
  }
}

function list(keys: [string, string][]): HTMLElement {
  return el("dl", {}, ...keys.map(([key, does]) => el("div", {}, el("dt", {}, ...key.split("  ").map((one) => el("kbd", {}, one))), el("dd", {}, does))));
}
