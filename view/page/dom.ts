// The one place that makes elements. Text goes in as text (textContent), never as HTML: the names of processes come from programs that
// may be hostile.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

const SVG = "http://www.w3.org/2000/svg";

// el("button", {class: "quiet", "aria-label": "close", onclick: close}, "text", child...). A value of false, null or undefined leaves the
// attribute out; true gives an empty one.
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes);
  add(element, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  apply(element, attributes);
  add(element, children);
  return element;
}

export function apply(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      element.removeAttribute(name);
    } else if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

function add(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren(...(children.filter((child) => child !== null && child !== undefined && child !== false) as (Node | string)[]));
}

// Changes a text only if it differs: layout is not done again for nothing.
export function set_text(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function set_attribute(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// Arrow keys move the focus within a group (a toolbar, a list); Tab leaves it. One of its items is in the order of Tab.
export function roving(group: HTMLElement, selector: string): void {
  const items = () => [...group.querySelectorAll<HTMLElement>(selector)].filter((item) => !item.hasAttribute("disabled"));
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    const next = all[Math.max(0, Math.min(all.length - 1, at + step))];
    event.preventDefault();
    event.stopPropagation();
    focus_roving(all, next);
  });
}

export function focus_roving(items: HTMLElement[], next: HTMLElement): void {
  for (const item of items) item.tabIndex = item === next ? 0 : -1;
  next.focus();
}

// Offers a text as a file.
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
