/**
 * The inspector: a column on the right, on demand, over the page on small screens. What a section shows is fetched when
 * it opens.
 *
 * It takes the focus when it opens and gives it back when it closes; it never opens by itself. A section is a line of
 * `SECTIONS`: its `Body` gets the conversation, and `about` if it is `of` something (then its tab is there only while it
 * is open). One that `stays` is not drawn anew for another conversation.
 */
import { Suspense, useEffect, useRef, useSyncExternalStore } from "react";
import { useConversation } from "./history.jsx";
import { closeInspector, inspect, openSection, serverSection, subscribeInspector, toggleSection } from "./inspect.js";
import { actionOf, keyIn } from "./keys.js";
import { lazy } from "./lazy.js";

const SECTIONS = {
  preview: { tab: "Preview", label: "Preview of the request", Body: lazy(() => import("./preview.jsx")), nothing: "Open a conversation to see what a send would hold." },
  tools: { tab: "Tools", label: "Tools of the conversation", Body: lazy(() => import("./tools_panel.jsx")), nothing: "Open a conversation to choose its tools." },
  usage: { tab: "Usage", label: "Usage of the conversation", Body: lazy(() => import("./usage_panel.jsx")), nothing: "Open a conversation to see what it cost." },
  branches: { tab: "Branches", label: "Branches of the conversation", stays: true, Body: lazy(() => import("./branches.jsx")), nothing: "Open a conversation to see its branches." },
  lineage: { tab: "Lineage", label: "Lineage of the conversation", Body: lazy(() => import("./lineage.jsx")), nothing: "Open a conversation to see what it was derived from." },
};

const OVER_THE_PAGE = "(max-width: 1099px)";

const useSection = () => useSyncExternalStore(subscribeInspector, openSection, serverSection);

export function InspectorToggle({ children, label, className }) {
  const { name } = useSection();
  return (
    <button type="button" className={className} aria-label={label} title={`${label} (p)`} aria-expanded={Boolean(name)} aria-controls="inspector" onClick={() => (name ? closeInspector() : inspect("preview"))}>
      {children}
    </button>
  );
}

export function Inspector() {
  const { name, about } = useSection();
  const open = Boolean(name);
  const conversation = useConversation();
  const place = useRef(null);
  useEffect(() => {
    if (!open) return undefined;
    const before = document.activeElement;
    const page = document.querySelector("main");
    const over = matchMedia(OVER_THE_PAGE);
    const adapt = () => (page.inert = over.matches);
    adapt();
    over.addEventListener("change", adapt);
    return () => {
      over.removeEventListener("change", adapt);
      page.inert = false;
      if (!document.activeElement || document.activeElement === document.body || document.activeElement.closest("#inspector")) before?.focus({ preventScroll: true });
    };
  }, [open]);
  useEffect(() => {
    if (name && !place.current.contains(document.activeElement)) place.current.focus({ preventScroll: true });
  }, [name]);
  const pressed = (event) => {
    const { ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey) return;
    const action = target.matches("input, textarea") ? "" : actionOf(keyIn(event))?.id;
    if (event.key === "Escape") closeInspector();
    else if (action in SECTIONS) toggleSection(action);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const section = SECTIONS[name];
  return (
    <aside id="inspector" className="inspector" aria-label={section?.label ?? "Inspector"} ref={place} tabIndex={-1} hidden={!open} onKeyDown={pressed}>
      {section ? (
        <>
          <header>
            <h2 className="unseen">{section.label}</h2>
            <Sections name={name} />
            <button type="button" className="inspector-close" aria-label="Close the inspector" title="Close (Esc)" onClick={closeInspector}>
              <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4.5 4.5 7 7m0-7-7 7" /></svg>
            </button>
          </header>
          <Suspense fallback={<p className="inspector-note">Loading…</p>}>
            {conversation ? <section.Body key={section.stays ? name : [name, conversation, about?.id].join()} conversation={conversation} about={about} /> : <p className="inspector-note">{section.nothing}</p>}
          </Suspense>
        </>
      ) : null}
    </aside>
  );
}

/** The sections to choose from; one that is about something stands there while it is open. */
function Sections({ name }) {
  const tabs = useRef(null);
  const shown = Object.keys(SECTIONS).filter((other) => other === name || !SECTIONS[other].of);
  const walk = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (shown.indexOf(name) + step + shown.length) % shown.length;
    inspect(shown[at]);
    tabs.current.children[at].focus();
  };
  return (
    <div className="tabs sections" role="tablist" aria-label="Inspector" ref={tabs} onKeyDown={walk}>
      {shown.map((other) => (
        <button key={other} type="button" role="tab" aria-selected={other === name} tabIndex={other === name ? 0 : -1} onClick={() => inspect(other)}>
          {SECTIONS[other].tab}
        </button>
      ))}
    </div>
  );
}
