// Draws a matrix of processes: a cell for each pair, names beside and above, the chosen rows and the cell under the pointer. It knows where
// each cell stands, so that a pointer finds it.
import { colours, mixed, ramp, ramp_bytes, share_of } from "./colours";
import { fitted, FONT, Surface, text_width } from "./surface";
import { rounded } from "../format";
import { Context } from "../frame/context";
import { MatrixOrder } from "../layout/matrix_order";
import { Pair, ProcessLoad, value_bounds, value_text } from "../state/traffic";

const LABEL_MIN_PX = 11, CELL_MAX_PX = 34, TEXT_MIN_PX = 30, DOT_PX = 2.2, ZOOM_MAX = 60;

export interface Cell {
  row: number;  // -1: none
  column: number;
}

export const NO_CELL: Cell = { row: -1, column: -1 };

type Geometry = ReturnType<MatrixPicture["geometry"]>;

export class MatrixPicture {
  cell = NO_CELL;  // under the pointer, or of the keys
  outside = 0;  // pairs of processes that have no row
  private cells = new Map<number, Pair>();
  private shares = new Map<number, number>();  // of the computation's CPU time, by process
  private shades = new Map<number, number[]>();  // cells by colour
  private picture: HTMLCanvasElement | null = null;
  private longest = 60;  // of the names, in pixels
  private zoom = 1;
  private left = 0;  // of the part that is shown, in cells
  private top = 0;

  constructor(private readonly context: Context, private readonly surface: Surface, private readonly order: MatrixOrder) {}

  pair(row: number, column: number): Pair | undefined {
    return this.cells.get(row * this.order.ids.length + column);
  }

  // The bounds of the values.
  take(pairs: Pair[], loads: Map<number, ProcessLoad>): { least: number; most: number } {
    const { state } = this.context;
    this.take_shares(loads);
    const n = this.order.ids.length;
    const { least, most } = value_bounds(pairs.map(({ value }) => value), state.form);
    const image = new ImageData(Math.max(1, n), Math.max(1, n));
    const bytes_of = ramp_bytes(state.palette);
    this.shades = new Map();
    this.cells = new Map();
    this.outside = 0;
    for (const pair of pairs) {
      const row = this.order.at.get(pair.from), column = this.order.at.get(pair.to);
      if (row === undefined || column === undefined) {
        ++this.outside;
        continue;
      }
      this.cells.set(row * n + column, pair);
      if (!Number.isFinite(pair.value) || pair.activity === 0) continue;
      const shade = Math.round(share_of(pair.value, least, most) * 255) * 4;
      image.data.set(bytes_of.subarray(shade, shade + 4), (row * n + column) * 4);
      const keys = this.shades.get(shade / 4);
      if (keys) keys.push(row * n + column);
      else this.shades.set(shade / 4, [row * n + column]);
    }
    this.picture ??= document.createElement("canvas");
    this.picture.width = this.picture.height = Math.max(1, n);
    this.picture.getContext("2d")!.putImageData(image, 0, 0);
    return { least, most };
  }

  private take_shares(loads: Map<number, ProcessLoad>): void {
    const inside = this.context.world.processes.filter(({ in_computation }) => in_computation);
    const total = inside.reduce((sum, { id }) => sum + (loads.get(id)?.cpu ?? 0), 0);
    this.shares = new Map(total > 0 ? inside.map(({ id }) => [id, (loads.get(id)?.cpu ?? 0) / total]) : []);
  }

  draw(what: string): void {
    if (!this.picture || this.order.ids.length === 0) return;
    const drawing = this.surface.begin(what);
    if (!drawing) return;
    this.longest = Math.min(160, Math.max(0, ...this.order.ids.slice(0, 400).map((id) => text_width(drawing, this.context.world.name(id, 24)))));
    this.draw_matrix(drawing);
  }

  // Of a point of the surface.
  cell_at(x: number, y: number): Cell {
    const g = this.geometry();
    const column = Math.floor((x - g.x0) / g.size + this.left), row = Math.floor((y - g.labels) / g.size + this.top);
    return x < g.x0 || y < g.labels || column >= g.n || row >= g.n ? NO_CELL : { row, column };
  }

  // From where it was when a drag began.
  move(from: { left: number; top: number }, dx: number, dy: number): void {
    const { size } = this.geometry();
    this.left = from.left - dx / size;
    this.top = from.top - dy / size;
  }

  get corner(): { left: number; top: number } {
    return { left: this.left, top: this.top };
  }

  zoom_at(factor: number, { row, column }: Cell): void {
    const before = this.geometry().size;
    this.zoom = Math.max(1, Math.min(ZOOM_MAX, this.zoom * factor));
    const grown = this.geometry().size / before;
    if (row < 0) return;
    this.left = column + 0.5 - (column + 0.5 - this.left) / grown;
    this.top = row + 0.5 - (row + 0.5 - this.top) / grown;
  }

  // Moves the part that is shown so that the cell is in it.
  reveal({ row, column }: Cell): void {
    const g = this.geometry();
    if (row < this.top || row >= this.top + g.rows - 1) this.top = row - g.rows / 2;
    if (column < this.left || column >= this.left + g.columns - 1) this.left = column - g.columns / 2;
  }

  // Where the cells are: the largest that fit, larger when zoomed.
  private geometry() {
    const { width, height } = this.surface;
    const n = Math.max(1, this.order.ids.length);
    const labels = Math.max(34, Math.min(this.longest + 14, width * 0.24, height * 0.3));
    const fit = Math.min((width - labels - 12) / n, (height - labels - 12) / n, CELL_MAX_PX);
    const size = Math.min(Math.max(fit * this.zoom, fit), Math.max(CELL_MAX_PX, fit));
    const columns = Math.min(n, (width - labels - 12) / size), rows = Math.min(n, (height - labels - 12) / size);
    this.left = Math.max(0, Math.min(this.left, n - columns));
    this.top = Math.max(0, Math.min(this.top, n - rows));
    const x0 = labels + Math.max(0, (width - labels - 12 - columns * size) / 2 - labels / 2);
    return { n, labels, size, columns, rows, x0, x: (column: number) => x0 + (column - this.left) * size, y: (row: number) => labels + (row - this.top) * size };
  }

  private draw_matrix(drawing: CanvasRenderingContext2D): void {
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
  private draw_dots(drawing: CanvasRenderingContext2D, g: Geometry, right: number, bottom: number): void {
    for (const [shade, keys] of this.shades) {
      drawing.fillStyle = ramp(shade / 255, this.context.state.palette);
      for (const key of keys) {
        const x = g.x(key % g.n), y = g.y(Math.floor(key / g.n));
        if (x >= g.x0 && y >= g.labels && x < right && y < bottom) drawing.fillRect(x, y, DOT_PX, DOT_PX);
      }
    }
    this.draw_over(drawing, g, right, bottom);
  }

  private draw_over(drawing: CanvasRenderingContext2D, g: Geometry, right: number, bottom: number): void {
    this.draw_labels(drawing, g);
    if (g.size >= TEXT_MIN_PX) this.draw_values(drawing, g);
    this.draw_marks(drawing, g, right, bottom);
  }

  private draw_lines(drawing: CanvasRenderingContext2D, g: Geometry, right: number, bottom: number): void {
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
  private draw_labels(drawing: CanvasRenderingContext2D, g: Geometry): void {
    const { world, state } = this.context;
    const each = Math.max(1, Math.ceil(LABEL_MIN_PX / g.size));
    drawing.font = g.size < 13 ? FONT.replace("12px", "10px") : FONT;
    drawing.textBaseline = "middle";
    const label = (index: number, column: boolean) => {
      const id = this.order.ids[index];
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
      // Coloured as the boxes of hot spots are (1988 paper V.A); the letters stay readable on it.
      const share = Math.sqrt(this.shares.get(id) ?? 0), width = text_width(drawing, text);
      if (strong || share > 0) {
        const ink = drawing.fillStyle;
        drawing.fillStyle = strong ? colours().card : mixed(ramp(share, state.palette), colours().card, 0.1 + 0.3 * share);
        drawing.fillRect(column ? -1 : -width - 1, -Math.min(7, g.size / 2), width + 2, Math.min(14, g.size));
        drawing.fillStyle = strong ? colours().select : ink;
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
    return this.context.state.selected.includes(this.order.ids[index]) || index === (column ? this.cell.column : this.cell.row);
  }

  private draw_values(drawing: CanvasRenderingContext2D, g: Geometry): void {
    const { state } = this.context;
    drawing.font = FONT.replace("12px", "10px");
    drawing.textAlign = "center";
    drawing.textBaseline = "middle";
    for (const [key, pair] of this.cells) {
      const row = Math.floor(key / g.n), column = key % g.n;
      const x = g.x(column), y = g.y(row);
      if (x < g.x0 - 1 || y < g.labels - 1 || x > this.surface.width || y > this.surface.height || !Number.isFinite(pair.value) || pair.activity === 0) continue;
      drawing.lineWidth = 2.5;
      drawing.strokeStyle = colours().card;
      drawing.fillStyle = colours().ink;
      const texts = rounded(pair.value).map((value) => value_text(value, state.quantity, state.form).replace(/\/s²?$/, "").replace("\u202f", ""));
      const text = texts.find((one) => text_width(drawing, one) <= g.size - 2);
      if (text === undefined) continue;
      drawing.strokeText(text, x + g.size / 2, y + g.size / 2);
      drawing.fillText(text, x + g.size / 2, y + g.size / 2);
    }
  }

  private draw_marks(drawing: CanvasRenderingContext2D, g: Geometry, right: number, bottom: number): void {
    const { state } = this.context;
    drawing.save();
    drawing.beginPath();
    drawing.rect(g.x0 - 1, g.labels - 1, right - g.x0 + 2, bottom - g.labels + 2);
    drawing.clip();
    drawing.strokeStyle = colours().select;
    drawing.lineWidth = 1.5;
    for (const id of state.selected) {
      const index = this.order.at.get(id);
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
}
