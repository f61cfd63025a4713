// What happened inside processes, in their lanes: a point is a diamond; many values of one event are a line from the lowest to the
// highest value in the window, few are diamonds too. From an answer `spacetime` with single events.
import { Colours } from "./colours";
import { LaneView, x_of, y_of } from "./lanes";
import { Answer } from "../source/source";

const SERIES_LEAST = 8, SIZE = 3.5, NEAR = 5;

export function draw_inside(drawing: CanvasRenderingContext2D, answer: Answer, view: LaneView, colours: Colours): void {
  if (!answer.exact || !answer.inside_row) return;
  drawing.strokeStyle = drawing.fillStyle = colours.ink;
  drawing.lineWidth = 1.2;
  for (const marks of series_of(answer)) {
    if (marks.length >= SERIES_LEAST && !Number.isNaN(answer.inside_value[marks[0]])) draw_series(drawing, answer, view, marks);
    else for (const index of marks) draw_mark(drawing, answer, view, index);
  }
}

// The nearest mark within a few pixels, or -1.
export function inside_at(answer: Answer, view: LaneView, x: number, y: number): number {
  let best = -1, nearest = NEAR;
  const row = Math.floor(y / view.lane);
  for (let i = 0; answer.exact && i < (answer.inside_row?.length ?? 0); ++i) {
    const far = Math.abs(x_of(view, answer.inside_t[i]) - x);
    if (answer.inside_row[i] !== row || far >= nearest) continue;
    best = i;
    nearest = far;
  }
  return best;
}

export function inside_text(answer: Answer, index: number): string {
  const { action, object, function: place } = answer.inside_events[answer.inside_event[index]];
  const value = answer.inside_value[index];
  return `${action} on ${object} in ${place}` + (Number.isNaN(value) || value === null ? "" : ` = ${value}`);
}

// The marks of each event in each row, in order of time.
function series_of(answer: Answer): number[][] {
  const all = new Map<number, number[]>();
  const events = answer.inside_events.length;
  for (let i = 0; i < answer.inside_row.length; ++i) {
    const key = answer.inside_row[i] * events + answer.inside_event[i];
    const marks = all.get(key);
    if (marks) marks.push(i);
    else all.set(key, [i]);
  }
  for (const marks of all.values()) marks.sort((a, b) => answer.inside_t[a] - answer.inside_t[b]);
  return [...all.values()];
}

function draw_series(drawing: CanvasRenderingContext2D, answer: Answer, view: LaneView, marks: number[]): void {
  let low = Infinity, high = -Infinity;
  for (const index of marks) {
    low = Math.min(low, answer.inside_value[index]);
    high = Math.max(high, answer.inside_value[index]);
  }
  const middle = y_of(view, answer.inside_row[marks[0]]), half = view.lane * 0.42;
  const y = (index: number) => middle + half - (high > low ? ((answer.inside_value[index] - low) / (high - low)) * 2 * half : half);
  drawing.beginPath();
  // A value holds until the next one.
  marks.forEach((index, place) => {
    const x = x_of(view, answer.inside_t[index]);
    if (place === 0) drawing.moveTo(x, y(index));
    else {
      drawing.lineTo(x, y(marks[place - 1]));
      drawing.lineTo(x, y(index));
    }
  });
  drawing.stroke();
}

function draw_mark(drawing: CanvasRenderingContext2D, answer: Answer, view: LaneView, index: number): void {
  const x = x_of(view, answer.inside_t[index]), y = y_of(view, answer.inside_row[index]);
  if (x < -SIZE || x > view.width + SIZE) return;
  drawing.beginPath();
  drawing.moveTo(x, y - SIZE);
  drawing.lineTo(x + SIZE, y);
  drawing.lineTo(x, y + SIZE);
  drawing.lineTo(x - SIZE, y);
  drawing.fill();
}
