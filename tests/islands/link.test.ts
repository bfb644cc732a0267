import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import {
  admit,
  attach,
  currentLink,
  type ReflexEvent,
  refused,
  type Socket,
  type Update,
  untilOpen,
} from "../../app/ui/kit/link.ts";

type Event = Parameters<Socket["on"]>[0];

const DELETE: ReflexEvent = { name: "reflex___state____state.app___state___sidebar____sidebar_state.delete" };
const TYPED: ReflexEvent = { ...DELETE, event_actions: { temporal: true } };
const HYDRATE: ReflexEvent = { name: "reflex___state____state.hydrate_and_load" };
const LOAD: ReflexEvent = { name: "reflex___state____state.reflex___state____on_load_internal_state.on_load_internal" };
const REDIRECT: ReflexEvent = { name: "_redirect" };
const ROOT = "reflex___state____state";
const ALL_VALUES: Update = { delta: { [ROOT]: { is_hydrated_rx_state_: false } } };

/** A socket of which the test says what happens to it. */
class FakeSocket implements Socket {
  readonly listeners = new Map<Event, () => void>();
  closed = 0;
  ping = () => {};
  readonly io = {
    on: (_: "ping", listener: () => void) => {
      this.ping = listener;
    },
    timeout: () => {},
    _close: () => {
      this.closed += 1;
      this.tell("disconnect");
    },
  };
  on(event: Event, listener: () => void) {
    this.listeners.set(event, listener);
  }
  receive: (name: string, update?: Update) => void = () => {};
  onAny(listener: (name: string, update?: Update) => void) {
    this.receive = listener;
  }
  tell(event: Event) {
    this.listeners.get(event)?.();
  }
}

let socket: FakeSocket;
let queue: ReflexEvent[];

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["Date", "setTimeout"] });
  socket = new FakeSocket();
  queue = [];
  attach(socket, queue);
});

/** The socket connects, and all values come. */
function open(): void {
  socket.tell("connect");
  socket.receive("event", ALL_VALUES);
}

test("events wait for the first connection, and go if there is none", () => {
  assert.equal(currentLink(), "opening");
  assert.deepEqual(admit([DELETE, HYDRATE]), [DELETE, HYDRATE]);
  queue.push(DELETE, LOAD);

  socket.tell("connect_error");

  assert.equal(currentLink(), "lost");
  assert.deepEqual(queue, [LOAD]);
});

test("the link is what happened to the socket last", () => {
  open();
  assert.equal(currentLink(), "open");
  socket.tell("disconnect");
  assert.equal(currentLink(), "lost");
});

test("a socket that is back carries nothing before all values have come anew", () => {
  open();
  socket.tell("disconnect");

  socket.tell("connect");
  socket.receive("event", { delta: { [`${ROOT}.app___state___sidebar____sidebar_state`]: { more_rx_state_: true } } });
  socket.receive("event", { delta: { [ROOT]: { conversation_rx_state_: "" } } });
  assert.equal(currentLink(), "lost");
  assert.deepEqual(admit([DELETE, HYDRATE]), [HYDRATE]);

  socket.receive("event", ALL_VALUES);
  assert.equal(currentLink(), "open");
  assert.deepEqual(admit([DELETE]), [DELETE]);
});

test("only Reflex's own events are sent later", () => {
  open();
  assert.deepEqual(admit([DELETE, LOAD]), [DELETE, LOAD]);

  socket.tell("disconnect");

  assert.deepEqual(admit([DELETE, HYDRATE, LOAD, REDIRECT, TYPED]), [HYDRATE, LOAD, REDIRECT]);
});

test("a refusal is shown, a temporal event is dropped without a word", () => {
  open();
  socket.tell("disconnect");
  refused.set(false); // of another test

  admit([TYPED]);
  assert.equal(refused.get(), false);
  admit([DELETE]);
  assert.equal(refused.get(), true);
});

test("a connection that has been silent for too long is not trusted with an event", () => {
  open();
  mock.timers.tick(20_000);
  socket.ping();
  mock.timers.tick(24_000);
  assert.deepEqual(admit([DELETE]), [DELETE]);
  mock.timers.tick(2_000);

  assert.deepEqual(admit([DELETE]), []);

  assert.equal(socket.closed, 1);
  assert.equal(currentLink(), "lost");
});

test("whoever waits for the link goes on once it is open", async () => {
  socket.tell("disconnect");
  let reached = false;
  const waiting = untilOpen().then(() => {
    reached = true;
  });

  await Promise.resolve();
  assert.equal(reached, false);
  open();
  await waiting;

  assert.equal(reached, true);
  await untilOpen();
});
