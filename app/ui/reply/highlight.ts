/**
 * The highlighter, in a separate file so that it is fetched only when there is code to colour. It contains the
 * languages of most replies. The grammars of the others are in another file (highlight_others.ts).
 */
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const FREQUENT = { bash, diff, javascript, json, markdown, python, shell, sql, typescript, yaml };

export const lowlight = createLowlight(FREQUENT);
