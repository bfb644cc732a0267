/**
 * Having the older pairs summarised: asks for it, tells how it goes, and resolves once the summary is the checkpoint.
 *
 * The summary belongs to the server: leaving the page does not stop it. Not the card that shows it (checkpoint.jsx).
 */
import { ask } from "./api.js";

const POLL_MS = 100;
const POLLS = 100;

/**
 * `body`: how the conversation is looked at, and the draft that is to fit. `onProgress(words, stop)` as it goes; `stop`
 * ends it. Throws an Error fit to be shown; nothing has changed then.
 */
export async function summarise(conversation, body, onProgress) {
  const started = await ask("POST", `/conversations/${conversation}/summarize`, body);
  const stop = () => ask("POST", `/runs/${started.run_id}/cancel`);
  const pairs = `${started.pair_count} ${started.pair_count === 1 ? "pair" : "pairs"}`;
  onProgress(`Summarising ${pairs}…`, stop);
  const end = await followRun(started.events, (characters) => onProgress(`Summarising ${pairs}… ${characters.toLocaleString()} characters`, stop));
  if (end.kind === "cancelled") throw new Error("The summary was stopped. Nothing has changed; your text is kept.");
  if (end.kind === "broken") throw new Error("The connection was lost. The summary goes on at the server and will stand here as a card; your text is kept.");
  if (end.kind !== "done") throw new Error(`The summary failed: ${end.data.message} Nothing has changed; your text is kept.`);
  for (let poll = 0; poll < POLLS; poll++) {
    const { checkpoint } = await ask("GET", `/conversations/${conversation}`);
    if (checkpoint?.position === started.position) return started;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error("The summary came back empty. Nothing has changed; your text is kept.");
}

/** Read a run's events to its end; `onText` hears how many characters there are. */
export async function followRun(url, onText) {
  const response = await fetch(url, { headers: { Accept: "text/event-stream" } }).catch(() => null);
  if (!response?.ok) return { kind: "broken", data: {} };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let characters = 0;
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return { kind: "broken", data: {} };
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const kind = /^event: (.*)$/m.exec(event)?.[1];
      const data = JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "{}");
      if (kind === "text") onText((characters += data.text.length));
      if (kind === "done" || kind === "error" || kind === "cancelled") return { kind, data, characters };
    }
  }
}
