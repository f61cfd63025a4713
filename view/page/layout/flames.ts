// Where the boxes of a flame graph lie.
export interface FlameBox {
  depth: number;
  from: number; // of the whole, which is 1
  to: number;
  label: string;
  tone: string;
  tip: string;
}

export const ROW = 22; // pixels

// Null if it is too narrow to be seen.
export function place_of(box: FlameBox, width: number): { x: number; y: number; width: number } | null {
  const from = Math.max(0, Math.min(1, box.from)), to = Math.max(from, Math.min(1, box.to));
  const wide = (to - from) * width;
  return wide < 0.5 ? null : { x: from * width, y: box.depth * ROW, width: wide };
}
