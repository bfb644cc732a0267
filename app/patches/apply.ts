/**
 * Patches in the browser: applied to the values that the page holds, or refused.
 *
 * The server sends a var whole or as a patch, with a revision: the name of the connection and a number that counts up by one
 * for each time the var is sent. A patch fits the value before it. One that came before is ignored; one that does not fit
 * makes the page ask for everything, and once more if no answer comes. Values are never changed in place, and what a patch does not name stays the same
 * object, so that React draws only what changed. `app/patches/patch.py` writes what this reads.
 */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Path = readonly (string | number)[];
type Piece = readonly [start: number, stop: number] | { readonly new: readonly Json[] };
export type Op =
  | readonly [sign: "+", path: Path, text: string]
  | readonly [sign: "=", path: Path, value: Json]
  | readonly [sign: "#", path: Path, pieces: readonly Piece[]];

type Revision = readonly [connection: string, number: number];
type Whole = { readonly $rev: Revision; readonly whole: Json };
type Patched = { readonly $rev: Revision; readonly patch: readonly Op[] };
export type Values = { readonly [name: string]: Json };
/** New values of vars: as they are, whole with a revision, or as a patch. */
export type Delta = { readonly [name: string]: Json | Whole | Patched };

/** What a packet holds beside `parse`'s JSON: an update of vars. `at` is a number for the place that a lone "+" adds to. */
type Update = { readonly delta?: { readonly [state: string]: Delta }; readonly at?: number };
type Place = {
  readonly connection: string;
  readonly number: string;
  readonly state: string;
  readonly name: string;
  readonly path: Path;
};
/** A text goes on where it did before (`app/patches/continuation.py`): connection, place, revision, and the text. */
const CONTINUATION = /^\+([^,]*),(\d+),([0-9a-z]{4})/;

/** Reflex's var that is false in a hydrate, and true once a page has loaded. */
const HYDRATED = "is_hydrated_rx_state_";
/** An answer that is not there by then was lost. */
const ASK_AGAIN_MS = 10_000;
const MOST_REQUESTS = 2; // without an answer; after that the next patch that does not fit asks again

/** A patch whose path leads nowhere in the value. */
export class MisfitError extends Error {}

/** The new value. Throws MisfitError if the operations do not fit the old one. */
export function apply(value: Json, ops: readonly Op[]): Json {
  return ops.reduce((sofar, op) => applyAt(sofar, op, 0), value);
}

function applyAt(value: Json, op: Op, depth: number): Json {
  const step = op[1][depth];
  if (step === undefined) return change(value, op);
  if (isList(value)) {
    const inner = typeof step === "number" ? value[step] : undefined;
    if (inner === undefined) throw new MisfitError(`no item ${step}`);
    const copy = value.slice();
    copy[step as number] = applyAt(inner, op, depth + 1);
    return copy;
  }
  const inner = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (inner === undefined || !isObject(value)) throw new MisfitError(`no field ${step}`);
  return { ...value, [step]: applyAt(inner, op, depth + 1) };
}

function change(value: Json, op: Op): Json {
  switch (op[0]) {
    case "=":
      return op[2];
    case "+":
      if (typeof value !== "string") throw new MisfitError("not a text");
      return value + op[2];
    case "#":
      if (!isList(value)) throw new MisfitError("not a list");
      return op[2].flatMap((piece) => ("new" in piece ? piece.new : span(value, piece)));
  }
}

function span(list: readonly Json[], [start, stop]: readonly [number, number]): readonly Json[] {
  if (stop > list.length) throw new MisfitError(`no items up to ${stop}`);
  return list.slice(start, stop);
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const isObject = (value: Json): value is Values => typeof value === "object" && value !== null && !isList(value);

/**
 * Reflex's reducer for deltas with patches in them, and its reader of packets for those that continue a text.
 *
 * `applyWhole` is Reflex's own: it takes over whole values, and keeps what is equal. So is `parse`, for JSON. `hydrate` asks the
 * server for everything. `arrived` hears of each delta whether it adds to texts only. Reducers run outside React, one delta after
 * the other.
 */
export function createPatches(
  applyWhole: (state: Values, delta: Values) => Values,
  parse: (text: string) => unknown,
  hydrate: () => void,
  arrived: (grows: boolean) => void,
): { readonly reduce: (state: Values, delta: Delta) => Values; readonly read: (text: string) => unknown } {
  const revisions = new WeakMap<Values, Map<string, Revision>>();
  let waiting: ReturnType<typeof setTimeout> | undefined; // for an answer

  function ask(requests = MOST_REQUESTS): void {
    if (waiting !== undefined || requests === 0) return; // what else is on its way does not fit either
    hydrate();
    waiting = setTimeout(() => {
      waiting = undefined;
      ask(requests - 1);
    }, ASK_AGAIN_MS);
  }

  let place: Place | undefined; // where a text went on last

  function read(text: string): unknown {
    if (!text.startsWith("+")) {
      const packet = parse(text);
      place = placeIn(packet) ?? place;
      return packet;
    }
    const [head, connection = "", number = "", revision = ""] = CONTINUATION.exec(text) ?? [""];
    if (place?.connection !== connection || place.number !== number) {
      ask(); // what told of it was lost
      return ["event", {}];
    }
    const patch = [["+", place.path, text.slice(head.length)]];
    const sent = { $rev: [connection, Number.parseInt(revision, 36)], patch };
    return ["event", { delta: { [place.state]: { [place.name]: sent } } }];
  }

  function reduce(state: Values, delta: Delta): Values {
    arrived(Object.values(delta).every(grows));
    if (delta[HYDRATED] === false) {
      clearTimeout(waiting);
      waiting = undefined;
    }
    const known = revisions.get(state) ?? new Map<string, Revision>();
    const whole: Record<string, Json> = {};
    const patched: Record<string, Json> = {};
    for (const [name, sent] of Object.entries(delta)) {
      if (!isRevised(sent)) {
        known.delete(name);
        whole[name] = sent;
        continue;
      }
      const [connection, number] = sent.$rev;
      const [heldConnection, heldNumber] = known.get(name) ?? ["", 0];
      if (connection === heldConnection && number <= heldNumber) continue; // came before
      if ("whole" in sent) {
        whole[name] = sent.whole;
      } else {
        const value =
          connection === heldConnection && number === heldNumber + 1 ? tryApply(state[name], sent.patch) : undefined;
        if (value === undefined) {
          ask();
          continue;
        }
        patched[name] = value;
      }
      known.set(name, sent.$rev);
    }
    let next = applyWhole(state, whole);
    if (Object.keys(patched).length > 0) next = { ...next, ...patched };
    revisions.set(next, known);
    return next;
  }

  return { reduce, read };
}

/** The place that a packet names, of the one var that it has news of. */
function placeIn(packet: unknown): Place | undefined {
  const { at, delta = {} } = (Array.isArray(packet) ? (packet[1] as Update | undefined) : undefined) ?? {};
  if (at === undefined) return undefined;
  for (const [state, vars] of Object.entries(delta))
    for (const [name, sent] of Object.entries(vars))
      if (isRevised(sent) && "patch" in sent && sent.patch[0] !== undefined)
        return { connection: sent.$rev[0], number: String(at), state, name, path: sent.patch[0][1] };
  return undefined;
}

function isRevised(sent: Json | Whole | Patched): sent is Whole | Patched {
  return sent !== null && typeof sent === "object" && Object.hasOwn(sent, "$rev");
}

function grows(sent: Json | Whole | Patched): boolean {
  return isRevised(sent) && "patch" in sent && sent.patch.every(([sign]) => sign === "+");
}

function tryApply(value: Json | undefined, ops: readonly Op[]): Json | undefined {
  if (value === undefined) return undefined;
  try {
    return apply(value, ops);
  } catch (error) {
    if (error instanceof MisfitError) return undefined;
    throw error;
  }
}
