// The one loop of pictures. It runs while something moves (a running program, a replay, a held key) and rests otherwise.
// For tests and for curious users it counts: window.dpmFrames, and data-fps on the document.

declare global {
  interface Window {
    dpmFrames: number;
  }
}

const AWAKE_MS = 700;

export class Loop {
  private drawers = new Set<(now_ms: number) => void>();
  private awake_until_ms = 0;
  private scheduled = false;
  private counted_ms = 0;
  private counted = 0;
  always: () => boolean = () => false;

  constructor() {
    window.dpmFrames = 0;
  }

  add(draw: (now_ms: number) => void): () => void {
    this.drawers.add(draw);
    this.wake();
    return () => this.drawers.delete(draw);
  }

  // Something has changed: pictures for a while, so that movements end.
  wake(ms = AWAKE_MS): void {
    this.awake_until_ms = Math.max(this.awake_until_ms, performance.now() + ms);
    this.schedule();
  }

  // One picture at once, for paper.
  draw_now(): void {
    for (const draw of [...this.drawers]) draw(performance.now());
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(this.turn);
  }

  private readonly turn = (now_ms: number): void => {
    this.scheduled = false;
    for (const draw of [...this.drawers]) draw(now_ms);
    ++window.dpmFrames;
    ++this.counted;
    if (now_ms - this.counted_ms >= 1000) {
      const fps = this.counted_ms > 0 ? (this.counted * 1000) / (now_ms - this.counted_ms) : 0;
      document.documentElement.dataset.fps = fps.toFixed(1);
      this.counted = 0;
      this.counted_ms = now_ms;
    }
    if (this.always() || performance.now() < this.awake_until_ms) this.schedule();
    else this.counted_ms = 0;
  };
}
