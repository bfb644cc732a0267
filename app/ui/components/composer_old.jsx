/** What stands around the text area and is no Python yet: permissions, inserting, the schema. */
import { Suspense } from "react";
import { useConversation, useLive } from "./history.jsx";
import { lazy } from "./lazy.js";
import { Insert } from "./insert.jsx";
import { SchemaChoice } from "./schema_choice.jsx";

const Permissions = lazy(() => import("./permissions.jsx"));
const box = { get current() { return document.getElementById("prompt"); } };

export function Waiting() {
  const conversation = useConversation();
  const { id, permissions } = useLive();
  return <Suspense fallback={null}>{conversation && id === conversation && permissions?.length ? <Permissions requests={permissions} /> : null}</Suspense>;
}

export function Asked() {
  const { permissions } = useLive();
  return <Suspense>{permissions?.length ? <Permissions requests={permissions} /> : null}</Suspense>;
}

export function ComposerTools({ agent, schema, onSchema }) {
  return (
    <>
      <Insert area={box} agent={agent} />
      <SchemaChoice schema={schema} onSchema={onSchema} />
    </>
  );
}
