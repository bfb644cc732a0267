/**
 * Attaches files that are chosen, photographed, pasted, or dropped on the page: uploads them and reports progress.
 * While no text field has the focus, a pasted text goes into the message box, and a pasted file into the message.
 *
 * An upload is canceled when its file is removed.
 */
import { type ChangeEvent, type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import { takesText } from "../kit/keys/key_mode.ts";
import { goTo, offer } from "../kit/keys/places.ts";
import { insertText, LONGEST_UNDONE } from "../kit/texts/writing.ts";
import type { FileChooserProps } from "./views.ts";

const STEP = 5; // per cent
const session = Math.random().toString(36).slice(2, 12);
let count = 0;

/** Write a pasted text into the message box, which gets the focus. Returns false if it cannot have the focus. */
function write(text: string): boolean {
  if (!goTo("composer")) return false;
  if (text.length <= LONGEST_UNDONE) insertText(text);
  else goTo("write", text);
  return true;
}

export function FileChooser(props: FileChooserProps): ReactNode {
  const { accept, photos, keys } = props;
  const files = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const seen = useRef(new Set<string>());
  const uploads = useRef(new Map<string, AbortController>());

  const upload = (file: File) => {
    count += 1;
    const key = `${session}-${count}`;
    const stop = new AbortController();
    uploads.current.set(key, stop);
    props.onBegin?.(key, file.name, file.size);
    const told = (percent: number) => props.onProgress?.(key, percent);
    post(`${props.address}&name=${encodeURIComponent(file.name)}`, file, stop.signal, told).then(({ status, body }) => {
      uploads.current.delete(key);
      if (!stop.signal.aborted) props.onEnd?.(key, status, body);
    });
  };
  const take = useEffectEvent((files: Iterable<File>) => [...files].map(upload).length > 0);

  useEffect(() => {
    for (const key of keys) seen.current.add(key);
    for (const [key, stop] of uploads.current) if (seen.current.has(key) && !keys.includes(key)) stop.abort();
  }, [keys]);

  useEffect(() => offer({ attach: () => files.current?.click(), photo: () => camera.current?.click() }), []);
  useEffect(() => {
    const stop = new AbortController();
    const hasFiles = (event: DragEvent) =>
      event.dataTransfer?.types.includes("Files") && !document.querySelector("dialog:modal");
    const { documentElement: root } = document;
    const dragged = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // otherwise the browser opens the file instead of the page
      root.toggleAttribute("data-dropping", event.type === "dragover");
    };
    const dropped = (event: DragEvent) => {
      root.removeAttribute("data-dropping");
      if (!hasFiles(event)) return;
      event.preventDefault();
      take(event.dataTransfer?.files ?? []);
    };
    const pasted = (event: ClipboardEvent) => {
      const { clipboardData: data, target } = event;
      const at = target instanceof Element ? target : document.body;
      const isElsewhere = takesText(at) && !at.closest(".composer");
      if (event.defaultPrevented || isElsewhere || document.querySelector("dialog:modal")) return;
      const text = data?.getData("text/plain"); // office programs copy a text together with a picture of it
      const isTaken = text ? !takesText(at) && write(text) : take(data?.files ?? []);
      if (isTaken) event.preventDefault();
    };
    const options = { signal: stop.signal };
    for (const kind of ["dragover", "dragleave"] as const) addEventListener(kind, dragged, options);
    addEventListener("drop", dropped, options);
    addEventListener("paste", pasted, options);
    return () => stop.abort();
  }, []);

  const chosen = ({ target }: ChangeEvent<HTMLInputElement>) => {
    take(target.files ?? []);
    target.value = "";
  };
  return (
    <>
      <input ref={files} type="file" hidden multiple accept={accept} onChange={chosen} aria-label="Files" />
      {photos && (
        <input
          ref={camera}
          type="file"
          hidden
          accept="image/*"
          capture="environment"
          onChange={chosen}
          aria-label="Photo"
        />
      )}
    </>
  );
}

/** Post a file. `told` is called with the percentage that was sent so far. Status 0: no answer arrived. */
function post(address: string, file: File, signal: AbortSignal, told: (percent: number) => void) {
  return new Promise<{ status: number; body: string }>((resolve) => {
    // biome-ignore lint/style/noRestrictedGlobals: an upload: a file may be larger than the socket takes, and has progress
    const request = new XMLHttpRequest();
    let last = 0;
    request.upload.onprogress = ({ loaded, total }) => {
      const percent = Math.floor((100 * loaded) / (total || 1));
      if (percent < last + STEP) return;
      last = percent;
      told(percent);
    };
    request.onloadend = () => resolve({ status: request.status, body: request.responseText });
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", address);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.send(file);
  });
}
