// Which range to ask for so that a picture can slide and zoom a while without another question: wider than what is shown, at round
// borders. Pure.

export interface Asked {
  from_s: number;
  to_s: number;
  width: number;  // bins
}

const BINS_MAX = 4096;

// `single`: where alone there are single events. What is shown of them is not asked for together with what is beside them, which has bins.
export function asked_window(from_s: number, to_s: number, pixels: number, single: { from_s: number; to_s: number } | null = null): Asked {
  const window = wider_window(from_s, to_s, pixels);
  if (!single || from_s < single.from_s || to_s > single.to_s) return window;
  return { ...window, from_s: Math.max(window.from_s, single.from_s), to_s: Math.min(window.to_s, single.to_s) };
}

function wider_window(from_s: number, to_s: number, pixels: number): Asked {
  const span = to_s - from_s;
  const quantum = Math.pow(2, Math.ceil(Math.log2(span))) / 8;
  const from = Math.floor((from_s - quantum) / quantum) * quantum, to = Math.ceil((to_s + quantum) / quantum) * quantum;
  return { from_s: Math.max(0, from), to_s: to, width: Math.max(16, Math.min(BINS_MAX, Math.ceil(((to - from) / span) * pixels))) };
}
