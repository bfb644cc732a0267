/**
 * The connection to the server: the state of Reflex's own socket, and the handling of events while it is down.
 *
 * Reflex would keep events and send them when the socket is back: a deletion minutes after its click. So events of the
 * app's states are refused while there is no connection. Reflex's own events (hydrate, page loads) pass.
 *
 * This module opens no second socket. `app/ui/build/link.py` makes Reflex's runtime call `attach` and `admit`.
 */
import { signal } from "../signal.ts";

/** `opening`: the page was loaded just now. `lost`: Reflex tries to connect again. */
export type Link = "opening" | "open" | "lost";

/** The used part of Reflex's socket: Socket.IO's, with its manager and Reflex's additions. */
export interface Socket {
  on(event: "connect" | "disconnect" | "connect_error", listener: () => void): unknown;
  onAny(listener: (name: string, update?: Update) => void): unknown;
  readonly io: { on(event: "ping", listener: () => void): unknown; timeout(ms: number): unknown; _close(): void };
  reconnect?(): void;
}

/** The used part of a Reflex event. A temporal event is dropped silently while it cannot be sent. */
export interface ReflexEvent {
  readonly name?: string;
  readonly event_actions?: { readonly temporal?: boolean };
  readonly payload?: unknown;
}

/** The used part of a message from the server: the page to which a handler leads. */
export interface Update {
  readonly events?: readonly ServerEvent[];
}

interface ServerEvent {
  readonly name: string;
  readonly payload?: { readonly path?: string | null; readonly external?: boolean };
}

const SILENCE_MS = 25_000; // the server sends a ping every 20 s: REFLEX_SOCKET_INTERVAL
const FIRST_ATTEMPT_MS = 20_000; // time for the first attempt to connect: the page may be busy with its scripts
const ATTEMPT_MS = 5000; // time for a later attempt: the network may have changed, and the next attempt may succeed
const SHOWN_MS = 7000; // milliseconds that a refusal shows that the server is back
const LARGEST = 17_000_000; // bytes of an event; app/web/sockets.py accepts 18,000,000
const BYTES = 6; // maximum size of a character in JSON: "\\u0001"
const APP = "reflex___state____state.";
const REDIRECT = "_redirect";
const OWN = `${APP}reflex___`;
const LOAD = ".on_load_internal";

const link = signal<Link>("opening");
/**
 * The reason why an action was refused, "" for none. `away`: the server cannot be reached. `back`: it could not be
 * reached then, but can be reached now. `large`: the event is too large. `later`: a page was opened that the server
 * loads once it can be reached.
 */
export const refused = signal<"" | "away" | "back" | "large" | "later">("");
/** The path of the current page while an event handler leads to another page, else "". */
export const leaving = signal("");
const hearers = new Set<(event: string) => void>();
let shown: ReturnType<typeof setTimeout> | undefined;
let heardAt = 0; // the clock time of the last message from the server, because timers stop while the machine sleeps
let socket: Socket | null = null;
let pending: ReflexEvent[] = [];

export const currentLink = link.get;
/** The state of the connection, drawn again when it changes. */
export const useLink = link.use;

/** Call a function whenever the state of the connection changes. Returns a function that stops this. */
export const onLink = link.subscribe;

/** Note that the page shows this path now. */
export function arriveAt(path: string): void {
  if (path !== leaving.get()) leaving.set("");
}

/** Resolve when the server is reachable: at once if it is. */
export function untilOpen(): Promise<void> {
  if (link.get() === "open") return Promise.resolve();
  return new Promise((resolve) => {
    const stop = link.subscribe(() => {
      if (link.get() !== "open") return;
      stop();
      resolve();
    });
  });
}

/** Follow a socket of Reflex, which calls this once for each socket. `queue` has the events that wait to be sent. */
export function attach(made: Socket, queue: ReflexEvent[]): void {
  socket = made;
  pending = queue;
  made.on("connect", () => {
    made.io.timeout(ATTEMPT_MS);
    heard();
    link.set("open");
    if (refused.get() === "away") show("back");
    else if (refused.get() === "later") refused.set("");
  });
  made.on("disconnect", lose);
  made.on("connect_error", () => {
    made.io.timeout(ATTEMPT_MS);
    lose();
  });
  made.onAny((_, update) => {
    heard();
    if (update?.events?.some(leads)) leaving.set(location.pathname);
  });
  made.io.on("ping", heard);
  made.io.timeout(FIRST_ATTEMPT_MS);
}

/** Call a function with the name of each event that may be sent. Returns a function that stops this. */
export function onSent(hear: (event: string) => void): () => void {
  hearers.add(hear);
  return () => void hearers.delete(hear);
}

/** Return those of the new events that may be sent. */
export function admit<Event extends ReflexEvent>(events: Event[]): Event[] {
  const admitted = sift(events);
  for (const { name = "" } of admitted) for (const hear of hearers) hear(name);
  return admitted;
}

function sift<Event extends ReflexEvent>(events: Event[]): Event[] {
  if (isSilent()) socket?.io._close(); // the connection is dead, but the socket has not reported this yet
  const small = events.filter((event) => fits(event.payload));
  if (small.length < events.length) show("large");
  if (link.get() !== "lost") return small;
  const admitted = small.filter((event) => !isOfApp(event));
  if (small.some((event) => isOfApp(event) && !event.event_actions?.temporal)) refuse("away");
  // Last, because a page sends events when it opens; they are refused too, but no person caused them.
  if (small.some(({ name }) => name?.endsWith(LOAD))) refuse("later");
  return admitted;
}

/**
 * True for a value that is small enough for the server, which closes the connection when an event is too large. Both
 * its bytes as UTF-8 count, and its bytes in Python's memory, where each character is as wide as the widest one.
 */
export function fits(value: unknown): boolean {
  if (lengthOf(value) * BYTES <= LARGEST) return true;
  const json = JSON.stringify(value);
  const width = /[\ud800-\udbff]/.test(json) ? 4 : /[^\0-\xff]/.test(json) ? 2 : 1;
  const characters = json.length - (json.match(/[\ud800-\udbff]/g)?.length ?? 0);
  return characters * width <= LARGEST && new Blob([json]).size <= LARGEST;
}

/** Count the characters of all texts in a value. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + lengthOf(inner), 0);
}

const isOfApp = ({ name = "" }: ReflexEvent): boolean =>
  name.startsWith(APP) && !name.startsWith(OWN) && name.slice(APP.length).includes(".");

function lose(): void {
  link.set("lost");
  const waiting = pending.splice(0); // events made before the first connection, or just now
  pending.push(...sift(waiting));
}

function refuse(why: "away" | "later"): void {
  clearTimeout(shown);
  refused.set(why);
}

function show(why: "back" | "large"): void {
  clearTimeout(shown);
  refused.set(why);
  shown = setTimeout(() => refused.set(""), SHOWN_MS);
}

function heard(): void {
  heardAt = Date.now();
}

function leads({ name, payload }: ServerEvent): boolean {
  if (name !== REDIRECT || !payload?.path || payload.external) return false;
  return new URL(payload.path, location.href).pathname !== location.pathname;
}

const isSilent = (): boolean => link.get() === "open" && Math.abs(Date.now() - heardAt) > SILENCE_MS;

/** Connect at once, without waiting for Reflex's next attempt, because the machine woke up or its network is back. */
function wake(): void {
  if (document.visibilityState !== "visible") return;
  if (!isSilent() && link.get() !== "lost") return;
  socket?.io._close();
  socket?.reconnect?.();
}

if (typeof document !== "undefined") {
  refused.subscribe(() => {
    if (refused.get()) document.documentElement.dataset.refused = refused.get();
    else delete document.documentElement.dataset.refused;
  });
  for (const event of ["online", "focus", "pageshow"]) addEventListener(event, wake);
  document.addEventListener("visibilitychange", wake);
}
