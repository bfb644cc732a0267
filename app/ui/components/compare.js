/**
 * A reply that is being compared, watched at the live socket of the conversation it is made in (docs/live-socket.md).
 *
 * Not the conversation on screen (live.js): of these there are up to four at once, each with one pair, never filtered.
 */
const BACKOFF_MS = [250, 500, 1000, 2000, 4000];
const GONE = 4404;
const APPENDED = { t: ["text", "text"], h: ["thinking", "text"], i: ["tool_call", "input_json"] };

/** `changed(reply)` hears of every change: {pair: its head or null, parts, retry}. Returns how to stop. */
export function watchReply(conversation, changed) {
  let reply = { pair: null, parts: [], retry: null };
  let socket = null;
  let attempts = 0;
  let timer = 0;
  let stopped = false;
  const set = (change) => changed((reply = { ...reply, ...change }));

  const append = (type, field, text) => {
    const last = reply.parts.at(-1);
    const grown = last?.type === type ? { ...last, [field]: last[field] + text } : { type, [field]: text };
    set({ parts: [...(last?.type === type ? reply.parts.slice(0, -1) : reply.parts), grown], retry: null });
  };
  const put = ([pair]) => pair && set({ pair: { ...reply.pair, ...pair }, parts: pair.parts ?? reply.parts, retry: null });
  const CONTROL = {
    window: ({ pairs }) => put(pairs),
    pairs: ({ pairs }) => put(pairs),
    end: ({ pair }) => put([pair]),
    part: ({ part }) => set({ parts: [...reply.parts, { text: "", input_json: "", ...part }] }),
    tool_call: (call) => set({ parts: reply.parts.map((part) => (part.tool_call_id === call.tool_call_id ? { ...part, state: call.state } : part)) }),
    retry: (retry) => set({ retry }),
  };
  const receive = ({ data }) => {
    attempts = 0;
    if (data[0] === "{") {
      const frame = JSON.parse(data);
      CONTROL[frame.type]?.(frame);
    } else if (data[0] in APPENDED) append(...APPENDED[data[0]], data.slice(1));
  };
  const connect = () => {
    socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/v1/conversations/${conversation}/live`);
    socket.onmessage = receive;
    socket.onclose = ({ code }) => {
      if (!stopped && code !== GONE) timer = setTimeout(connect, BACKOFF_MS[Math.min(attempts++, BACKOFF_MS.length - 1)]);
    };
  };
  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket.close();
  };
}
