/** What stands around the text area and is no Python yet: inserting. */
import { Insert } from "./insert.jsx";

const box = { get current() { return document.getElementById("prompt"); } };

export const ComposerTools = ({ agent }) => <Insert area={box} agent={agent} />;
