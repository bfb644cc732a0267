/**
 * What a page needs around its words: a drawer, a modal dialog, a fold, times, announcements.
 *
 * Not the look of any of it, and no knowledge of conversations but in `Announcer` and `RunningDot`.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { ask } from "./api.js";
import { useLive } from "./history.jsx";
import { pairOf, snapshot, subscribe } from "./live.js";
import { tellFault } from "./toasts.js";

/** The column that folds away. On wide screens its state is remembered, on small ones it starts closed on every page. */
const WIDE = "(min-width: 860px)";
const root = () => document.documentElement;

function setDrawer(open) {
  root().dataset.drawer = open ? "open" : "closed";
  if (matchMedia(WIDE).matches) localStorage.setItem("inview.drawer", root().dataset.drawer);
  if (open) dispatchEvent(new Event("inview:drawer"));
}

export function Drawer({ children, label }) {
  const { pathname } = useLocation();
  const place = useRef(null);
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const adapt = () => (root().dataset.drawer = wide.matches ? (localStorage.getItem("inview.drawer") ?? "open") : "closed");
    adapt();
    wide.addEventListener("change", adapt);
    return () => wide.removeEventListener("change", adapt);
  }, [pathname]);
  useEffect(() => {
    const pressed = ({ key }) => {
      if (key === "Escape" && root().dataset.drawer === "open" && !matchMedia(WIDE).matches) setDrawer(false);
    };
    // Over the page it takes the focus; beside the page it does not.
    const opened = () => matchMedia(WIDE).matches || place.current.focus({ preventScroll: true });
    addEventListener("keydown", pressed);
    addEventListener("inview:drawer", opened);
    return () => {
      removeEventListener("keydown", pressed);
      removeEventListener("inview:drawer", opened);
    };
  }, []);
  return (
    <>
      <div className="drawer-shade" onClick={() => setDrawer(false)} />
      <nav className="drawer" aria-label={label} ref={place} tabIndex={-1}>
        {children}
      </nav>
    </>
  );
}

/** For keys: past the list. Not the router's own link, which moves no focus, and leads elsewhere until the scripts have come. */
export function SkipLink({ children }) {
  const skip = (event) => {
    event.preventDefault();
    document.getElementById("centre").focus();
  };
  return <a className="skip" href="#centre" onClick={skip}>{children}</a>;
}

export function DrawerToggle({ children, label, className }) {
  return (
    <button type="button" className={className} aria-label={label} title={label} onClick={() => setDrawer(root().dataset.drawer !== "open")}>
      {children}
    </button>
  );
}

/** A dialog above everything, with the browser's own focus trap and Escape. */
export function Modal({ open, onClose, label, children }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (open && !dialog.current.open) dialog.current.showModal();
    else if (!open && dialog.current.open) dialog.current.close();
  }, [open]);
  return (
    <dialog ref={dialog} className="modal" aria-label={label} onClose={() => open && onClose?.()} onClick={(event) => event.target === dialog.current && dialog.current.close()}>
      {open ? children : null}
    </dialog>
  );
}

/** Words that are folded away. What is folded is not even drawn: a model's thinking may be long and is rarely read. */
export function Fold({ summary, className, children }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={className} onToggle={({ target }) => setOpen(target.open)}>
      <summary>{summary}</summary>
      {open ? children : null}
    </details>
  );
}

/** A moment as people say it ("5 minutes ago", "21 Nov"), exact on hover; it keeps up with the clock. `exact`: the time. */
export function Moment({ at, exact }) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (exact) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, [exact]);
  if (!at || typeof window === "undefined") return null;
  const date = new Date(at);
  return (
    <time dateTime={at} onMouseEnter={({ currentTarget }) => (currentTarget.title = date.toLocaleString())}>
      {exact ? clock(date) : ago(date)}
    </time>
  );
}

// By hand: the browser's own formatters take ten milliseconds to make, in the middle of opening a page.
const two = (number) => String(number).padStart(2, "0");
const clock = (date) => `${two(date.getHours())}:${two(date.getMinutes())}`;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const UNITS = [
  [60, "m", 1],
  [24 * 60, "h", 60],
  [7 * 24 * 60, "d", 24 * 60],
];

function ago(date) {
  const minutes = (Date.now() - date) / 60_000;
  if (minutes < 1) return "now";
  const [, unit, length] = UNITS.find(([below]) => minutes < below) ?? [];
  if (unit) return `${Math.floor(minutes / length)}${unit} ago`;
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return date.getFullYear() === new Date().getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

const SETTLE_MS = 500; // the first words of a reply are more urgent than its dot in the list

/**
 * Tells screen readers, and nobody else, when a reply begins and ends; tells Python what to read again: `onRun` what a
 * reply changes in the list, whose first conversation is `newest`, `onChanged` everything.
 */
export function Announcer({ newest, onRun, onChanged }) {
  const { running, ended, conversation, pairs, link } = useLive();
  const [said, setSaid] = useState("");
  const gone = link === "gone";
  const before = useRef({ running, conversation, gone });
  useEffect(() => {
    const was = before.current;
    before.current = { running, conversation, gone };
    if (was.running === running && was.conversation === conversation && was.gone === gone) return undefined;
    if (running && !was.running) setSaid("The reply has begun.");
    if (!running && was.running) {
      const pair = pairs.find(({ id }) => id === ended);
      if (pair) setSaid({ succeeded: "The reply is complete.", canceled: "The reply was stopped." }[pair.lifecycle] ?? `The reply failed. ${pair.error?.message ?? ""}`);
    }
    // The first words of a conversation are its name.
    const named = running && pairs.length < 2;
    const tell = was.conversation !== conversation || was.gone !== gone || named ? onChanged : onRun;
    if (running && tell === onRun && newest === snapshot().id) return undefined; // it is where it belongs, and has its dot
    const timer = setTimeout(() => tell?.(), running ? SETTLE_MS : 0);
    return () => clearTimeout(timer);
  }, [running, conversation, gone]);
  return <p className="unseen" role="status" aria-live="polite">{said}</p>;
}

/** The dot of a conversation in which a reply is on. Of the one on screen the page knows that itself. */
export function RunningDot({ conversation, running }) {
  const shown = useSyncExternalStore(
    subscribe,
    () => (snapshot().id === conversation && snapshot().link === "open" ? Boolean(snapshot().running) : running),
    () => running,
  );
  return shown ? <span className="dot flex-none" role="img" aria-label="A reply is running" /> : null;
}

/** While a provider is asked again: which attempt, and in how many seconds. */
export function Retry({ pairId }) {
  const { retry } = useLive();
  const [, tick] = useState(0);
  const mine = retry?.pair_id === pairId ? retry : null;
  useEffect(() => {
    if (!mine) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, [mine]);
  if (!mine) return null;
  const seconds = Math.max(0, Math.ceil((mine.at - performance.now()) / 1000));
  const run = (what, { currentTarget }) => {
    currentTarget.closest("[data-pair]")?.querySelector("[data-part]").focus({ preventScroll: true }); // the buttons go, and the focus must not go with them
    ask("POST", `/runs/${pairOf(pairId).run_id}/${what}`).catch(tellFault);
  };
  return (
    <span className="retry">
      [error: {mine.class}] {mine.message} Trying again {seconds ? `in ${seconds} s` : "now"}.{" "}
      {seconds ? <button type="button" onClick={(event) => run("retry", event)}>Try now</button> : null}{" "}
      <button type="button" onClick={(event) => run("cancel", event)}>Stop trying</button>
    </span>
  );
}
