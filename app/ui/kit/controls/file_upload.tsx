/**
 * A button that chooses files and uploads one after the other. At the end `onAnswers` gets their names and the response
 * to each, "" if there was none.
 */
import { type ChangeEvent, type ReactNode, useRef } from "react";
import type { FileUploadProps } from "../views.ts";

export function FileUpload(props: FileUploadProps): ReactNode {
  const { address, type, accept, label, className, onAnswers, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const post = (file: File) => {
    const headers = { "Content-Type": type, Accept: "application/json" };
    // biome-ignore lint/style/noRestrictedGlobals: an upload: a file may be larger than the socket takes
    return fetch(address, { method: "POST", headers, body: file }).then(
      (response) => response.text(),
      () => "",
    );
  };
  const upload = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(target.files ?? [])];
    target.value = "";
    const answers: string[] = [];
    for (const file of files) answers.push(await post(file));
    if (files.length)
      onAnswers?.(
        files.map(({ name }) => name),
        answers,
      );
  };
  return (
    <>
      <button type="button" className={className} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input ref={input} type="file" accept={accept} multiple hidden onChange={upload} aria-label={label} />
    </>
  );
}
