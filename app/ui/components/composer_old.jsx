/** What stands around the text area and is no Python yet: permissions, comparing, inserting, the schema. */
import { Suspense } from "react";
import { useConversation, useLive } from "./history.jsx";
import { lazy } from "./lazy.js";
import { Compare } from "./compare.jsx";
import { Insert } from "./insert.jsx";
import { SchemaChoice } from "./schema_choice.jsx";

const Permissions = lazy(() => import("./permissions.jsx"));
const box = { get current() { return document.getElementById("prompt"); } };

export function Waiting() {
  const conversation = useConversation();
  const { id, permissions } = useLive();
  return <Suspense fallback={null}>{conversation && id === conversation && permissions?.length ? <Permissions requests={permissions} /> : null}</Suspense>;
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
