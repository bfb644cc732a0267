/**
 * Limits for every text of the page: a text that takes a browser long to lay out becomes several elements
 * (text_pieces.ts). React's functions that make an element are replaced for this, so that the limits also apply
 * to Reflex and the libraries.
 *
 * Text fields are not changed, because their text is one value. Copied text and `textContent` do not change. A note on
 * the screen says that a text is drawn in groups (`.heap` in inview.css).
 */
import React from "react";
import * as runtime from "react/jsx-runtime";
import { type Part, partsOf, piecesOf } from "./text_pieces.ts";

type Make = (type: unknown, props: Props, ...rest: unknown[]) => unknown;
type Props = { readonly [name: string]: unknown } | null;
type Maker = Record<"createElement" | "jsx" | "jsxs", Make>;

const AS_EVER = new Set(["option", "script", "style", "textarea", "text", "title", "tspan"]); // no elements inside
const makers = React as unknown as Maker;
const runtimes = ((runtime as { default?: unknown }).default ?? runtime) as Maker;
const make = makers.createElement;

/** The children of an element, with long texts in pieces; the same object if none is long. */
export function drawn(inside: unknown): unknown {
  if (typeof inside === "string") return drawnText(inside, undefined);
  if (!Array.isArray(inside)) return inside;
  const all = inside.map((each, at) => (typeof each === "string" ? drawnText(each, `text ${at}`) : each));
  return all.some((each, at) => each !== inside[at]) ? all : inside;
}

function drawnText(text: string, key: string | undefined): unknown {
  const pieces = piecesOf(text);
  if (!pieces) return inGroups(text, key);
  return pieces.map((piece, at) => {
    const goesOn = at < pieces.length - 1 && !piece.endsWith("\n");
    const props = { key: at, className: "text-piece", "data-goes-on": goesOn || undefined };
    return make("span", props, inGroups(piece, undefined));
  });
}

function inGroups(text: string, key: string | undefined): unknown {
  const parts = partsOf(text);
  if (!parts) return text;
  return make(React.Fragment, key === undefined ? null : { key }, ...parts.flatMap(nodesOf));
}

function nodesOf({ groups, size }: Part): unknown[] {
  if (!size) return [...groups];
  const note = make("span", { className: "heap", "data-size": size.toLocaleString("en") });
  return [...groups.flatMap((group) => [make("wbr", null), group]), note];
}

/** HTML of the server, with its long texts in groups. The server escapes each `<` and `>` that is not part of a tag. */
const drawnHtml = (html: string): string =>
  html.replace(/>[^<]+/g, (text) => partsOf(text.slice(1))?.reduce((all, part) => all + htmlOf(part), ">") ?? text);

const htmlOf = ({ groups, size }: Part): string =>
  size
    ? `<wbr>${groups.join("<wbr>")}<span class="heap" data-size="${size.toLocaleString("en")}"></span>`
    : groups.join("");

const isBounded = (type: unknown): boolean =>
  type === React.Fragment || (typeof type === "string" && !AS_EVER.has(type));

function bounded(own: Make): Make {
  return (type, props, ...rest) => {
    if (!isBounded(type)) return own(type, props, ...rest);
    const html = props?.dangerouslySetInnerHTML as { __html: string } | undefined;
    if (html) return own(type, { ...props, dangerouslySetInnerHTML: { __html: drawnHtml(html.__html) } }, ...rest);
    const children = drawn(props?.children);
    return own(type, children === props?.children ? props : { ...props, children }, ...rest);
  };
}

/** Set the limits. Call this once, before the page is drawn. */
export function boundTexts(): void {
  const inProps = bounded(make);
  makers.createElement = (type, props, ...children) =>
    inProps(type, props, ...(isBounded(type) ? children.map(drawn) : children));
  runtimes.jsx = bounded(runtimes.jsx);
  runtimes.jsxs = bounded(runtimes.jsxs);
}
