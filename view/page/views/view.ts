// What a view is. To add one: a file with a View, and its name in list.ts.
import { Context } from "../frame/context";

export interface View {
  id: string;  // in the address
  title: string;
  purpose: string;  // one sentence: the question that it answers
  keys?: [key: string, does: string][];  // beside those of all views
  timeless?: boolean;  // does not follow the shared time range
  open(context: Context): OpenView;
}

export interface OpenView {
  element: HTMLElement;
  update(): void;  // the state or the trace's description has changed
  frame?(now_ms: number): void;  // once a picture
  key?(event: KeyboardEvent): boolean;  // true: done
  close(): void;
}
