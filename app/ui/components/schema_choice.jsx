/** The composer's button for a JSON schema that the reply is to fit. Its dialog is fetched when it first opens. */
import { Suspense, useRef, useState } from "react";
import { lazy } from "./lazy.js";

const SchemaDialog = lazy(() => import("./schema_dialog.jsx"));

/** `schema` is its text, "" without one; `onSchema(text)` hears of another. */
export function SchemaChoice({ schema, onSchema }) {
  const [open, setOpen] = useState(false);
  const button = useRef(null);
  const close = () => {
    setOpen(false);
    setTimeout(() => button.current?.focus(), 0); // an open dialog lets nothing beside it have the focus
  };
  const label = schema ? "JSON schema of the reply: set" : "JSON schema of the reply";
  return (
    <>
      <button type="button" ref={button} className="schema-button" aria-label={label} aria-haspopup="dialog" data-set={schema ? "" : undefined} title={schema ? "The reply is to fit a JSON schema: show it" : "Have the reply fit a JSON schema"} onClick={() => setOpen(true)}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M6 2.5c-1.6 0-2 .8-2 2v1.7C4 7.3 3.4 8 2.3 8 3.4 8 4 8.7 4 9.8v1.7c0 1.2.4 2 2 2M10 2.5c1.6 0 2 .8 2 2v1.7c0 1.1.6 1.8 1.7 1.8-1.1 0-1.7.7-1.7 1.8v1.7c0 1.2-.4 2-2 2" /></svg>
      </button>
      {open ? (
        <Suspense fallback={null}>
          <SchemaDialog
            schema={schema}
            onUse={(text) => {
              onSchema(text);
              close();
            }}
            onCancel={close}
          />
        </Suspense>
      ) : null}
    </>
  );
}
