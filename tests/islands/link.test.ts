import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { admit, attach, currentLink, fits, onSent, type ReflexEvent, refused, type Socket, untilOpen } from "../../app/ui/kit/connection/link.ts";

type Event = Parameters<Socket["on"]>[0];

const DELETE: ReflexEvent = { name: "reflex___state____state.app___state___sidebar___sidebar____sidebar_state.delete" };
const TYPED: ReflexEvent = { ...DELETE, event_actions: { temporal: true } };
const HYDRATE: ReflexEvent = { name: "reflex___state____state.hydrate_and_load" };
const LOAD: ReflexEvent = { name: "reflex___state____state.reflex___state____on_load_internal_state.on_load_internal" };
const REDIRECT: ReflexEvent = { name: "_redirect" };

/** A socket that the test opens, closes and breaks. */
class FakeSocket implements Socket {
  readonly listeners = new Map<Event, () => void>();
  closed = 0;
  patience = 0;
  ping = () => {};
  readonly io = {
    on: (_: "ping", listener: () => void) => {
      this.ping = listener;
    },
    timeout: (ms: number) => {
      this.patience = ms;
    },
    _close: () => {
      this.closed += 1;
      this.tell("disconnect");
    },
  };
  on(event: Event, listener: () => void) {
    this.listeners.set(event, listener);
  }
  onAny() {}
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
  refused.set(""); // left by another test
  attach(socket, queue);
});

test("events wait for the first connection, and go if there is none", () => {
  assert.equal(currentLink(), "opening");
  assert.deepEqual(admit([DELETE, HYDRATE]), [DELETE, HYDRATE]);
  queue.push(DELETE, LOAD);

  socket.tell("connect_error");

  assert.equal(currentLink(), "lost");
  assert.deepEqual(queue, [LOAD]);
});

for (const event of ["connect", "connect_error"] as const) {
  test(`the first attempt has more time than those after ${event}: a page that loads is busy`, () => {
    const first = socket.patience;

    socket.tell(event);

    assert.ok(first > socket.patience, `${first} is not more than ${socket.patience}`);
  });
}

test("the link is what happened to the socket last", () => {
  socket.tell("connect");
  assert.equal(currentLink(), "open");
  socket.tell("disconnect");
  assert.equal(currentLink(), "lost");
});

test("only Reflex's own events are sent later", () => {
  socket.tell("connect");
  assert.deepEqual(admit([DELETE, LOAD]), [DELETE, LOAD]);

  socket.tell("disconnect");

  assert.deepEqual(admit([DELETE, HYDRATE, LOAD, REDIRECT, TYPED]), [HYDRATE, LOAD, REDIRECT]);
});

test("sent events are reported, and refused ones are not", () => {
  const heard: string[] = [];
  const stop = onSent((name) => heard.push(name));
  socket.tell("connect");
  admit([DELETE]);
  socket.tell("disconnect");
  admit([DELETE, LOAD]);
  stop();
  admit([LOAD]);

  assert.deepEqual(heard, [DELETE.name, LOAD.name]);
});

test("a refusal is shown, a temporal event is dropped without a message", () => {
  socket.tell("connect");
  socket.tell("disconnect");
  admit([TYPED]);
  assert.equal(refused.get(), "");
  admit([DELETE]);
  assert.equal(refused.get(), "away");
});

test("a page that is opened without a server is announced as such, and needs no repetition", () => {
  socket.tell("disconnect");
  admit([DELETE]); // the opened page sends events of its own
  admit([LOAD]);
  assert.equal(refused.get(), "later");

  socket.tell("connect");

  assert.equal(refused.get(), "");
});

test("an action after a page was opened without a server is refused", () => {
  socket.tell("disconnect");
  admit([LOAD]);

  admit([DELETE]);

  assert.equal(refused.get(), "away");
});

test("a refusal says that the server is away for as long as it is, and then for a while that it is back", () => {
  socket.tell("disconnect");
  admit([DELETE]);
  mock.timers.tick(60_000);
  assert.equal(refused.get(), "away");

  socket.tell("connect");
  assert.equal(refused.get(), "back");
  mock.timers.tick(60_000);
  assert.equal(refused.get(), "");
});

test("a refusal of a server that went away again is said for as long as it is away", () => {
  socket.tell("disconnect");
  admit([DELETE]);
  socket.tell("connect");
  socket.tell("disconnect");

  admit([DELETE]);
  mock.timers.tick(60_000);

  assert.equal(refused.get(), "away");
});

test("a connection that has been silent for too long is not trusted with an event", () => {
  socket.tell("connect");
  mock.timers.tick(20_000);
  socket.ping();
  mock.timers.tick(24_000);
  assert.deepEqual(admit([DELETE]), [DELETE]);
  mock.timers.tick(2_000);

  assert.deepEqual(admit([DELETE]), []);

  assert.equal(socket.closed, 1);
  assert.equal(currentLink(), "lost");
});

test("a caller that waits for the link continues once it is open", async () => {
  socket.tell("disconnect");
  let open = false;
  const waiting = untilOpen().then(() => {
    open = true;
  });

  await Promise.resolve();
  assert.equal(open, false);
  socket.tell("connect");
  await waiting;

  assert.equal(open, true);
  await untilOpen();
});

test("a text fits while the server takes its event, whatever its characters are", () => {
  for (const character of ["a", "\n", '"', "\u00e9", "\u4e2d", "\u{1f600}"]) {
    assert.ok(fits({ draft: character.repeat(4_000_000 / character.length) }), character);
  }
  assert.ok(fits({ draft: "a".repeat(16_000_000) }));
  for (const text of [
    "a".repeat(17_000_000),
    `\u{1f600}${"a".repeat(4_400_000)}`, // each character takes four bytes of the server's memory
    "\u0001".repeat(3_000_000), // six characters of JSON each
    "\u4e2d".repeat(6_000_000),
  ]) {
    assert.ok(!fits({ form_data: { text } }), text.slice(0, 4));
  }
});

test("an event that is too large is refused, said for a while, and takes no other event along", () => {
  socket.tell("connect");
  const event = { ...DELETE, payload: { text: "a".repeat(18_000_000) } };

  assert.deepEqual(admit([event, HYDRATE]), [HYDRATE]);

  assert.equal(refused.get(), "large");
  mock.timers.tick(7000);
  assert.equal(refused.get(), "");
});
