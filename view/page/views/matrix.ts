// Who talks to whom, for up to a thousand processes: a cell for each pair, ordered so that clusters are blocks on the diagonal.
import { Context } from "../frame/context";
import { colours, ramp, ramp_bytes, share_of } from "../draw/colours";
import { fitted, FONT, Surface, text_width } from "../draw/surface";
import { el, replace, set_attribute, set_text } from "../dom";
import { bytes, counted, grouped } from "../format";
import { clustered_order } from "../layout/order";
import { Answer } from "../source/source";
import { Feed } from "../state/feed";
import { Pair, traffic_of, value_bounds, value_text } from "../state/traffic";
import { Choices, Legend, missing, ValueChoices } from "./parts";
import { OpenView, View } from "./view";

const PROCESSES_MAX = 1000, LABEL_MIN_PX = 11, CELL_MAX_PX = 34, TEXT_MIN_PX = 30, DOT_PX = 2.2;

export const matrix: View = {
  id: "matrix", title: "Matrix", purpose: "Who talks to whom, and which processes belong together",
  keys: [["arrows", "from cell to cell, when the matrix has the focus"], ["Enter", "select the pair"], ["+  -", "larger and smaller cells, when the matrix has the focus"]],
  open: (context) => new Matrix(context),
};

class Matrix implements OpenView {
  readonly element: HTMLElement;
  private readonly feed: Feed;
  private readonly values: ValueChoices;
  private readonly legend: Legend;
  private readonly orders: Choices<string>;
  private readonly caption = el("p", { class: "caption" });
  private readonly told = el("p", { class: "told", role: "status", "aria-live": "polite" });
  private readonly place: HTMLElement;
  private readonly surface: Surface;
  private answer: Answer | null = null;
  private order: number[] = [];
  private order_key = "";
  private at = new Map<number, number>();
  private cells = new Map<number, Pair>();
  private shades = new Map<number, number[]>();  // cells by colour
  private picture: HTMLCanvasElement | null = null;
  private dirty = true;
  private cell = { row: -1, column: -1 };
  private longest = 60;  // of the names, in pixels
  private zoom = 1;
  private left = 0;  // of the part that is shown, in cells
  private top = 0;
  private drag: { x: number; y: number; left: number; top: number; moved: boolean } | null = null;

  constructor(private readonly context: Context) {
    this.values = new ValueChoices(context);
    this.legend = new Legend(context);
    this.orders = new Choices("Order", [{ value: "clusters", text: "clusters" }, { value: "machine", text: "by machine" }, { value: "traffic", text: "by messages" }], (value) => context.store.remember("order", value));
    this.place = el("div", { class: "card matrix-place", tabindex: "0", role: "application", "aria-label": "Matrix: rows send, columns receive. Arrow keys move from cell to cell." });
    this.surface = new Surface(this.place, () => this.mark());
    this.element = el("div", { class: "matrix" }, el("div", { class: "toolbar" }, this.values.element, this.orders.element, this.legend.element), this.told, this.place, this.caption);
    this.feed = context.feed({
      request: "traffic", parameters: () => (context.state.form === "total" ? { from_s: 0, to_s: context.asked_range().to_s } : { ...context.asked_range() }), each_ms: 150,
      on_answer: (answer) => ((this.answer = answer), this.take()), on_refusal: (sentence) => replace(this.caption, missing(sentence)),
    });
    this.place.addEventListener("pointermove", (event) => this.move(event));
    this.place.addEventListener("pointerdown", (event) => this.down(event));
    this.place.addEventListener("pointerup", (event) => this.up(event));
    this.place.addEventListener("pointerleave", () => !this.drag && this.point(-1, -1));
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
    if (!this.dirty) return;
    this.dirty = false;
    const drawing = this.surface.begin();
    if (!drawing || !this.picture) return;
    this.longest = Math.min(160, Math.max(0, ...this.order.slice(0, 400).map((id) => text_width(drawing, this.context.world.name(id, 24)))));
    this.draw(drawing);
  }

  private mark(): void {
    this.dirty = true;
    this.context.loop.wake(50);
  }

  private take(): void {
    const { state, world } = this.context;
    if (!this.answer || !world.described) return;
    const { pairs } = traffic_of(this.answer, state.quantity, state.form);
    this.set_order(pairs);
    const n = this.order.length;
    const { least, most } = value_bounds(pairs.map(({ value }) => value), state.form);
    const image = new ImageData(Math.max(1, n), Math.max(1, n));
    const bytes_of = ramp_bytes(state.palette);
    this.shades = new Map();
    this.cells = new Map();
    let outside = 0;
    for (const pair of pairs) {
      const row = this.at.get(pair.from), column = this.at.get(pair.to);
      if (row === undefined || column === undefined) {
        ++outside;
        continue;
      }
      this.cells.set(row * n + column, pair);
      if (!Number.isFinite(pair.value) || pair.messages === 0) continue;
      const shade = Math.round(share_of(pair.value, least, most) * 255) * 4;
      image.data.set(bytes_of.subarray(shade, shade + 4), (row * n + column) * 4);
      const keys = this.shades.get(shade / 4);
      if (keys) keys.push(row * n + column);
      else this.shades.set(shade / 4, [row * n + column]);
    }
    const picture = this.picture ?? document.createElement("canvas");
    picture.width = picture.height = Math.max(1, n);
    picture.getContext("2d")!.putImageData(image, 0, 0);
    this.picture = picture;
    this.legend.update(value_text(least, state.quantity, state.form), value_text(most, state.quantity, state.form), "Cells");
    const left = world.processes.length - n;
    set_text(this.caption, "A row sends, a column receives. " + (state.more.order === "machine" ? "Processes of one machine stand together." : state.more.order === "traffic" ? "The processes with most messages stand first." : "Processes that exchange many messages stand together.") +
      (left > 0 ? ` ${counted(left, "process", "processes")} without messages here, or with fewer than the ${grouped(PROCESSES_MAX)} shown, left out.` : "") + (outside > 0 ? ` ${counted(outside, "pair")} of these not shown.` : ""));
    this.mark();
  }

  // The order of clusters follows the messages, but not each little change of them: then rows would jump.
  private set_order(pairs: Pair[]): void {
    const { state, world } = this.context;
    const how = state.more.order || "clusters";
    const messages = new Map<number, number>();
    for (const { from, to, messages: count } of pairs) {
      messages.set(from, (messages.get(from) ?? 0) + count);
      messages.set(to, (messages.get(to) ?? 0) + count);
    }
    const active = [...messages].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, PROCESSES_MAX).map(([id]) => id);
    const known = this.order_key === how && active.every((id) => this.at.has(id)) && this.order.length < active.length * 1.3 + 4;
    if (known) return;
    this.order_key = how;
    const ids = [...active].sort((a, b) => a - b);
    if (how === "machine") this.order = ids.sort((a, b) => (world.process(a)?.machine ?? -1) - (world.process(b)?.machine ?? -1) || a - b);
    else if (how === "traffic") this.order = active;
    else {
      const place = new Map(ids.map((id, index) => [id, index]));
      const links = pairs.filter(({ from, to }) => place.has(from) && place.has(to)).map(({ from, to, messages: weight }) => ({ a: place.get(from)!, b: place.get(to)!, weight }));
      this.order = clustered_order(ids.length, links).map((index) => ids[index]);
    }
    this.at = new Map(this.order.map((id, index) => [id, index]));
    this.cell = { row: -1, column: -1 };
  }

  // Where the cells are: the largest that fit, larger when zoomed.
  private geometry() {
    const { width, height } = this.surface;
    const n = Math.max(1, this.order.length);
    const labels = Math.max(34, Math.min(this.longest + 14, width * 0.24, height * 0.3));
    const fit = Math.min((width - labels - 12) / n, (height - labels - 12) / n, CELL_MAX_PX);
    const size = Math.min(Math.max(fit * this.zoom, fit), Math.max(CELL_MAX_PX, fit));
    const columns = Math.min(n, (width - labels - 12) / size), rows = Math.min(n, (height - labels - 12) / size);
    this.left = Math.max(0, Math.min(this.left, n - columns));
    this.top = Math.max(0, Math.min(this.top, n - rows));
    const x0 = labels + Math.max(0, (width - labels - 12 - columns * size) / 2 - labels / 2);
    return { n, labels, size, columns, rows, x0, x: (column: number) => x0 + (column - this.left) * size, y: (row: number) => labels + (row - this.top) * size };
  }

  private draw(drawing: CanvasRenderingContext2D): void {
    const g = this.geometry();
    const right = g.x0 + g.columns * g.size, bottom = g.labels + g.rows * g.size;
    drawing.fillStyle = colours().soft;
    drawing.fillRect(g.x0, g.labels, right - g.x0, bottom - g.labels);
    if (g.size < DOT_PX) return this.draw_dots(drawing, g, right, bottom);
    drawing.imageSmoothingEnabled = false;
    drawing.drawImage(this.picture!, this.left, this.top, g.columns, g.rows, g.x0, g.labels, right - g.x0, bottom - g.labels);
    if (g.size > 7) this.draw_lines(drawing, g, right, bottom);
    this.draw_over(drawing, g, right, bottom);
  }

  // Cells smaller than a dot that can be seen are drawn as dots.
  private draw_dots(drawing: CanvasRenderingContext2D, g: ReturnType<Matrix["geometry"]>, right: number, bottom: number): void {
    for (const [shade, keys] of this.shades) {
      drawing.fillStyle = ramp(shade / 255, this.context.state.palette);
      for (const key of keys) {
        const x = g.x(key % g.n), y = g.y(Math.floor(key / g.n));
        if (x >= g.x0 && y >= g.labels && x < right && y < bottom) drawing.fillRect(x, y, DOT_PX, DOT_PX);
      }
    }
    this.draw_over(drawing, g, right, bottom);
  }

  private draw_over(drawing: CanvasRenderingContext2D, g: ReturnType<Matrix["geometry"]>, right: number, bottom: number): void {
    this.draw_labels(drawing, g);
    if (g.size >= TEXT_MIN_PX) this.draw_values(drawing, g);
    this.draw_marks(drawing, g, right, bottom);
  }

  private draw_lines(drawing: CanvasRenderingContext2D, g: ReturnType<Matrix["geometry"]>, right: number, bottom: number): void {
    drawing.strokeStyle = colours().card;
    drawing.lineWidth = 1;
    drawing.beginPath();
    for (let i = Math.ceil(this.left); i <= this.left + g.columns; ++i) {
      drawing.moveTo(Math.round(g.x(i)) + 0.5, g.labels);
      drawing.lineTo(Math.round(g.x(i)) + 0.5, bottom);
    }
    for (let i = Math.ceil(this.top); i <= this.top + g.rows; ++i) {
      drawing.moveTo(g.x0, Math.round(g.y(i)) + 0.5);
      drawing.lineTo(right, Math.round(g.y(i)) + 0.5);
    }
    drawing.stroke();
  }

  // Every name where there is room for it; with smaller cells every second, fifth..., and always those that are selected.
  private draw_labels(drawing: CanvasRenderingContext2D, g: ReturnType<Matrix["geometry"]>): void {
    const { world, state } = this.context;
    const each = Math.max(1, Math.ceil(LABEL_MIN_PX / g.size));
    drawing.font = g.size < 13 ? FONT.replace("12px", "10px") : FONT;
    drawing.textBaseline = "middle";
    const label = (index: number, column: boolean) => {
      const id = this.order[index];
      const strong = state.selected.includes(id) || index === (column ? this.cell.column : this.cell.row);
      if (index % each !== 0 && !strong) return;
      drawing.fillStyle = strong ? colours().ink : colours().muted;
      const text = fitted(drawing, world.name(id, 40), g.labels - 10);
      const place = (column ? g.x(index) : g.y(index)) + g.size / 2;
      drawing.save();
      if (column) {
        drawing.translate(place, g.labels - 6);
        drawing.rotate(-Math.PI / 2);
        drawing.textAlign = "left";
      } else {
        drawing.translate(g.x0 - 6, place);
        drawing.textAlign = "right";
      }
      if (strong) {
        const width = text_width(drawing, text);
        drawing.fillStyle = colours().card;
        drawing.fillRect(column ? -1 : -width - 1, -7, width + 2, 14);
        drawing.fillStyle = colours().select;
      }
      drawing.fillText(text, 0, 0);
      drawing.restore();
    };
    for (const strong of [false, true]) {
      for (let i = Math.floor(this.top); i < Math.min(g.n, this.top + g.rows); ++i) if (g.y(i) > g.labels - g.size / 2 && strong === this.is_strong(i, false)) label(i, false);
      for (let i = Math.floor(this.left); i < Math.min(g.n, this.left + g.columns); ++i) if (g.x(i) > g.x0 - g.size / 2 && strong === this.is_strong(i, true)) label(i, true);
    }
    drawing.font = FONT;
  }

  private is_strong(index: number, column: boolean): boolean {
    return this.context.state.selected.includes(this.order[index]) || index === (column ? this.cell.column : this.cell.row);
  }

  private draw_values(drawing: CanvasRenderingContext2D, g: ReturnType<Matrix["geometry"]>): void {
    const { state } = this.context;
    drawing.font = FONT.replace("12px", "10px");
    drawing.textAlign = "center";
    drawing.textBaseline = "middle";
    for (const [key, pair] of this.cells) {
      const row = Math.floor(key / g.n), column = key % g.n;
      const x = g.x(column), y = g.y(row);
      if (x < g.x0 - 1 || y < g.labels - 1 || x > this.surface.width || y > this.surface.height || !Number.isFinite(pair.value) || pair.messages === 0) continue;
      drawing.lineWidth = 2.5;
      drawing.strokeStyle = colours().card;
      drawing.fillStyle = colours().ink;
      const text = fitted(drawing, value_text(pair.value, state.quantity, state.form).replace(/\/s²?$/, "").replace("\u202f", ""), g.size - 2);
      drawing.strokeText(text, x + g.size / 2, y + g.size / 2);
      drawing.fillText(text, x + g.size / 2, y + g.size / 2);
    }
  }

  private draw_marks(drawing: CanvasRenderingContext2D, g: ReturnType<Matrix["geometry"]>, right: number, bottom: number): void {
    const { state } = this.context;
    drawing.save();
    drawing.beginPath();
    drawing.rect(g.x0 - 1, g.labels - 1, right - g.x0 + 2, bottom - g.labels + 2);
    drawing.clip();
    drawing.strokeStyle = colours().select;
    drawing.lineWidth = 1.5;
    for (const id of state.selected) {
      const index = this.at.get(id);
      if (index === undefined) continue;
      drawing.strokeRect(g.x0 - 2, g.y(index), right - g.x0 + 4, g.size);
      drawing.strokeRect(g.x(index), g.labels - 2, g.size, bottom - g.labels + 4);
    }
    const { row, column } = this.cell;
    if (row >= 0) {
      drawing.fillStyle = colours().ink;
      drawing.globalAlpha = 0.12;
      drawing.fillRect(g.x0, g.y(row), right - g.x0, g.size);
      drawing.fillRect(g.x(column), g.labels, g.size, bottom - g.labels);
      drawing.globalAlpha = 1;
      drawing.strokeStyle = colours().ink;
      drawing.strokeRect(g.x(column) - 0.5, g.y(row) - 0.5, g.size + 1, g.size + 1);
    }
    drawing.restore();
  }

  private cell_of(event: PointerEvent): { row: number; column: number } {
    const box = this.place.getBoundingClientRect();
    const g = this.geometry();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const column = Math.floor((x - g.x0) / g.size + this.left), row = Math.floor((y - g.labels) / g.size + this.top);
    return x < g.x0 || y < g.labels || column >= g.n || row >= g.n ? { row: -1, column: -1 } : { row, column };
  }

  private move(event: PointerEvent): void {
    if (this.drag) {
      const { size } = this.geometry();
      const dx = event.clientX - this.drag.x, dy = event.clientY - this.drag.y;
      if (Math.abs(dx) + Math.abs(dy) > 5) this.drag.moved = true;
      this.left = this.drag.left - dx / size;
      this.top = this.drag.top - dy / size;
      return this.mark();
    }
    const { row, column } = this.cell_of(event);
    this.point(row, column);
  }

  private point(row: number, column: number): void {
    if (this.cell.row === row && this.cell.column === column) return;
    this.cell = { row, column };
    set_text(this.told, row < 0 ? "" : this.tell(row, column));
    this.mark();
  }

  private tell(row: number, column: number): string {
    const { world, state } = this.context;
    const pair = this.cells.get(row * this.order.length + column);
    const names = `${world.name(this.order[row], 48)} → ${world.name(this.order[column], 48)}: `;
    if (!pair || pair.messages === 0) return names + "no message";
    return names + `${counted(pair.messages, "message")}, ${bytes(pair.bytes)}` + (Number.isFinite(pair.value) && state.form !== "total" ? ` (${value_text(pair.value, state.quantity, state.form)})` : "");
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.place.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, left: this.left, top: this.top, moved: false };
  }

  private up(event: PointerEvent): void {
    const moved = this.drag?.moved;
    this.drag = null;
    const { row, column } = this.cell_of(event);
    if (!moved && row >= 0) this.context.select_arc(this.order[row], this.order[column]);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom_at(Math.pow(2, -Math.max(-200, Math.min(200, event.deltaY)) / 200), this.cell_of(event as unknown as PointerEvent));
  }

  private zoom_at(factor: number, { row, column }: { row: number; column: number }): void {
    const before = this.geometry().size;
    this.zoom = Math.max(1, Math.min(60, this.zoom * factor));
    const grown = this.geometry().size / before;
    if (row >= 0) {
      this.left = column + 0.5 - (column + 0.5 - this.left) / grown;
      this.top = row + 0.5 - (row + 0.5 - this.top) / grown;
    }
    this.mark();
  }

  private keydown(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    const n = this.order.length;
    if (n === 0) return;
    if (step) {
      const clamp = (value: number) => Math.max(0, Math.min(n - 1, value));
      const { row, column } = this.cell;
      this.point(clamp(row + step[0]), clamp(column + step[1]));
      const g = this.geometry();
      if (this.cell.row < this.top || this.cell.row >= this.top + g.rows - 1) this.top = this.cell.row - g.rows / 2;
      if (this.cell.column < this.left || this.cell.column >= this.left + g.columns - 1) this.left = this.cell.column - g.columns / 2;
    } else if (event.key === "Enter" && this.cell.row >= 0) this.context.select_arc(this.order[this.cell.row], this.order[this.cell.column]);
    else if (event.key === "+" || event.key === "-") this.zoom_at(event.key === "+" ? 1.4 : 0.7, this.cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
    set_attribute(this.place, "aria-description", this.told.textContent ?? "");
  }
}
