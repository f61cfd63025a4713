// Parts that several views have: a row of choices, a missing thing, a bar.
import { Context } from "../frame/context";
import { el, roving, set_attribute, set_text } from "../dom";
import { Form, Quantity } from "../state/state";
import { ramp } from "../draw/colours";

// What stands in the place of something that is not there: the reason, and what to do.
export function missing(sentence: string): HTMLElement {
  return el("p", { class: "missing", role: "note" }, sentence);
}

export interface Choice<T extends string> {
  value: T;
  text: string;
}

// Buttons of which one is pressed.
export class Choices<T extends string> {
  readonly element: HTMLElement;
  private readonly buttons = new Map<T, HTMLElement>();

  constructor(label: string, choices: Choice<T>[], chosen: (value: T) => void) {
    this.element = el("div", { class: "choices", role: "radiogroup", "aria-label": label });
    for (const { value, text } of choices) {
      const button = el("button", { role: "radio", "data-value": value, onclick: () => chosen(value) }, text);
      this.buttons.set(value, button);
      this.element.append(button);
    }
    roving(this.element, "button");
  }

  show(value: T): void {
    for (const [own, button] of this.buttons) {
      set_attribute(button, "aria-checked", String(own === value));
      button.tabIndex = own === value ? 0 : -1;
    }
  }
}

// Which value colours arcs and cells: messages or bytes; a second, in all, or how the rate changes.
export class ValueChoices {
  readonly element: HTMLElement;
  private readonly quantity: Choices<Quantity>;
  private readonly form: Choices<Form>;

  constructor(private readonly context: Context) {
    this.quantity = new Choices("Quantity", [{ value: "messages", text: "messages" }, { value: "bytes", text: "bytes" }, { value: "size", text: "mean size" }, { value: "queue", text: "queue" }], (quantity) => context.store.change({ quantity }));
    this.form = new Choices("Form", [{ value: "rate", text: "a second" }, { value: "total", text: "in all" }, { value: "change", text: "change" }], (form) => context.store.change({ form }));
    this.element = el("div", { class: "value-choices" }, this.quantity.element, this.form.element);
    this.update();
  }

  update(): void {
    this.quantity.show(this.context.state.quantity);
    this.form.show(this.context.state.form);
  }
}

// The ramp of colours with its least and most values.
export class Legend {
  readonly element = el("div", { class: "legend", role: "img" });
  private readonly low = el("span");
  private readonly high = el("span");
  private readonly ramp = el("canvas", { width: 120, height: 1 });
  private shown = "";

  constructor(private readonly context: Context) {
    this.element.append(this.low, this.ramp, this.high);
  }

  update(low: string, high: string, label: string): void {
    set_text(this.low, low);
    set_text(this.high, high);
    set_attribute(this.element, "aria-label", `${label}: colours from ${low} to ${high}`);
    const key = this.context.state.palette + ramp(0.3, this.context.state.palette);
    if (key === this.shown) return;
    this.shown = key;
    const drawing = this.ramp.getContext("2d")!;
    for (let x = 0; x < 120; ++x) {
      drawing.fillStyle = ramp(x / 119, this.context.state.palette);
      drawing.fillRect(x, 0, 1, 1);
    }
  }
}
