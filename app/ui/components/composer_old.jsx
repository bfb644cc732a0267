/** What stands around the text area and is no Python yet: inserting, the schema. */
import { Insert } from "./insert.jsx";
import { SchemaChoice } from "./schema_choice.jsx";

const box = { get current() { return document.getElementById("prompt"); } };

export function ComposerTools({ agent, schema, onSchema }) {
  return (
    <>
      <Insert area={box} agent={agent} />
      <SchemaChoice schema={schema} onSchema={onSchema} />
    </>
  );
}
