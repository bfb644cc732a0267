/** What stands around the text area and is no Python yet: permissions, the queue, comparing, inserting, the schema. */
import { Suspense, useRef } from "react";
import { useConversation, useLive } from "./history.jsx";
import { lazy } from "./lazy.js";
import { Compare } from "./compare.jsx";
import { Insert } from "./insert.jsx";
import { SchemaChoice } from "./schema_choice.jsx";

const Queue = lazy(() => import("./queue.jsx"));
const Permissions = lazy(() => import("./permissions.jsx"));
const NOTHING_WAITS = { items: [], held: null };
const box = { get current() { return document.getElementById("prompt"); } };

export function Waiting({ onResume, onBack }) {
  const conversation = useConversation();
  const { id, running, queue, permissions } = useLive();
  const waited = useRef("");
  const here = conversation && id === conversation;
  if (here && queue?.items.length) waited.current = conversation;
  return (
    <Suspense fallback={null}>
      {here && permissions?.length ? <Permissions requests={permissions} /> : null}
      {conversation && waited.current === conversation ? <Queue key={conversation} conversation={conversation} queue={(here && queue) || NOTHING_WAITS} busy={Boolean(running)} onGoOn={onResume} onBack={onBack} /> : null}
    </Suspense>
  );
}

export function ComposerTools({ model, agent, schema, onSchema, onCompare, onBack }) {
  const conversation = useConversation();
  const { id, running, comparison } = useLive();
  const here = id === conversation;
  return (
    <>
      <Compare conversation={conversation} comparison={here ? comparison : null} busy={Boolean(here && running)} model={model} onCompare={onCompare} onBack={onBack} />
      <Insert area={box} agent={agent} />
      <SchemaChoice schema={schema} onSchema={onSchema} />
    </>
  );
}
