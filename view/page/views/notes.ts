// The notes at times of the lanes: each is a button that moves the cursor there.
import { Context } from "../frame/context";
import { icon } from "../frame/icons";
import { el, replace } from "../dom";
import { visible } from "../names";
import { Note, notes_of, notes_text } from "../state/ruler";
import { number_text } from "../state/state";

export class Notes {
  readonly element = el("ul", { class: "notes", "aria-label": "Notes" });
  private shown = "";

  constructor(private readonly context: Context) {
    this.element.hidden = true;
  }

  update(): void {
    const text = this.context.state.more.notes ?? "";
    if (text === this.shown) return;
    this.shown = text;
    const notes = notes_of(this.context.state.more);
    this.element.hidden = notes.length === 0;
    replace(this.element, ...notes.map((note) => el("li", { class: "chip" },
      el("button", { class: "note", title: "Move the cursor there", onclick: () => this.go_to(note) }, `${number_text(note.at_s)} s: `, el("bdi", {}, visible(note.text))),
      el("button", { class: "quiet", "aria-label": `Remove the note “${visible(note.text)}”`, onclick: () => this.remove(note) }, icon("close")))));
  }

  private go_to({ at_s }: Note): void {
    const { context } = this;
    const { from_s, to_s } = context.range();
    context.store.change({ at_s });
    if (at_s < from_s || at_s > to_s) context.show({ from_s: at_s - (to_s - from_s) / 2, to_s: at_s + (to_s - from_s) / 2 });
    context.loop.wake();
  }

  private remove(note: Note): void {
    const rest = notes_of(this.context.state.more).filter(({ at_s, text }) => at_s !== note.at_s || text !== note.text);
    this.context.store.remember("notes", notes_text(rest));
  }
}
