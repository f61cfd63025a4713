// A canvas that fills its element, at the resolution of the screen. It is measured when it changes size, not for each picture, and drawn
// again only when it would show something else and is not scrolled out of sight.
import { shortened } from "../names";

export class Surface {
  readonly canvas = document.createElement("canvas");
  width = 0;  // in CSS pixels
  height = 0;
  private readonly observer: ResizeObserver;
  private readonly sight: IntersectionObserver;
  private in_sight = true;
  private readonly drawing: CanvasRenderingContext2D;
  private ratio = 1;
  private shown = "";  // what it shows

  constructor(readonly element: HTMLElement, private readonly to_be_drawn: () => void) {
    element.append(this.canvas);
    this.drawing = this.canvas.getContext("2d")!;
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(element);
    this.sight = new IntersectionObserver((entries) => {
      this.in_sight = entries[entries.length - 1].isIntersecting;
      if (this.in_sight) this.to_be_drawn();
    });
    this.sight.observe(element);
  }

  // Ready to draw on, empty. null: not on the screen, or `what`, all that the picture depends on beside the size, is what it shows.
  begin(what: string): CanvasRenderingContext2D | null {
    const is_needed = this.in_sight || document.documentElement.dataset.paper !== undefined;
    if (!is_needed || this.width === 0 || this.height === 0 || what === this.shown) return null;
    this.shown = what;
    this.drawing.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawing.clearRect(0, 0, this.width, this.height);
    this.drawing.font = FONT;
    return this.drawing;
  }

  close(): void {
    this.observer.disconnect();
    this.sight.disconnect();
  }

  // As large as its element is now.
  measure(): void {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.shown = "";
    this.to_be_drawn();
  }
}

export const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", Arial, sans-serif';
export const SMALL_FONT = FONT.replace("12px", "11px");

const widths = new Map<string, number>();

// The widths of texts, remembered: measuring is slow.
export function text_width(drawing: CanvasRenderingContext2D, text: string): number {
  const key = drawing.font + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 5000) widths.clear();
    width = drawing.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

// As much of a text as fits: its beginning and its end.
export function fitted(drawing: CanvasRenderingContext2D, text: string, width: number): string {
  if (text_width(drawing, text) <= width) return text;
  let low = 0, high = [...text].length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (text_width(drawing, shortened(text, middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return low <= 1 ? "" : shortened(text, low);
}
