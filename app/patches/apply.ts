/**
 * Patches in the browser: applies them to the page's values, or refuses them.
 *
 * The server sends a var whole or as a patch, with a revision: the name of the connection, and a number that increases
 * by one each time the var is sent. A patch fits only the previous value. A patch that was already received is ignored.
 * If a patch does not fit, the page requests all values, and once again if no answer comes. Values are never changed in
 * place, and parts that a patch does not name stay the same objects, so that React renders only changes.
 * `app/patches/patch.py` writes the patches.
 *
 * A frame that only adds to the same text as the previous frame names neither the state nor the var: `createReader`
 * adds both names.
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
type Patched = { readonly $rev: Revision; readonly place?: number; readonly patch: readonly Op[] };
export type Values = { readonly [name: string]: Json };
/** New values of vars: plain, whole with a revision, or as a patch. */
export type Delta = { readonly [name: string]: Json | Whole | Patched };

/** Reflex's var that is false in a hydrate, and true after a page has loaded. */
const HYDRATED = "is_hydrated_rx_state_";
/** Time after which an answer counts as lost. */
const ASK_AGAIN_MS = 10_000;
const MOST_REQUESTS = 2; // without an answer; after that the next patch that does not fit asks again

/** A patch whose path leads nowhere in the value. */
export class MisfitError extends Error {}

/** Return the new value. Throws MisfitError if the operations do not fit the old one. */
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
 * Make Reflex's reducer for deltas with patches.
 *
 * `applyWhole` is Reflex's reducer: it applies whole values and keeps equal ones. `hydrate` requests all values.
 * Reducers run outside React, one delta after the other.
 */
export function createReducer(
  applyWhole: (state: Values, delta: Values) => Values,
  hydrate: () => void,
): (state: Values, delta: Delta) => Values {
  const revisions = new WeakMap<Values, Map<string, Revision>>();
  let waiting: ReturnType<typeof setTimeout> | undefined; // the timer of an answer

  function ask(requests = MOST_REQUESTS): void {
    if (waiting !== undefined || requests === 0) return; // further patches that do not fit need no further request
    hydrate();
    waiting = setTimeout(() => {
      waiting = undefined;
      ask(requests - 1);
    }, ASK_AGAIN_MS);
  }

  return (state, delta) => {
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
      if (connection === heldConnection && number <= heldNumber) continue; // already received
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
  };
}

function isRevised(sent: Json | Whole | Patched): sent is Whole | Patched {
  return sent !== null && typeof sent === "object" && Object.hasOwn(sent, "$rev");
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

/** Where the text of a frame without names goes: the var and the path of the last patch that had a `place`. */
type Place = { place: number; connection: string; state: string; name: string; path: Path };

/** A text without names: the number of its place, that of the var's revision (its last digit is a letter), the text. */
const ADDED = /^\+(\d+),(\d+)([A-Z])/;
const LETTERS = 26;

/**
 * Make a reader of the data of Socket.IO packets. `parse` reads JSON.
 *
 * Data without names, such as `+3,0R more`, becomes the event of Reflex that adds this text at the place of the last
 * patch with this number. If that patch was lost, the event is empty: the next patch of the var does not fit then.
 */
export function createReader(parse: (text: string) => unknown): (text: string) => unknown {
  let last: Place | undefined;
  return (text) => {
    const [head, place, digits, letter] = text.startsWith("+") ? (ADDED.exec(text) ?? []) : [];
    if (head !== undefined && letter !== undefined) {
      if (last?.place !== Number(place)) return ["event", {}];
      const patch: Op = ["+", last.path, text.slice(head.length)];
      const number = Number(digits) * LETTERS + letter.charCodeAt(0) - "A".charCodeAt(0);
      const sent: Patched = { $rev: [last.connection, number], patch: [patch] };
      return ["event", { delta: { [last.state]: { [last.name]: sent } } }];
    }
    const data = parse(text);
    // The answer to a new connection is an object, and events are lists. The old places are unknown in it.
    last = Array.isArray(data) ? (placeIn(data[1]) ?? last) : undefined;
    return data;
  };
}

function placeIn(update: { readonly delta?: { readonly [state: string]: Delta } } | undefined): Place | undefined {
  const [entry, ...others] = Object.entries(update?.delta ?? {});
  if (entry === undefined || others.length > 0) return undefined;
  const [state, delta] = entry;
  for (const [name, sent] of Object.entries(delta)) {
    if (!isRevised(sent) || !("patch" in sent) || sent.place === undefined) continue;
    const [op] = sent.patch;
    if (op !== undefined) return { place: sent.place, connection: sent.$rev[0], state, name, path: op[1] };
  }
  return undefined;
}
