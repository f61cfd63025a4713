// Who talks to whom, for up to a thousand processes: a cell for each pair, ordered so that clusters are blocks on the diagonal.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { REST_MS } from "../frame/pace";
import { theme_number } from "../draw/colours";
import { Cell, MatrixPicture, NO_CELL } from "../draw/matrix_picture";
import { Surface } from "../draw/surface";
import { el, replace, set_attribute, set_text } from "../dom";
import { bytes, counted, grouped } from "../format";
import { MatrixOrder, PROCESSES_MAX } from "../layout/matrix_order";
import { Traffic } from "../source/requests";
import { Feed } from "../state/feed";
import { Pair, traffic_of, value_text, why_no_change, why_no_pairs } from "../state/traffic";
import { Choices, Legend, missing, ValueChoices } from "./parts";
import { OpenView, View } from "./view";

export const matrix: View = {
  id: "matrix", title: "Matrix", purpose: "Who talks to whom, and which processes belong together",
  keys: [["arrows", "from cell to cell, when the matrix has the focus"], ["Enter", "select the pair"], ["+  -", "larger and smaller cells, when the matrix has the focus"]],
  open: (context) => new Matrix(context),
};

class Matrix implements OpenView {
  readonly element: HTMLElement;
  private readonly feed: Feed<"traffic">;
  private readonly mark_of_trace: AsOfMark;
  private readonly values: ValueChoices;
  private readonly legend: Legend;
  private readonly orders: Choices<string>;
  private readonly caption = el("p", { class: "caption" });
  private readonly told = el("p", { class: "told", role: "status", "aria-live": "polite" });
  private readonly place: HTMLElement;
  private readonly surface: Surface;
  private readonly order = new MatrixOrder();
  private readonly picture: MatrixPicture;
  private answer: Traffic | null = null;
  private marks = 0;
  private drag: { x: number; y: number; corner: { left: number; top: number }; moved: boolean } | null = null;

  constructor(private readonly context: Context) {
    this.mark_of_trace = context.mark();
    this.values = new ValueChoices(context);
    this.legend = new Legend(context);
    this.orders = new Choices("Order", [{ value: "clusters", text: "clusters" }, { value: "machine", text: "by machine" }, { value: "traffic", text: "by messages" }], (value) => context.store.remember("order", value));
    this.place = el("div", { class: "card matrix-place", tabindex: "0", role: "application", "aria-label": "Matrix: rows send, columns receive. Arrow keys move from cell to cell." });
    this.surface = new Surface(this.place, () => this.mark());
    this.picture = new MatrixPicture(context, this.surface, this.order);
    this.element = el("div", { class: "matrix" }, el("div", { class: "toolbar" }, this.values.element, this.orders.element, this.legend.element, this.mark_of_trace.element), this.told, this.place, this.caption);
    this.feed = context.feed({
      request: "traffic", parameters: () => (context.state.form === "total" ? { from_s: 0, to_s: context.asked_range().to_s } : { ...context.asked_range() }), each_ms: REST_MS, mark: this.mark_of_trace,
      on_answer: (answer) => ((this.answer = answer), this.take()), on_refusal: (sentence) => replace(this.caption, missing(sentence)),
    });
    this.place.addEventListener("pointermove", (event) => this.move(event));
    this.place.addEventListener("pointerdown", (event) => this.down(event));
    this.place.addEventListener("pointerup", (event) => this.up(event));
    this.place.addEventListener("pointerleave", () => !this.drag && this.point(NO_CELL));
    this.place.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.place.addEventListener("keydown", (event) => this.keydown(event));
  }

  update(): void {
    this.values.update();
    this.orders.show(this.context.state.more.order || "clusters");
    this.feed.poke();
    if (this.answer) this.take();
  }

  close(): void {
    this.feed.stop();
    this.surface.close();
  }

  frame(): void {
    this.picture.draw([this.marks, theme_number()].join());
  }

  private mark(): void {
    ++this.marks;
    this.context.loop.change();
  }

  private take(): void {
    const { state, world } = this.context;
    if (!this.answer || !world.described) return;
    const { pairs, loads } = traffic_of(this.answer, state.quantity, state.form);
    if (this.order.follow(pairs, state.more.order || "clusters", (id) => world.process(id)?.machine ?? -1)) this.picture.cell = NO_CELL;
    const { least, most } = this.picture.take(pairs, loads);
    const unknown = why_no_change(this.answer, state.form, state.quantity);
    this.legend.element.hidden = unknown !== "";
    this.legend.update(value_text(least, state.quantity, state.form), value_text(most, state.quantity, state.form), "Cells");
    this.write_caption(pairs, unknown);
    this.mark();
  }

  private write_caption(pairs: Pair[], unknown: string): void {
    const { state, world, clock } = this.context;
    const left = world.processes.length - this.order.ids.length, { outside } = this.picture;
    this.place.hidden = this.order.ids.length === 0;
    if (pairs.length === 0) return replace(this.caption, missing(why_no_pairs(clock.running)));
    const how = { machine: "Processes of one machine stand together.", traffic: "The processes with most messages stand first." }[state.more.order ?? ""] ?? "Processes that exchange many messages stand together.";
    set_text(this.caption, [unknown, "A row sends, a column receives. A name has the colour of its process's share of the computation's CPU time, as in Hot spots.", how,
      left > 0 ? `${counted(left, "process", "processes")} without messages here, or with fewer than the ${grouped(PROCESSES_MAX)} shown, left out.` : "", outside > 0 ? `${counted(outside, "pair")} of these not shown.` : ""].filter(Boolean).join(" "));
  }

  private cell_of(event: MouseEvent): Cell {
    const box = this.place.getBoundingClientRect();
    return this.picture.cell_at(event.clientX - box.left, event.clientY - box.top);
  }

  private move(event: PointerEvent): void {
    if (!this.drag) return this.point(this.cell_of(event));
    const dx = event.clientX - this.drag.x, dy = event.clientY - this.drag.y;
    if (Math.abs(dx) + Math.abs(dy) > 5) this.drag.moved = true;
    this.picture.move(this.drag.corner, dx, dy);
    this.mark();
  }

  private point(cell: Cell): void {
    const { row, column } = this.picture.cell;
    if (row === cell.row && column === cell.column) return;
    this.picture.cell = cell;
    set_text(this.told, cell.row < 0 ? "" : this.tell(cell));
    this.mark();
  }

  private tell({ row, column }: Cell): string {
    const { world, state } = this.context;
    const pair = this.picture.pair(row, column);
    const names = `${world.name(this.order.ids[row], 48)} → ${world.name(this.order.ids[column], 48)}: `;
    if (!pair || pair.activity === 0) return names + "no message";
    return names + `${counted(pair.messages, "message")}, ${bytes(pair.bytes)}` + (Number.isFinite(pair.value) && state.form !== "total" ? ` (${value_text(pair.value, state.quantity, state.form)})` : "");
  }

  private choose({ row, column }: Cell): void {
    this.context.select_arc(this.order.ids[row], this.order.ids[column]);
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.place.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, corner: this.picture.corner, moved: false };
  }

  private up(event: PointerEvent): void {
    const moved = this.drag?.moved;
    this.drag = null;
    const cell = this.cell_of(event);
    if (!moved && cell.row >= 0) this.choose(cell);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom_at(Math.pow(2, -Math.max(-200, Math.min(200, event.deltaY)) / 200), this.cell_of(event));
  }

  private zoom_at(factor: number, cell: Cell): void {
    this.picture.zoom_at(factor, cell);
    this.mark();
  }

  private keydown(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    const n = this.order.ids.length;
    const { cell } = this.picture;
    if (n === 0) return;
    if (step) {
      const clamp = (value: number) => Math.max(0, Math.min(n - 1, value));
      this.point({ row: clamp(cell.row + step[0]), column: clamp(cell.column + step[1]) });
      this.picture.reveal(this.picture.cell);
    } else if (event.key === "Enter" && cell.row >= 0) this.choose(cell);
    else if (event.key === "+" || event.key === "-") this.zoom_at(event.key === "+" ? 1.4 : 0.7, cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
    set_attribute(this.place, "aria-description", this.told.textContent ?? "");
  }
}
