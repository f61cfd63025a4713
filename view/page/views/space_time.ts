// One lane for each process, with its work, its waits and its messages, from hours to microseconds. A click on a message shows what led
// to it and what follows from it. Lanes can be moved, pinned and hidden, and a ruler over them has the sums of what they did.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { REST_MS } from "../frame/pace";
import { BinPicture } from "../draw/bin_picture";
import { colours, theme_number } from "../draw/colours";
import { draw_inside, inside_text_at } from "../draw/inside_marks";
import { draw_lanes, Highlight, KINDS, LaneView, message_at, next_message, x_of, y_of } from "../draw/lanes";
import { Surface } from "../draw/surface";
import { draw_time_axis } from "../draw/time_axis";
import { TimeGestures } from "../draw/time_gestures";
import { vertical } from "../draw/time_plot";
import { el, focus_roving, replace, roving, set_attribute, set_text } from "../dom";
import { bytes, counted, seconds } from "../format";
import { asked_window } from "../layout/asked";
import { arranged_answer, LanePlaces, moved_lane, places_of, toggled, with_places } from "../layout/lane_order";
import { Answer, Parameters } from "../source/requests";
import { Feed } from "../state/feed";
import { notes_of, ruler_of } from "../state/ruler";
import { LaneTools } from "./lane_tools";
import { MessageCard } from "./message_card";
import { Notes } from "./notes";
import { Choices, missing } from "./parts";
import { RulerAxis } from "./ruler_axis";
import { RulerCard } from "./ruler_card";
import { OpenView, View } from "./view";

const ROWS_MAX = 64, LANE_MIN = 17, LANE_MAX = 38, AXIS = 26;

export const space_time: View = {
  id: "space-time", title: "Space-time", purpose: "What each process did when, and which messages it waited for",
  keys: [["wheel", "zoom around the pointer; with Shift: earlier and later"], ["W A S D", "zoom and move, as long as they are held"], ["←  →", "the message before or after, when the lanes have the focus"], ["Enter", "zoom to the selected message, its past and its future"],
    ["R", "lay a ruler, or remove it; also by dragging on the time axis, or by two clicks there"], ["Alt ↑  Alt ↓", "move the lane whose name has the focus"]],
  open: (context) => new SpaceTime(context),
};

class SpaceTime implements OpenView {
  readonly element: HTMLElement;
  private readonly feed: Feed<"spacetime">;
  private readonly mark_of_trace: AsOfMark;
  private readonly rows_choice: Choices<string>;
  private readonly labels = el("div", { class: "lane-labels", role: "listbox", "aria-label": "Processes", "aria-multiselectable": "true" });
  private readonly canvas_place = el("div", { class: "lanes", tabindex: "0", role: "application", "aria-label": "Lanes of the processes. Left and right arrow keys go from message to message." });
  // The part of them that is not scrolled out of sight: what cannot be seen is not drawn.
  private readonly in_sight = el("div", { class: "lanes-in-sight" });
  private readonly axis_place = el("div", { class: "lane-axis" });
  private readonly scroller: HTMLElement;
  private readonly lanes: Surface;
  private readonly axis: Surface;
  private readonly gestures: TimeGestures;
  private readonly caption = el("p", { class: "caption" });
  private readonly told = el("p", { class: "told", role: "status", "aria-live": "polite" });
  private readonly card: MessageCard;
  private readonly tools: LaneTools;
  private readonly notes: Notes;
  private readonly ruler_card: RulerCard;
  private readonly ruler_axis: RulerAxis;
  private given: Answer<"spacetime"> | null = null;  // with the lanes as they came
  private answer: Answer<"spacetime"> | null = null;  // as they are shown
  private arranged_by = "";
  private readonly bins = new BinPicture();
  private marks = 0;
  private lane = LANE_MAX;
  private hovered = -1;
  private shown_labels = "";

  constructor(private readonly context: Context) {
    this.rows_choice = new Choices("Processes", [{ value: "busiest", text: "the busiest" }, { value: "selected", text: "only selected" }], (value) => context.store.remember("rows", value));
    this.mark_of_trace = context.mark();
    this.card = new MessageCard(context, () => this.answer, () => this.mark());
    this.tools = new LaneTools(context, { move: (step) => this.move_selected(step), toggle: (list) => this.toggle_selected(list), show_all: () => this.place({ ...this.places(), hidden: [] }) });
    this.notes = new Notes(context);
    this.ruler_card = new RulerCard(context, () => this.answer);
    this.scroller = el("div", { class: "lane-scroller" }, el("div", { class: "lane-body" }, this.labels, this.canvas_place));
    this.element = el("div", { class: "space-time" }, el("div", { class: "toolbar" }, this.rows_choice.element, this.tools.element, el("button", { id: "ruler", title: "Lay a ruler over the lanes, or remove it (R)", onclick: () => this.ruler_card.toggle() }, "ruler"),
        legend(), this.mark_of_trace.element, this.told), this.card.element, this.ruler_card.element, this.notes.element,
      el("div", { class: "card lanes-card" }, el("div", { class: "lane-axis-row" }, el("div", { class: "lane-corner" }), this.axis_place), this.scroller), this.caption);
    roving(this.labels, "button");
    this.canvas_place.append(this.in_sight);
    this.scroller.addEventListener("scroll", () => context.loop.wake(), { passive: true });
    this.lanes = new Surface(this.in_sight, () => this.mark());
    this.axis = new Surface(this.axis_place, () => this.mark());
    this.ruler_axis = new RulerAxis(context, this.axis_place, () => this.axis.width, (text) => set_text(this.told, text));
    this.labels.addEventListener("keydown", (event) => this.label_keydown(event), { capture: true });
    this.gestures = new TimeGestures(context, {
      element: this.canvas_place, left: () => 0, right: () => this.lanes.width, drag: "move",
      on_click: (x, y) => this.click(x, y), on_move: (x, y) => this.point(x, y), on_leave: () => this.point(-1, -1),
    });
    this.canvas_place.addEventListener("keydown", (event) => this.keydown(event));
    this.feed = context.feed({
      request: "spacetime", parameters: () => this.asked(), each_ms: REST_MS, mark: this.mark_of_trace, on_answer: (answer) => this.take(answer),
      on_refusal: (sentence) => {
        this.given = this.answer = null;
        replace(this.caption, missing(sentence));
        this.mark();
      },
    });
    this.update();
  }

  update(): void {
    const { state } = this.context;
    this.rows_choice.show(state.more.rows || "busiest");
    this.card.update();
    this.arrange();
    this.tools.update(this.places());
    this.notes.update();
    this.ruler_card.update();
    this.show_labels();
    this.lanes.measure();  // paper has no scroll bars
    this.feed.poke();
    this.mark();
  }

  close(): void {
    this.feed.stop();
    this.card.close();
    this.ruler_card.close();
    this.lanes.close();
    this.axis.close();
  }

  key(event: KeyboardEvent): boolean {
    const is_plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key.toLowerCase() === "r" && is_plain) {
      this.ruler_card.toggle();
      return true;
    }
    if (event.key !== "Escape") return false;
    if (this.ruler_axis.cancel()) {
      this.mark();
      return true;
    }
    if (this.context.state.message === null) return false;
    this.context.store.change({ message: null });
    return true;
  }

  frame(): void {
    const view = this.view();
    const { more } = this.context.state;
    const range = [view.from_s, view.to_s, theme_number(), more.ruler, more.notes, this.ruler_axis.begun_s];
    this.ruler_axis.draw();
    this.draw_axis(view, range.join());
    this.draw(view, [...range, this.marks, this.scrolled(), this.context.hover_s, this.context.state.at_s, this.hovered, JSON.stringify(this.gestures.selecting)].join());
    // The range has moved without a change of the state while the program runs.
    if (this.context.live) this.feed.poke();
    if (this.context.clock.running) this.ruler_card.update();
  }

  private mark(): void {
    ++this.marks;
    this.context.loop.change();
  }

  private asked(): Parameters<"spacetime"> | null {
    if (!this.context.world.described || this.context.clock.known_s === 0) return null;
    const { from_s, to_s } = this.context.range();
    const { state } = this.context;
    const asked = asked_window(from_s, to_s, Math.max(200, this.lanes.width), this.context.source.single);
    const rows = state.more.rows === "selected" && state.selected.length > 0 ? { rows: state.selected.slice(0, ROWS_MAX) } : {};
    return { ...asked, ...rows, rows_max: ROWS_MAX };
  }

  private places(): LanePlaces {
    return places_of(this.context.state.more);
  }

  private place(places: LanePlaces): void {
    const { store, state } = this.context;
    store.change({ more: with_places(state.more, places) });
    this.context.loop.wake();
  }

  private move_selected(step: -1 | 1): void {
    const given = (this.given?.rows ?? []).map(({ process }) => process);
    const { selected } = this.context.state;
    const rows = (this.answer?.rows ?? []).map(({ process }) => process).filter((id) => selected.includes(id));
    // The first to move makes room for the others.
    for (const id of step < 0 ? rows : rows.reverse()) this.place(moved_lane(given, this.places(), id, step));
  }

  private toggle_selected(list: "pinned" | "hidden"): void {
    const places = this.places();
    this.place({ ...places, [list]: toggled(places[list], this.context.state.selected) });
  }

  private label_keydown(event: KeyboardEvent): void {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    const row = [...this.labels.children].indexOf(event.target as HTMLElement);
    if (step === 0 || !event.altKey || row < 0 || !this.answer) return;
    const id = this.answer.rows[row].process;
    this.place(moved_lane((this.given?.rows ?? []).map(({ process }) => process), this.places(), id, step));
    const now = this.answer.rows.findIndex(({ process }) => process === id);
    focus_roving([...this.labels.children] as HTMLElement[], this.labels.children[now] as HTMLElement);
    event.preventDefault();
    event.stopPropagation();
  }

  private arrange(): void {
    const by = JSON.stringify(this.places());
    if (by === this.arranged_by) return;
    this.arranged_by = by;
    if (this.given) this.take(this.given);
  }

  private take(given: Answer<"spacetime">): void {
    this.given = given;
    this.hovered = -1;
    const answer = (this.answer = arranged_answer(given, this.places()));
    const { exact, rows, rows_left_out, arcs_left_out } = answer;
    const hidden = this.places().hidden.length;
    set_text(this.caption, [
      exact ? "" : `The height of a bar is the share of time that a process worked, the pale part above it waited for messages. ${this.context.source.why_bins}`,
      rows_left_out > 0 ? `${counted(rows_left_out, "process", "processes")} with less to show left out: select some and choose “only selected”.` : "",
      arcs_left_out > 0 ? `${counted(arcs_left_out, "message")} left out, the shortest first.` : "",
      rows.length === 0 ? (given.rows.length > 0 ? "All lanes are hidden." : "No process did anything in this range.") : "",
      hidden > 0 ? `${counted(hidden, "lane")} hidden, with all messages of theirs.` : "",
    ].filter(Boolean).join(" "));
    this.show_labels();
    this.ruler_card.update();
    this.mark();
  }

  // As many as fit beside the name of the machine: the style sheet would cut off the end, in which names differ.
  private label_characters(machine: string): number {
    const room = (this.labels.clientWidth || 168) - 18;
    const beside = machine === "" ? 0 : Math.min(room * 0.4, machine.length * 6) + 6;
    return Math.max(6, Math.floor((room - beside) / 6.8));
  }

  private show_labels(): void {
    const rows = this.answer?.rows ?? [];
    const { world, state } = this.context;
    const room = Math.max(240, this.scroller.parentElement!.clientHeight - AXIS - 4 || innerHeight - 330);
    this.lane = Math.max(LANE_MIN, Math.min(LANE_MAX, Math.floor(room / Math.max(1, rows.length))));
    const { pinned } = this.places();
    const key = JSON.stringify([rows, pinned, state.selected, this.lane, this.labels.clientWidth, world.processes.length]);
    if (key === this.shown_labels) return;
    this.shown_labels = key;
    const focused = this.labels.contains(document.activeElement) ? [...this.labels.children].indexOf(document.activeElement!) : -1;
    replace(this.labels, ...rows.map(({ process, machine }, row) => {
      const first = row === 0 || rows[row - 1].machine !== machine;
      const label = el("button", { role: "option", tabindex: row === Math.max(0, focused) ? "0" : "-1", class: "lane-label" + (first ? " first" : "") + (pinned.includes(process) ? " pinned" : ""), "aria-selected": String(state.selected.includes(process)),
        title: `${world.full_name(process).slice(0, 300)} on ${world.machine_name(machine)}`, onclick: (event: MouseEvent) => this.context.select([process], event.shiftKey) },
      el("bdi", { class: "name" }, world.name(process, this.label_characters(first ? world.machine_name(machine, 16) : ""))), first ? el("bdi", { class: "machine" }, world.machine_name(machine, 16)) : null);
      label.style.height = this.lane + "px";
      return label;
    }));
    if (focused >= 0) (this.labels.children[Math.min(focused, rows.length - 1)] as HTMLElement | undefined)?.focus();
    this.canvas_place.style.height = this.height() + "px";
  }

  private height(): number {
    return Math.max(120, (this.answer?.rows.length ?? 0) * this.lane);
  }

  private scrolled(): number {
    return document.documentElement.dataset.paper === undefined ? this.scroller.scrollTop : 0;
  }

  private view(): LaneView {
    const { from_s, to_s } = this.context.range();
    return { from_s, to_s, width: this.lanes.width, lane: this.lane, top: 0, rows: this.answer?.rows.length ?? 0 };
  }

  private highlight(): Highlight {
    const { state } = this.context;
    const rows = this.answer?.rows ?? [];
    const row = (id: number) => rows.findIndex(({ process }) => process === id);
    const arc: [number, number] | null = state.arc ? [row(state.arc[0]), row(state.arc[1])] : null;
    return { message: state.message, past: this.card.past, future: this.card.future, selected: new Set(state.selected.map(row)), arc };
  }

  private draw_axis(view: LaneView, what: string): void {
    const drawing = this.axis.begin(what);
    if (!drawing) return;
    draw_time_axis(drawing, { left: 0, top: 0, right: this.axis.width, bottom: 1 }, view.from_s, view.to_s, colours(), false, -4);
    const box = { left: 0, top: 0, right: this.axis.width, bottom: AXIS };
    this.draw_ruler(drawing, view, box);
    for (const { at_s } of notes_of(this.context.state.more)) vertical(drawing, x_of(view, at_s), box, colours().warn, 3);
    const { begun_s } = this.ruler_axis;
    if (begun_s !== null) vertical(drawing, x_of(view, begun_s), box, colours().accent, 2);
  }

  private draw_ruler(drawing: CanvasRenderingContext2D, view: LaneView, box: { left: number; top: number; right: number; bottom: number }): void {
    const ruler = ruler_of(this.context.state.more);
    if (!ruler) return;
    const left = x_of(view, ruler.from_s), right = x_of(view, ruler.to_s);
    drawing.fillStyle = colours().accent;
    drawing.globalAlpha = 0.1;
    drawing.fillRect(left, box.top, right - left, box.bottom - box.top);
    drawing.globalAlpha = 1;
    for (const x of [left, right]) vertical(drawing, x, box, colours().accent, 1.5);
  }

  private draw(view: LaneView, what: string): void {
    const drawing = this.lanes.begin(what);
    if (!drawing) return;
    drawing.translate(0, -this.scrolled());
    const { answer } = this;
    const all = colours();
    if (!answer) return;
    const highlight = this.highlight();
    this.draw_ground(drawing, view, highlight);
    draw_lanes(drawing, answer, view, all, highlight, this.bins);
    draw_inside(drawing, answer, view, all);
    const box = { left: 0, top: 0, right: view.width, bottom: this.height() };
    this.draw_ruler(drawing, view, box);
    for (const { at_s } of notes_of(this.context.state.more)) vertical(drawing, x_of(view, at_s), box, all.warn, 1);
    const { begun_s } = this.ruler_axis;
    if (begun_s !== null) vertical(drawing, x_of(view, begun_s), box, all.accent, 1.5);
    const { hover_s } = this.context;
    if (hover_s !== null) vertical(drawing, x_of(view, hover_s), box, all.faint, 1);
    const { at_s } = this.context.state;
    if (at_s !== null) vertical(drawing, x_of(view, at_s), box, all.critical, 1.5);
    if (answer.exact && this.hovered >= 0 && this.hovered < answer.arc_from.length) {
      drawing.strokeStyle = all.ink;
      drawing.lineWidth = 2;
      drawing.beginPath();
      drawing.moveTo(x_of(view, answer.arc_sent[this.hovered]), y_of(view, answer.arc_from[this.hovered]));
      drawing.lineTo(x_of(view, answer.arc_received[this.hovered]), y_of(view, answer.arc_to[this.hovered]));
      drawing.stroke();
    }
    const { selecting } = this.gestures;
    if (selecting) {
      drawing.fillStyle = all.accent;
      drawing.globalAlpha = 0.15;
      drawing.fillRect(x_of(view, selecting.from_s), 0, x_of(view, selecting.to_s) - x_of(view, selecting.from_s), this.height());
      drawing.globalAlpha = 1;
    }
  }

  // Bands of machines, lines of rows, the part that is not recorded yet.
  private draw_ground(drawing: CanvasRenderingContext2D, view: LaneView, highlight: Highlight): void {
    const { rows } = this.answer!;
    let band = false;
    rows.forEach(({ machine }, row) => {
      if (row > 0 && rows[row - 1].machine !== machine) band = !band;
      const top = row * view.lane;
      if (band) {
        drawing.fillStyle = colours().soft;
        drawing.globalAlpha = 0.55;
        drawing.fillRect(0, top, view.width, view.lane);
        drawing.globalAlpha = 1;
      }
      if (highlight.selected.has(row)) {
        drawing.fillStyle = colours().select;
        drawing.globalAlpha = 0.13;
        drawing.fillRect(0, top, view.width, view.lane);
        drawing.globalAlpha = 1;
      }
      drawing.fillStyle = colours().soft;
      drawing.fillRect(0, Math.round(top + view.lane) - 1, view.width, 1);
    });
    const end = x_of(view, this.context.clock.known_s), begin = x_of(view, 0);
    drawing.fillStyle = colours().page;
    if (end < view.width) drawing.fillRect(end, 0, view.width - end, this.height());
    if (begin > 0) drawing.fillRect(0, 0, begin, this.height());
  }

  private point(x: number, y: number): void {
    if (!this.answer) return;
    const index = x < 0 ? -1 : message_at(this.answer, this.view(), x, y);
    const changed = index !== this.hovered;
    this.hovered = index;
    this.canvas_place.classList.toggle("over-message", index >= 0);
    if (changed || index < 0) set_text(this.told, index >= 0 ? this.message_text(this.answer, index) : x < 0 ? "" : this.lane_text(x, y));
  }

  private message_text(answer: Answer<"spacetime">, index: number): string {
    if (!answer.exact) return "";
    const { context } = this;
    const { arc_from, arc_to, arc_sent, arc_received, arc_bytes, rows, arc_kind } = answer;
    const names = `${context.world.name(rows[arc_from[index]].process, 24)} → ${context.world.name(rows[arc_to[index]].process, 24)}`;
    return `${names}: ${arc_kind[index] === 0 ? bytes(arc_bytes[index]) : arc_kind[index] === 1 ? "lets it go on" : "starts it"}, ${seconds(arc_received[index] - arc_sent[index])} from send to receive`;
  }

  private lane_text(x: number, y: number): string {
    const view = this.view();
    const row = Math.floor(y / view.lane);
    const { answer, context } = this;
    if (!answer || row < 0 || row >= answer.rows.length) return "";
    const name = context.world.name(answer.rows[row].process, 30);
    const time_s = view.from_s + (x / view.width) * (view.to_s - view.from_s);
    if (!answer.exact) return name;
    const inside = inside_text_at(answer, view, x, y);
    if (inside !== null) return `${name}: ${inside}`;
    const { seg_row, seg_from, seg_to, seg_kind } = answer;
    for (let i = 0; i < seg_row.length; ++i) {
      if (seg_row[i] === row && seg_from[i] <= time_s && seg_to[i] > time_s) {
        return `${name}: ${KINDS[seg_kind[i]][1]} for ${seconds(seg_to[i] - seg_from[i])}`;
      }
    }
    return name;
  }

  private click(x: number, y: number): void {
    if (!this.answer) return;
    const index = message_at(this.answer, this.view(), x, y);
    if (index >= 0) return this.choose(this.answer, index);
    const row = Math.floor(y / this.lane);
    const process = this.answer.rows[row]?.process;
    this.context.store.change({ message: null, selected: process === undefined ? this.context.state.selected : [process], arc: null });
    this.context.loop.wake();
  }

  private choose(answer: Answer<"spacetime">, index: number): void {
    if (!answer.exact) return;
    const { rows, arc_from, arc_to, arc_id } = answer;
    const [from, to] = [rows[arc_from[index]].process, rows[arc_to[index]].process];
    this.context.store.change({ message: arc_id[index], arc: [from, to], selected: [from, to] });
    set_text(this.told, this.message_text(answer, index));
  }

  private keydown(event: KeyboardEvent): void {
    if (!this.answer?.exact) return;
    if (event.key === "Enter") this.card.zoom();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const { from_s, to_s } = this.context.range();
      const index = next_message(this.answer, this.context.state.message, event.key === "ArrowRight" ? 1 : -1, from_s + (to_s - from_s) / 4);
      if (index < 0) return;
      this.choose(this.answer, index);
      const { arc_sent, arc_received } = this.answer;
      if (arc_received[index] > to_s || arc_sent[index] < from_s) this.context.show({ from_s: arc_sent[index] - (to_s - from_s) / 2, to_s: arc_sent[index] + (to_s - from_s) / 2 });
      set_attribute(this.canvas_place, "aria-description", this.told.textContent ?? "");
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function legend(): HTMLElement {
  const entry = (name: string, text: string) => el("span", { class: "entry" }, el("i", { class: "sign " + name }), text);
  return el("div", { class: "lane-legend" }, ...KINDS.map(([name, text]) => entry(name, text)), entry("message", "message"), entry("critical", "critical path"));
}
