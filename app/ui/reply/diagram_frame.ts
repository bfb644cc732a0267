/**
 * Has diagrams drawn, one after the other, in a frame of another origin, which reaches neither the page nor the network.
 *
 * The frame comes with the first diagram and goes when no other waits. What it answers is read as a stranger's word.
 */
const ANSWER_MS = 15_000; // for one diagram; for the first with fetching the frame
const MAX_CODE = 10_000; // characters
const MAX_SVG = 2_000_000; // characters
const KEPT = 60; // drawings

/** An image and its title, or why there is none. */
export type Drawing = Readonly<{ svg?: string; title?: string; fault?: Fault; reason?: string }>;
type Fault = "diagram_long" | "diagram_late" | "diagram_refused";

const drawings = new Map<string, Promise<Drawing>>();
let last: Promise<unknown> = Promise.resolve();
let frame: HTMLIFrameElement | null = null;
let port: MessagePort | null = null;

export function draw(code: string, dark: boolean): Promise<Drawing> {
  if (code.length > MAX_CODE) return Promise.resolve({ fault: "diagram_long" });
  const key = `${dark} ${code}`;
  const drawing = drawings.get(key) ?? last.then(() => ask({ code, dark }));
  if (drawings.has(key)) return drawing;
  for (const oldest of drawings.keys()) if (drawings.size >= KEPT) drawings.delete(oldest);
  drawings.set(key, drawing);
  const done = drawing.then(({ fault }) => {
    if (fault === "diagram_late") drawings.delete(key); // asked for again, it may come
    if (last === done) close();
  });
  last = done;
  return drawing;
}

function ask(request: { code: string; dark: boolean }): Promise<Drawing> {
  const line = port ?? open();
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      close();
      resolve({ fault: "diagram_late" });
    }, ANSWER_MS);
    line.onmessage = ({ data }) => {
      clearTimeout(late);
      const { svg, title, fault } = Object(data);
      if (typeof svg === "string" && svg.length <= MAX_SVG)
        resolve({ svg, title: typeof title === "string" ? title : "" });
      else resolve({ fault: "diagram_refused", reason: typeof fault === "string" ? fault.slice(0, 500) : "" });
    };
    line.postMessage(request);
  });
}

function open(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const made = document.createElement("iframe");
  made.setAttribute("sandbox", "allow-scripts");
  made.setAttribute("aria-hidden", "true");
  made.onload = () => made.contentWindow?.postMessage(null, "*", [port2]);
  document.body.append(Object.assign(made, { src: "/diagram.html", className: "diagram-frame", tabIndex: -1 }));
  frame = made;
  port = port1;
  return port1;
}

function close(): void {
  frame?.remove();
  frame = port = null;
}
