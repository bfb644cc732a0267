import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { attach } from "../../app/ui/kit/connection/link.ts";
import { hold, showPosition } from "../../app/ui/transcript/held.ts";
import type { ScreenPairView, TranscriptWindowProps } from "../../app/ui/transcript/views.ts";

/** A window with the pairs from a position up to 80. */
function windowFrom(position: number, path = "/c/one"): { props: TranscriptWindowProps; asked: number[] } {
  const asked: number[] = [];
  const all = Array.from({ length: 81 }, (_, at) => ({ id: `p${at}`, position: at }) as ScreenPairView);
  const onPosition = (at: number) => void asked.push(at);
  const shown = { path, pairs: all.slice(position), earlier: position > 1, later: false, onPosition };
  return { props: shown as Partial<TranscriptWindowProps> as TranscriptWindowProps, asked };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

test("a pair that is loaded late is awaited", async (context: TestContext) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { props, asked } = windowFrom(51);
  hold(props);
  const ended: boolean[] = [];

  void showPosition(0).then((isLoaded) => ended.push(isLoaded));
  context.mock.timers.tick(60_000);
  hold(windowFrom(41).props);
  await turns();
  assert.deepEqual([asked, ended], [[0], []]);

  hold(windowFrom(1).props);
  await turns();
  assert.deepEqual(ended, [true]);
  assert.equal(await showPosition(0), true);
});

test("no pair is awaited in a conversation that is left", async () => {
  hold(windowFrom(51).props);

  const isLoaded = showPosition(0);
  hold(windowFrom(51, "/c/two").props);

  assert.equal(await isLoaded, false);
});

test("no pair is awaited over a loss of the connection", async () => {
  let lose = () => {};
  attach(
    {
      on: (event: string, listener: () => void) => {
        if (event === "disconnect") lose = listener;
      },
      onAny() {},
      io: { on() {}, timeout() {}, _close() {} },
    },
    [],
  );
  hold(windowFrom(51).props);

  const isLoaded = showPosition(0);
  lose();

  assert.equal(await isLoaded, false);
  assert.equal(await showPosition(0), false);
});

test("a window that is gone loads nothing", async () => {
  hold(windowFrom(51).props)();

  assert.equal(await showPosition(0), false);
});
