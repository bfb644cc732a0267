/**
 * A button that attaches files: chosen, pasted, or dropped on the page. It uploads them, and says how far that is.
 *
 * An upload is given up when its file is removed. Where the connection was lost, the server is told again what it may not
 * know: a server that was started anew knows of no file.
 */
import { type ChangeEvent, type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import { currentLink, useLink } from "../kit/link.ts";
import type { AttachButtonProps } from "./views.ts";

type End = Readonly<{ status: number; body: string }>;
type Upload = { readonly file: File; readonly stop: AbortController; seen?: boolean; end?: End };

const STEP = 5; // per cent
const session = Math.random().toString(36).slice(2, 12);
let count = 0;

export function AttachButton(props: AttachButtonProps): ReactNode {
  const { label, title, camera, catches, keys, className, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const uploads = useRef(new Map<string, Upload>());
  const link = useLink();

  const upload = (file: File) => {
    count += 1;
    const key = `${session}-${count}`;
    const upload: Upload = { file, stop: new AbortController() };
    const { signal } = upload.stop;
    uploads.current.set(key, upload);
    props.onBegin?.(key, file.name, file.size);
    const told = (percent: number) => props.onProgress?.(key, percent);
    post(`${props.address}&name=${encodeURIComponent(file.name)}`, file, signal, told).then((end) => {
      upload.end = end;
      if (!signal.aborted && currentLink() === "open") props.onEnd?.(key, end.status, end.body);
    });
  };
  const take = useEffectEvent((files: Iterable<File>) => [...files].map(upload).length > 0);

  const linked = useEffectEvent((now: typeof link) => {
    for (const [key, upload] of now === "open" ? uploads.current : []) {
      upload.seen = false;
      props.onBegin?.(key, upload.file.name, upload.file.size);
      if (upload.end) props.onEnd?.(key, upload.end.status, upload.end.body);
    }
  });
  useEffect(() => linked(link), [link]); // before the next one: the keys of a server that was started anew lack them all
  useEffect(() => {
    for (const [key, upload] of uploads.current) {
      if (!keys.includes(key) && (upload.seen || upload.end)) uploads.current.delete(key) && upload.stop.abort();
      upload.seen = keys.includes(key);
    }
  }, [keys]);

  useEffect(() => {
    if (!catches) return undefined;
    const stop = new AbortController();
    const hasFiles = (event: DragEvent) =>
      event.dataTransfer?.types.includes("Files") && !document.querySelector("dialog:modal");
    const { documentElement: root } = document;
    const dragged = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // else the browser leaves the page for the file
      root.toggleAttribute("data-dropping", event.type === "dragover");
    };
    const dropped = (event: DragEvent) => {
      root.removeAttribute("data-dropping");
      if (!hasFiles(event)) return;
      event.preventDefault();
      take(event.dataTransfer?.files ?? []);
    };
    const pasted = (event: ClipboardEvent) => {
      const data = event.clipboardData;
      const isText = data?.types.includes("text/plain"); // from an office program: text with a picture of it
      if (!isText && (event.target as Element).closest?.(".composer") && take(data?.files ?? []))
        event.preventDefault();
    };
    for (const kind of ["dragover", "dragleave"] as const) addEventListener(kind, dragged, stop);
    addEventListener("drop", dropped, stop);
    addEventListener("paste", pasted, stop);
    return () => stop.abort();
  }, [catches]);

  const choose = () => input.current?.click();
  const chosen = ({ target }: ChangeEvent<HTMLInputElement>) => {
    take(target.files ?? []);
    target.value = "";
  };
  const kinds = camera ? ({ accept: "image/*", capture: "environment" } as const) : { multiple: true };
  return (
    <>
      <button type="button" className={className} aria-label={label} title={title} onClick={choose}>
        {children}
      </button>
      <input ref={input} type="file" hidden {...kinds} onChange={chosen} aria-label={label} />
    </>
  );
}

/** Post a file; status 0: no answer came. */
function post(address: string, file: File, signal: AbortSignal, told: (percent: number) => void) {
  return new Promise<End>((resolve) => {
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
