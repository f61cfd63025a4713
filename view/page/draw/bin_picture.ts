// Bins of a space-time diagram as a picture of one column a bin: it is made once for an answer, and each frame only stretches it. Tens of
// thousands of rectangles a frame are too many for a processor without a graphics card.
import { BinnedEvents } from "../source/requests";
import { Colours, rgb } from "./colours";

const COLUMNS_MAX = 8192, WAIT_OPACITY = 0.28;

export class BinPicture {
  readonly canvas = document.createElement("canvas");
  from_s = 0;
  to_s = 0;
  private made_of: BinnedEvents | null = null;
  private made_for = "";
  private image: ImageData | null = null;  // megabytes, which are not made again for each answer

  // false: the bins have no common width; then they are drawn one by one.
  make(answer: BinnedEvents, lane: number, colours: Colours): boolean {
    const key = `${lane} ${colours.work} ${colours.card}`;
    if (this.made_of === answer && this.made_for === key) return this.canvas.width > 0;
    this.made_of = answer;
    this.made_for = key;
    const grid = grid_of(answer);
    if (!grid || grid.columns > COLUMNS_MAX) {
      this.canvas.width = 0;
      return false;
    }
    this.from_s = grid.from_s;
    this.to_s = grid.from_s + grid.columns * grid.step_s;
    this.fill(answer, grid, Math.max(1, Math.round(lane)), colours);
    return true;
  }

  private fill({ rows, bin_row, bin_from, bin_work, bin_wait }: BinnedEvents, grid: Grid, lane: number, colours: Colours): void {
    const image = this.empty_image(grid.columns, Math.max(1, rows.length * lane));
    const pixels = new Uint32Array(image.data.buffer);
    const work = packed(colours.work, 255), wait = packed(colours.wait, Math.round(255 * WAIT_OPACITY));
    const high = lane * 0.8, margin = Math.floor(lane * 0.1);
    for (let i = 0; i < bin_row.length; ++i) {
      const column = Math.round((bin_from[i] - grid.from_s) / grid.step_s);
      const works = Math.round(Math.min(1, bin_work[i]) * high), waits = Math.min(Math.round(high) - works, Math.round(bin_wait[i] * high));
      // Something that a process did is at least a pixel.
      const low = works === 0 && bin_work[i] > 0 ? 1 : works;
      let at = ((bin_row[i] + 1) * lane - margin - 1) * grid.columns + column;
      for (let y = 0; y < low; ++y, at -= grid.columns) pixels[at] = work;
      for (let y = low; y < works + waits; ++y, at -= grid.columns) pixels[at] = wait;
    }
    this.canvas.getContext("2d")!.putImageData(image, 0, 0);
  }

  private empty_image(width: number, height: number): ImageData {
    if (this.image?.width === width && this.image.height === height) {
      this.image.data.fill(0);
      return this.image;
    }
    this.canvas.width = width;
    this.canvas.height = height;
    return (this.image = new ImageData(width, height));
  }
}

interface Grid {
  from_s: number;
  step_s: number;
  columns: number;
}

// Pure: the common grid of the bins, if they have one.
export function grid_of({ bin_from, bin_to }: Pick<BinnedEvents, "bin_from" | "bin_to">): Grid | null {
  if (bin_from.length === 0) return null;
  let from_s = Infinity, to_s = -Infinity;
  const step_s = bin_to[0] - bin_from[0];
  for (let i = 0; i < bin_from.length; ++i) {
    from_s = Math.min(from_s, bin_from[i]);
    to_s = Math.max(to_s, bin_to[i]);
    // The last bin may end where the trace ends.
    if (bin_to[i] - bin_from[i] > step_s * 1.001) return null;
  }
  if (!(step_s > 0)) return null;
  for (let i = 0; i < bin_from.length; ++i) {
    const column = (bin_from[i] - from_s) / step_s;
    if (Math.abs(column - Math.round(column)) > 0.02) return null;
  }
  return { from_s, step_s, columns: Math.max(1, Math.ceil((to_s - from_s) / step_s - 0.02)) };
}

function packed(colour: string, alpha: number): number {
  const [r, g, b] = rgb(colour);
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
