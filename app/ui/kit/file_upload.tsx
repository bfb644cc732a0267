/** A button that chooses a file and uploads it. `onAnswer` gets the file's name and the answer, "" if there was none. */
import { type ChangeEvent, createElement, type ReactNode, useRef } from "react";
import type { FileUploadProps } from "./views.ts";

export function FileUpload(props: FileUploadProps): ReactNode {
  const { address, type, accept, label, drop, className, onBegin, onAnswer, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const choose = () => input.current?.click();
  const upload = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    target.value = "";
    if (!file) return;
    onBegin?.();
    const headers = { "Content-Type": type, Accept: "application/json" };
    // biome-ignore lint/style/noRestrictedGlobals: an upload: a file may be larger than the socket takes
    const answer = await fetch(address, { method: "POST", headers, body: file }).then(
      (response) => response.text(),
      () => "",
    );
    onAnswer?.(file.name, answer);
  };
  // A browser lets a file be dropped on the input itself, which covers the field then.
  return (
    <div className={drop ? className : "contents"}>
      {drop ? children : createElement("button", { type: "button", className, onClick: choose }, children)}
      <input ref={input} type="file" accept={accept} hidden={!drop} onChange={upload} aria-label={label} />
    </div>
  );
}
