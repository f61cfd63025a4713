// Numbers, times and names as people read them. Pure.

const THIN = "\u202f";
const PREFIXES = ["", "k", "M", "G", "T", "P"];

export function fixed(value: number, decimals: number): string {
  return Number.isFinite(value) ? minus(value.toFixed(decimals)) : "–";
}

function minus(text: string): string {
  return text.startsWith("-") ? "−" + text.slice(1) : text;
}

// Three digits that count: 0.00123, 1.23, 12.3, 123, 1.23 k, 45.6 M.
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  let size = Math.abs(value), power = 0;
  while (size >= 999.5 && power < PREFIXES.length - 1) {
    size /= 1000;
    ++power;
  }
  const digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size)));
  let text = size.toFixed(digits);
  if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  return (value < 0 ? "−" : "") + text + (power > 0 ? THIN + PREFIXES[power] : "");
}

// A number, and what is shown of it where there is less room.
export function rounded(value: number): number[] {
  return [value, Number(value.toPrecision(2)), Number(value.toPrecision(1))];
}

// 1234567 -> "1 234 567", with narrow spaces.
export function grouped(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return minus(String(Math.round(value))).replace(/\B(?=(\d{3})+$)/g, THIN);
}

export function percent(fraction: number): string {
  if (!Number.isFinite(fraction)) return "–";
  const value = fraction * 100;
  const size = Math.abs(value);
  return minus(size === 0 || size >= 9.95 ? value.toFixed(0) : size >= 0.095 ? value.toFixed(1) : value.toPrecision(1)) + THIN + "%";
}

export function bytes(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const text = short(value);
  return text.includes(THIN) ? text + "B" : text + THIN + "B";
}

// A duration: "12.5 ms", "3.2 µs", "4 min 05 s".
export function seconds(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value), sign = value < 0 ? "−" : "";
  if (size === 0) return "0" + THIN + "s";
  if (size >= 3600 * 24) return sign + short(size / 86400) + THIN + "d";
  if (size >= 3600) return `${sign}${Math.floor(size / 3600)}${THIN}h ${String(Math.floor((size % 3600) / 60)).padStart(2, "0")}${THIN}min`;
  if (size >= 120) return `${sign}${Math.floor(size / 60)}${THIN}min ${String(Math.floor(size % 60)).padStart(2, "0")}${THIN}s`;
  if (size >= 0.9995) return sign + short(size) + THIN + "s";
  if (size >= 0.0009995) return sign + short(size * 1e3) + THIN + "ms";
  if (size >= 9.995e-7) return sign + short(size * 1e6) + THIN + "µs";
  return sign + short(size * 1e9) + THIN + "ns";
}

// A point in time on an axis whose ticks are `step_s` apart: enough digits to tell two ticks apart, and not more.
export function time_at(value: number, step_s: number): string {
  const sign = value < 0 ? "−" : "";
  const size = Math.abs(value);
  const digits = step_s >= 1 ? 0 : Math.min(9, Math.ceil(-Math.log10(step_s) - 1e-9));
  if (size < 60 || digits > 3) return sign + size.toFixed(digits) + THIN + "s";
  const whole = Number(size.toFixed(digits));
  const hours = Math.floor(whole / 3600), minutes = Math.floor((whole % 3600) / 60);
  const rest = (whole % 60).toFixed(digits).padStart(digits > 0 ? digits + 3 : 2, "0");
  return sign + (hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`);
}

// Reads what a user types: "12.5", "12.5 s", "350 ms", "1:02:03.5", "10us". null: not a time.
export function parse_time(text: string): number | null {
  const clean = text.trim().replace(",", ".").replace(/[\u202f\s]+/g, "");
  const clock = /^(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)$/.exec(clean);
  if (clock) return Number(clock[1] ?? 0) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  const plain = /^(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|min|m|h|d)?$/.exec(clean);
  if (!plain) return null;
  const unit: Record<string, number> = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, m: 60, h: 3600, d: 86400 };
  return Number(plain[1]) * unit[plain[2] ?? "s"];
}

export function counted(count: number, noun: string, plural = noun + "s"): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}
