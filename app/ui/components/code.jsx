/** The kit's copy button for scripts that are not Python yet. */
import { CopyButton as Copy } from "$/islands/kit/copy_button.tsx";

export const CopyButton = ({ words = "Copy", ...rest }) => <Copy words={words} doneWords="Copied" refusedWords="Not allowed to copy" {...rest} />;
