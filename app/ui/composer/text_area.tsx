/**
 * The text area of the composer. It grows with its text, keeps its draft in the browser and sends messages.
 *
 * It becomes empty at once when a text is sent. A refused text returns, in front of the text that was typed since. The
 * text is also reported to the server for the estimate, long texts less often.
 */
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useParams } from "react-router";
import { useSecondsLeft } from "../kit/clock/countdown.tsx";
import { currentEdition, endEdition, oversize, renewEdition } from "../kit/connection/edition.ts";
import { currentLink, fits, useLink } from "../kit/connection/link.ts";
import { acceptSent, dropSent, noteSent } from "../kit/connection/sent.ts";
import { catchLetters, keyMode, takesText } from "../kit/keys/key_mode.ts";
import { goTo, offer } from "../kit/keys/places.ts";
import { signal } from "../kit/signal.ts";
import { EDITED, keptText } from "../kit/texts/kept_text.ts";
import { applyShortcut, insertText, LONGEST_UNDONE } from "../kit/texts/writing.ts";
import { schemas, texts, uploads } from "./drafts.ts";
import { before, holds, type Moved, Pending, type Sent, without } from "./pending.ts";
import { NAME, usePrompts } from "./prompts.tsx";
import { Reports } from "./reports.ts";
import type { BoxOrder, DraftButtonProps, SendNoticeProps, SubmitButtonProps, TextAreaProps } from "./views.ts";

const COARSE = "(pointer: coarse)";
const KEEP_MS = 400;
const PAIRS = /[\ud800-\udbff]/g; // each starts two characters of JavaScript that are one in Python
const GROWS_ITSELF = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

const pending = new Pending(Math.random().toString(36).slice(2, 12));
const done = new Set<string>(); // ids of the orders that were carried out
const blank = signal(true); // there is nothing to send
const failed = signal(false); // the last send could not leave the browser

export function TextArea(props: TextAreaProps): ReactNode {
  const { label, placeholder, most, schema, files, restored, attached, lasting, answers, order, busy, queued } = props;
  const { conversation = "" } = useParams();
  const area = useRef<HTMLTextAreaElement>(null);
  const [reports] = useState(() => new Reports());
  const known = useRef({ conversation, lasting: false });
  // Set after rendering: until then, the text in the box belongs to the previous conversation.
  useLayoutEffect(() => {
    known.current = { conversation, lasting: lasting === conversation };
  });
  const link = useLink();
  const prompts = usePrompts(props);

  const here = useRef(conversation); // the conversation whose draft is in the box
  const typed = useRef(false); // a person has typed since the last report to the server
  // The edition to report; 0 while a send has no answer or the text is too large: then no data from Python is about it.
  const told = () => (oversize.get() || pending.waits(known.current.conversation) ? 0 : currentEdition());
  const tell = useEffectEvent(() => {
    props.onWrite?.(oversize.get() ? "" : (area.current?.value ?? ""), typed.current, told());
    typed.current = false;
  });
  const changed = () => {
    const text = area.current?.value ?? "";
    renewEdition();
    weigh(text, attached, most);
    grow(area.current);
    reports.plan(text.length, () => tell());
  };
  const show = (text: string) => {
    if (area.current) area.current.value = text;
    changed();
  };
  const keep = (save = texts.write) => {
    const { conversation: at, lasting: lasts } = known.current;
    if (area.current) {
      if (!oversize.get()) pending.forgetRemoved(at, area.current.value);
      save(at, pending.draftOf(at, area.current.value), lasts);
    } // else stored when the box was removed
    pending.note(at, lasts);
  };
  /** Send the text in the box. Returns false if there is nothing to send, or if it must not be sent now. */
  const send = (by: string, isPair = true): boolean => {
    const text = area.current?.value ?? "";
    const at = known.current.conversation;
    if (oversize.get() || !(text.trim() || attached) || (!at && pending.waits(at))) return false;
    if (currentLink() === "lost") {
      failed.set(true);
      return true;
    }
    reports.cancel();
    typed.current = false;
    const { id, again } = pending.add({ conversation: at, text, schema, files });
    renewEdition();
    props.onSend?.(id, text, by);
    if (area.current) empty(area.current);
    blank.set(true);
    failed.set(false);
    grow(area.current);
    if (!(busy || again)) noteSent(at, text, isPair); // the page may have the pair of a text that is sent again
    keep();
    return true;
  };

  const restoreId = useRef(0); // the id of the last draft that Python got
  const restore = useEffectEvent((text: string, at: string) => {
    restoreId.current = currentEdition();
    props.onRestore?.(text, schemas.read(at), uploads.read(at), told(), restoreId.current);
  });
  // Show the draft when the conversation changes. This is the first effect, so that the others find the draft.
  useLayoutEffect(() => {
    const box = area.current;
    if (!box) return undefined;
    // Typed before this script ran. If Enter was the last key, its line break is not a part of the text.
    const isEntered = box.dataset.entered === box.value;
    const early = isEntered ? box.value.slice(0, -1) : box.value;
    pending.recall(isKept);
    box.value = before(pending.writtenOf(conversation, texts.read(conversation)), early);
    // Only the text that the person saw when Enter was pressed is sent.
    const isAlone = box.value === early && !schemas.read(conversation) && !uploads.read(conversation);
    entered.current = isEntered && isAlone ? early : "";
    delete box.dataset.entered;
    renewEdition();
    weigh(box.value, false, most);
    failed.set(false);
    grow(box);
    delete box.dataset.typed;
    restore(oversize.get() ? "" : box.value, conversation);
    // The focus stays with a person who moves through branches in the inspector, or through conversations by keys.
    const walks = document.activeElement?.closest("#inspector") || (keyMode.get() && conversation);
    // It also stays in another text field, where a person may have typed since before this script ran.
    const stays = here.current === conversation && takesText(document.activeElement);
    here.current = conversation;
    if (!matchMedia(COARSE).matches && !walks && !stays) box.focus({ preventScroll: true });
    return () => {
      texts.leave(conversation, pending.draftOf(conversation, box.value), known.current.lasting);
      schemas.drop(conversation);
      uploads.drop(conversation);
      box.value = "";
      endEdition();
    };
  }, [conversation, most]);

  const keepNow = useEffectEvent(keep);
  useEffect(() => {
    const left = () => keepNow(texts.close);
    const timer = setInterval(() => keepNow(), KEEP_MS);
    addEventListener("pagehide", left);
    return () => {
      clearInterval(timer);
      removeEventListener("pagehide", left);
    };
  }, []);

  const sendNow = useEffectEvent(send);
  useEffect(() => {
    const focus = () => {
      area.current?.focus({ preventScroll: true });
      return document.activeElement === area.current;
    };
    const write = (key: string) => area.current && typeKey(area.current, key);
    const withdraw = offer({ composer: focus, write, send: () => sendNow(""), draft: () => area.current?.value ?? "" });
    const ignore = catchLetters(focus, write);
    return () => {
      withdraw();
      ignore();
    };
  }, []);

  const entered = useRef(""); // the text that Enter was pressed for before this script ran, until it is sent
  const isRestored = useRef(false);
  const keepAlong = useEffectEvent((of: number, along: Pick<Sent, "schema" | "files">, lasts: boolean) => {
    // Until Python has the draft of this conversation, the schema and files belong to another conversation.
    if (of === restoreId.current) {
      isRestored.current = true;
      schemas.write(conversation, along.schema, lasts);
      uploads.write(conversation, along.files, lasts);
      if (entered.current && area.current?.value === entered.current) send("");
      entered.current = "";
    } else if (!of && isRestored.current) {
      isRestored.current = false; // the server was restarted
      restore(oversize.get() ? "" : (area.current?.value ?? ""), conversation);
    }
  });
  const lasts = lasting === conversation;
  useEffect(() => keepAlong(restored, { schema, files }, lasts), [restored, schema, files, lasts]);
  useEffect(() => weigh(area.current?.value ?? "", attached, most), [attached, most]);

  const isHere = ({ conversation: of }: Sent) => of === known.current.conversation;
  const focusSoon = () => setTimeout(() => document.querySelector("dialog:modal") ?? area.current?.focus(), 0);
  const putBack = (refused: readonly Sent[]) => {
    for (const { text } of refused) dropSent(text);
    // The drafts of other conversations still contain their texts.
    const texts = refused.filter(isHere).map(({ text }) => text);
    if (texts.length) show(texts.reduceRight((rest, text) => before(text, rest), area.current?.value ?? ""));
    if (refused.length) focusSoon();
  };
  const takeOut = (sent: Sent) => {
    const { conversation: of, text } = sent;
    const wasThere = takeAlong(sent);
    if (!isHere(sent)) return texts.rewrite(of, without(text, texts.read(of)));
    show(without(text, area.current?.value ?? ""));
    if (wasThere) restore(area.current?.value ?? "", of);
  };
  const moveTo = ({ sent, to }: Moved) => {
    dropSent(sent.text);
    if (!isHere(sent)) takeOut(sent); // the box of this page was emptied by the send
    if (to !== known.current.conversation) return texts.write(to, before(sent.text, texts.read(to)), false);
    show(before(sent.text, area.current?.value ?? ""));
    focusSoon();
  };
  const answered = useEffectEvent((answers: TextAreaProps["answers"]) => {
    const { accepted, refused, moved, arrived } = pending.settle(answers);
    for (const { text } of accepted) acceptSent(text);
    for (const sent of accepted) if (!isHere(sent)) takeOut(sent);
    for (const sent of arrived) takeOut(sent);
    if (accepted.some(isHere)) changed(); // counts and previews include the pair from now on
    if (arrived.length) failed.set(false);
    for (const each of [...moved].reverse()) moveTo(each);
    putBack(refused);
    keep();
  });
  useEffect(() => answered(answers), [answers]);
  const linked = useEffectEvent((now: typeof link) => {
    if (now === "open") {
      changed(); // text that was typed meanwhile has not been reported
      failed.set(false);
    }
    if (now !== "lost") return;
    const lost = pending.abandon();
    putBack(lost);
    if (lost.length) failed.set(true);
  });
  useEffect(() => linked(link), [link]);
  const ordered = useEffectEvent((order: BoxOrder | null) => {
    const box = area.current;
    if (!order || !box || done.has(order.id)) return;
    done.add(order.id);
    if (order.kind === "send" && (!order.text || order.text === box.value) && send(order.id, false)) return;
    if (order.kind === "say" && !box.value.trim() && !attached) {
      show(order.text);
      if (send(order.id)) return;
    }
    props.onFinish?.(order.id);
    follow(order, box, show);
  });
  useEffect(() => ordered(order), [order]);

  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const chosen = prompts.press(event);
    if (chosen) event.stopPropagation();
    if (chosen || actOn(event, area.current?.value ?? "")) event.preventDefault();
  };
  const compare = () => {
    if (!busy) (blank.get() ? props.onEmpty : props.onCompare)?.();
  };
  const actOn = (event: KeyboardEvent<HTMLTextAreaElement>, text: string): boolean => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, repeat, nativeEvent, currentTarget } = event;
    if (key === "Enter" && shiftKey && (ctrlKey || metaKey)) {
      props.onPreview?.();
      return true;
    }
    if (key === "Enter" && !shiftKey && !repeat) {
      if (!altKey) send("");
      else if (!goTo("compare")) compare();
    }
    if (key === "Enter" && !shiftKey) return true;
    if (key === "ArrowUp" && !text && queued) return goTo("queue");
    if (movesHistory(nativeEvent, currentTarget)) return goTo("page", key);
    return applyShortcut(nativeEvent, currentTarget);
  };

  return (
    <>
      {prompts.list}
      <textarea
        ref={area}
        id="prompt"
        rows={1}
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: writing is what the page is for
        autoFocus
        placeholder={placeholder}
        aria-label={label}
        {...prompts.aria}
        autoComplete="off"
        data-busy={busy || undefined}
        onBlur={prompts.end}
        onKeyDown={pressed}
        onInput={({ currentTarget }) => {
          typed.current = true;
          currentTarget.dataset.typed = ""; // so that Ctrl+Z belongs to the box
          failed.set(false);
          prompts.type(currentTarget.value);
          changed();
        }}
      />
    </>
  );
}

/** Empty the box. The undo of the browser can no longer bring the text back. */
function empty(box: HTMLTextAreaElement): void {
  box.value = "";
  delete box.dataset.typed;
}

/** True if the stored draft still contains the send: its text or, if it has none, its files. */
function isKept({ conversation, text, files }: Sent): boolean {
  return text ? holds(text, texts.read(conversation)) : Boolean(files) && files === uploads.read(conversation);
}

/** Remove the schema and the uploads of a send from the draft. Returns true if the draft contained one of them. */
function takeAlong({ conversation, schema, files }: Sent): boolean {
  const [kept, ids] = [schemas.read(conversation), uploads.read(conversation)];
  const gone = files.split(" ");
  const left = ids.split(" ").filter((id) => !gone.includes(id));
  if (kept === schema) schemas.rewrite(conversation, "");
  uploads.rewrite(conversation, left.join(" "));
  return schemas.read(conversation) !== kept || uploads.read(conversation) !== ids;
}

/** Record whether there is something to send, and whether the server would accept it: at most `most` characters. */
function weigh(text: string, attached: boolean, most: number): void {
  const count = text.length > most ? text.length - (text.match(PAIRS)?.length ?? 0) : text.length;
  oversize.set(count > most || !fits(text) ? count : 0);
  blank.set(oversize.get() > 0 || (!text.trim() && !attached));
}

/** Carry out an order of Python, except for sending. */
function follow(order: BoxOrder, box: HTMLTextAreaElement, show: (text: string) => void): void {
  if (order.kind === "put" || order.kind === "say") show(before(order.text, box.value));
  else if (order.kind === "put_if_empty" && !box.value) show(order.text);
  else if (order.kind === "put_edit") {
    const kept = keptText(EDITED, order.text);
    if (kept?.trim()) show(before(kept, box.value));
  } else if (order.kind === "insert" || order.kind === "replace") {
    setTimeout(() => insertParagraph(box, order.text, order.kind === "replace"), 0); // an open dialog has the focus
    return;
  } else if (order.kind !== "focus") return;
  setTimeout(() => box.focus(), 0);
}

/**
 * Insert a text at the caret as separate paragraphs, or replace the "/name" of a prompt. The undo of the box reverts
 * this, unless the text is long.
 */
function insertParagraph(box: HTMLTextAreaElement, text: string, named: boolean): void {
  box.focus();
  if (named && NAME.test(box.value)) box.select();
  else box.selectionStart = box.selectionEnd;
  const head = box.value.slice(0, box.selectionStart);
  const rest = box.value.slice(box.selectionEnd);
  const lead = !head || head.endsWith("\n\n") ? "" : head.endsWith("\n") ? "\n" : "\n\n";
  const tail = !rest || rest.startsWith("\n\n") ? "" : rest.startsWith("\n") ? "\n" : "\n\n";
  const words = lead + text + tail;
  if (words.length <= LONGEST_UNDONE) {
    insertText(words);
    return;
  }
  box.setRangeText(words, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Apply a character or Backspace to a box that cannot have the focus. */
function typeKey(box: HTMLTextAreaElement, key: string): void {
  const { value, selectionStart, selectionEnd } = box;
  const last = selectionStart < selectionEnd ? "" : ([...value.slice(0, selectionStart)].at(-1) ?? "");
  if (key === "Backspace") box.setRangeText("", selectionStart - last.length, selectionEnd, "end");
  else box.setRangeText(key, selectionStart, selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

/** True if a key scrolls the transcript: PageUp, PageDown in text of one line, Ctrl+Home, Ctrl+End in an empty box. */
function movesHistory({ key, ctrlKey, shiftKey, altKey, metaKey }: globalThis.KeyboardEvent, box: HTMLTextAreaElement) {
  if (shiftKey || altKey || metaKey) return false;
  if (key === "PageUp" || key === "PageDown") return !ctrlKey && hasOneLine(box);
  return ctrlKey && !box.value && (key === "Home" || key === "End");
}

function hasOneLine(box: HTMLTextAreaElement): boolean {
  const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(box);
  const [line = 0, above = 0, below = 0] = [lineHeight, paddingTop, paddingBottom].map(Number.parseFloat);
  return box.scrollHeight - above - below < 2 * line;
}

function grow(box: HTMLTextAreaElement | null): void {
  if (GROWS_ITSELF || !box) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/** Sends the text, as Enter does. `idle`: the button is shown, disabled, while there is nothing to send. */
export function SubmitButton(props: SubmitButtonProps): ReactNode {
  const { label, title, idle, until = "", now = "", className, children } = props;
  const none = blank.use();
  const waits = useSecondsLeft(until, now) > 0;
  if (none && !idle) return null;
  const press = () => goTo("send");
  return (
    <button
      type="button"
      className={className}
      disabled={none || waits}
      aria-label={label}
      title={title}
      onClick={press}
    >
      {children}
    </button>
  );
}

/** A button that needs something to send. */
export function DraftButton({ disabled, className, children, onPress, onEmpty }: DraftButtonProps): ReactNode {
  return (
    <button
      type="button"
      data-close=""
      className={className}
      disabled={disabled}
      onClick={() => (blank.get() ? onEmpty : onPress)?.()}
    >
      {children}
    </button>
  );
}

/** The notice that a send failed or the connection is lost. The live region always exists, so changes are read out. */
export function SendNotice({ refused, lost, unsent, long, children }: SendNoticeProps): ReactNode {
  const link = useLink();
  const isLarge = oversize.use() > 0;
  const isUnsent = failed.use();
  const said = isLarge ? long : isUnsent ? unsent : refused ? children : link === "lost" ? lost : null;
  return <div role="status">{said ? <p className="notice">{said}</p> : null}</div>;
}
