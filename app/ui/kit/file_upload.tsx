/** A button that chooses a file and uploads it. `onAnswer` gets the file's name and the answer, "" if there was none. */
import { type ChangeEvent, type ReactNode, useRef } from "react";
import type { FileUploadProps } from "./views.ts";

export function FileUpload(props: FileUploadProps): ReactNode {
  const { address, type, accept, label, className, onAnswer, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const upload = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    target.value = "";
    if (!file) return;
    const headers = { "Content-Type": type, Accept: "application/json" };
    // biome-ignore lint/style/noRestrictedGlobals: an upload: a file may be larger than the socket takes
    const answer = await fetch(address, { method: "POST", headers, body: file }).then(
      (response) => response.text(),
      () => "",
    );
    onAnswer?.(file.name, answer);
  };
  return (
    <>
      <button type="button" className={className} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input ref={input} type="file" accept={accept} hidden onChange={upload} aria-label={label} />
    </>
  );
}
