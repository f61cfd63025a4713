// Says beside numbers which version of the trace they are of, where that is not the whole of it. For tests and scripts, the element has the
// version as data.
import { el, set_attribute, set_text } from "../dom";
import { AsOf, Computing } from "../source/requests";
import { as_of_text, computing_text } from "../state/as_of";
import { Clock } from "../state/clock";

export class AsOfMark {
  readonly element = el("span", { class: "as-of", role: "note", hidden: true });
  private version: AsOf | null = null;
  private computing: number | null = null;

  constructor(private readonly clock: Clock) {}

  show(answer: { as_of: AsOf } & Partial<Computing>): void {
    this.computing = answer.computing ?? null;
    if (this.computing === null || this.version === null) this.version = this.computing === null ? answer.as_of : null;
    this.update();
  }

  // The run may have gone on.
  update(): void {
    const { version, computing } = this;
    const text = version ? as_of_text(version, this.clock.known_s, this.clock.running) : computing === null ? "" : computing_text(computing);
    set_text(this.element, text);
    this.element.hidden = text === "";
    set_attribute(this.element, "data-events", version ? String(version.events) : null);
    set_attribute(this.element, "data-state", version ? (version.is_final ? "final" : version.state) : null);
  }
}
