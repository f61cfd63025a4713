// The buttons that move, pin and hide the selected lanes.
import { Context } from "../frame/context";
import { el, roving, set_attribute, set_text } from "../dom";
import { counted } from "../format";
import { LanePlaces } from "../layout/lane_order";

export interface LaneActions {
  move: (step: -1 | 1) => void;
  toggle: (list: "pinned" | "hidden") => void;
  show_all: () => void;
}

export class LaneTools {
  readonly element = el("div", { class: "lane-tools", role: "toolbar", "aria-label": "Selected lanes" });
  private readonly of_selected: HTMLButtonElement[];
  private readonly pin: HTMLButtonElement;
  private readonly all: HTMLButtonElement;

  constructor(private readonly context: Context, actions: LaneActions) {
    const button = (text: string, title: string, onclick: () => void) => el("button", { title, onclick }, text);
    this.pin = button("pin", "Keep the selected lanes at the top, or no longer", () => actions.toggle("pinned"));
    this.of_selected = [button("up", "Move the selected lanes up (Alt ↑ on a name)", () => actions.move(-1)), button("down", "Move the selected lanes down (Alt ↓ on a name)", () => actions.move(1)),
      this.pin, button("hide", "Hide the selected lanes", () => actions.toggle("hidden"))];
    this.all = button("show all", "Show the hidden lanes", () => actions.show_all());
    this.element.append(...this.of_selected, this.all);
    roving(this.element, "button");
  }

  update({ pinned, hidden }: LanePlaces): void {
    const { selected } = this.context.state;
    for (const button of this.of_selected) button.disabled = selected.length === 0;
    set_attribute(this.pin, "aria-pressed", String(selected.length > 0 && selected.every((id) => pinned.includes(id))));
    this.all.hidden = hidden.length === 0;
    set_text(this.all, `show ${counted(hidden.length, "hidden lane")}`);
    this.keep_one_in_order();
  }

  // One button that can be used is in the order of Tab.
  private keep_one_in_order(): void {
    const buttons = [...this.of_selected, this.all].filter((button) => !button.disabled && !button.hidden);
    const current = buttons.find((button) => button.tabIndex === 0) ?? buttons[0];
    for (const button of [...this.of_selected, this.all]) button.tabIndex = button === current ? 0 : -1;
  }
}
