/**
 * A tree with navigation by arrow keys. Its children are elements with `role="treeitem"` and `aria-level`; one has
 * `aria-current`. Tab reaches one child: the last one that had the focus, at first the current one.
 */
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { nextItem } from "./tree_walk.ts";
import type { TreeProps } from "./views.ts";

const ITEMS = '[role="treeitem"]';

export function Tree({ label, current, frame, className, children }: TreeProps): ReactNode {
  const tree = useRef<HTMLDivElement>(null);
  const items = () => [...(tree.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
  const stopAt = (item: HTMLElement) => {
    for (const each of items()) each.tabIndex = each === item ? 0 : -1;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `current` changes when another element has the attribute
  useEffect(() => {
    const here = items().find((item) => item.getAttribute("aria-current"));
    if (!here) return undefined;
    const focused = document.activeElement;
    stopAt(focused instanceof HTMLElement && tree.current?.contains(focused) ? focused : here);
    // If a key opened the tree, the frame has the focus; it moves into the tree, so that arrows act there.
    const timer = setTimeout(() => document.activeElement?.id === frame && here.focus());
    return () => clearTimeout(timer);
  }, [current, frame]);
  const focused = ({ target }: FocusEvent<HTMLElement>) => {
    if (target.matches(ITEMS)) stopAt(target);
  };
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const all = items();
    const levels = all.map((item) => Number(item.getAttribute("aria-level")));
    const next = nextItem(key, levels, all.indexOf(target as HTMLElement));
    if (next === null) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <div ref={tree} role="tree" aria-label={label} className={className} onFocus={focused} onKeyDown={pressed}>
      {children}
    </div>
  );
}
