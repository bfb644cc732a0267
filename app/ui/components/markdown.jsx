/** Markdown for scripts that are not Python yet. */
import { Markdown } from "$/islands/reply/markdown.tsx";

const WORDS = { plain: "text", copy: "Copy", copy_code: "Copy code", copied: "Copied", copy_refused: "Not allowed to copy", table: "Table", done: "Done", not_done: "Not done", load_picture: "Load picture from {host}", load_named_picture: "Load picture “{name}” from {host}" };

export const Written = ({ text, live }) => <Markdown text={text} live={Boolean(live)} words={WORDS} />;
