import assert from "node:assert/strict";
import { test } from "node:test";
import React, { Fragment, type ReactElement, type ReactNode } from "react";
import * as runtime from "react/jsx-runtime";
import { boundTexts, drawn } from "../../app/ui/kit/texts/drawn_text.ts";

boundTexts();
// The bundle reads them at each call. A named import would keep the unchanged function in Node.
const { createElement } = React;
const { jsx, jsxs } = (runtime as unknown as { default: typeof runtime }).default;

const MARKS = `a${"\u0301".repeat(200)}`;
type Drawn = ReactElement<{ children?: ReactNode; className?: string; "data-size"?: string; "data-goes-on"?: true }>;

/** Returns every drawn element and its text. */
function read(node: ReactNode): { elements: Drawn[]; text: string } {
  if (Array.isArray(node)) {
    const all = node.map(read);
    return { elements: all.flatMap(({ elements }) => elements), text: all.map(({ text }) => text).join("") };
  }
  if (typeof node === "string") return { elements: [], text: node };
  if (!node || typeof node !== "object") return { elements: [], text: "" };
  const element = node as Drawn;
  const inside = read(element.props.children);
  return { elements: [element, ...inside.elements], text: inside.text };
}
const notes = (node: ReactNode) => read(node).elements.flatMap(({ props }) => props["data-size"] ?? []);

test("marks are drawn in groups, whichever library makes the element, and the text is the same", () => {
  const ways = [
    createElement("p", null, MARKS),
    createElement("p", null, "before ", MARKS),
    createElement("p", { children: MARKS }),
    jsx("p", { children: MARKS }),
    jsx(Fragment, { children: MARKS }),
    jsxs("p", { children: ["before ", MARKS] }),
    jsx("p", { children: [["x"], MARKS].flat() }),
  ];

  for (const way of ways) {
    assert.ok(read(way).elements.filter(({ type }) => type === "wbr").length >= 2);
    assert.deepEqual(notes(way), ["200"]);
    assert.ok(read(way).text.endsWith(MARKS));
  }
});

test("a long text is drawn in pieces, and one that ends within a line says so", () => {
  const text = `${"x".repeat(50_000)}\n\n${"y".repeat(10)}`;

  const { elements, text: shown } = read(jsx("pre", { children: text }));

  assert.equal(shown, text);
  const pieces = elements.filter(({ props }) => props.className === "text-piece");
  assert.equal(pieces.length, 27);
  assert.equal(pieces.filter(({ props }) => props["data-goes-on"]).length, 24);
});

test("fields, components and ordinary texts are left as they are", () => {
  const Component = ({ children }: { children: ReactNode }) => children;
  const words = ["Some ", "words"];

  for (const type of ["option", "textarea", "title", Component])
    assert.equal((createElement(type as "p", null, MARKS) as Drawn).props.children, MARKS);
  assert.equal((jsx("p", { children: words }) as Drawn).props.children, words);
  assert.equal(drawn(7), 7);
});

test("two heaps in one element have keys of their own", () => {
  const { props } = jsxs("p", { children: [MARKS, " and ", MARKS] }) as Drawn;

  const keys = (props.children as Drawn[]).flatMap((each) => each?.key ?? []);
  assert.equal(new Set(keys).size, 2);
});

test("marks in HTML of the server are drawn in groups, and what is in its tags is left", () => {
  const html = `<b title="${MARKS}">${MARKS}</b> and <i>words</i>`;

  const { props } = jsx("div", { dangerouslySetInnerHTML: { __html: html } }) as ReactElement<Record<string, { __html: string }>>;

  const drawnHtml = props["dangerouslySetInnerHTML"]?.__html ?? "";
  assert.ok(drawnHtml.startsWith(`<b title="${MARKS}">a<wbr>`));
  assert.equal(drawnHtml.replaceAll("<wbr>", "").replace('<span class="heap" data-size="200"></span>', ""), html);
});
