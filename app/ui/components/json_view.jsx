/** JSON to be read, with a button that copies it. The lines are an island's. */
import { JsonLines } from "$/islands/kit/json_lines.tsx";
import { CopyButton } from "./code.jsx";

export const JsonView = ({ text, label }) => (
  <figure className="code json">
    <figcaption>
      <span>json</span>
      <CopyButton text={text} label={label} />
    </figcaption>
    <JsonLines text={text} />
  </figure>
);
