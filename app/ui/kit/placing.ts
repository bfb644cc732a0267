/** Where a popup stands: at the element it belongs to, in the middle on small screens or where that is out of sight. */
const WIDTH = 368;
const NARROW = 600;
const EDGE = 8;
const GAP = 6;
const TALLEST = "28rem";

/** The sides of the screen that a popup keeps clear of, as styles; "" is the stylesheet's own. */
export interface Sides {
  readonly margin: string;
  readonly left: string;
  readonly top: string;
  readonly bottom: string;
  readonly maxHeight: string;
}

const MIDDLE: Sides = { margin: "", left: "", top: "", bottom: "", maxHeight: "" };

export function placeAt(anchor: Element | null): Sides {
  return anchor ? sidesAt(anchor.getBoundingClientRect(), { width: innerWidth, height: innerHeight }) : MIDDLE;
}

/** Below the element in the upper half of the screen, above it in the lower one. */
export function sidesAt(
  box: Pick<DOMRect, "left" | "top" | "bottom" | "width">,
  screen: { readonly width: number; readonly height: number },
): Sides {
  if (!box.width || screen.width < NARROW || box.top < 0 || box.bottom > screen.height) return MIDDLE;
  const left = px(Math.max(EDGE, Math.min(box.left, screen.width - WIDTH - EDGE)));
  const lower = box.top > screen.height / 2;
  const room = (lower ? box.top : screen.height - box.bottom) - GAP - EDGE;
  const top = lower ? "auto" : px(box.bottom + GAP);
  const bottom = lower ? px(screen.height - box.top + GAP) : "auto";
  return { margin: "0", left, top, bottom, maxHeight: `min(${TALLEST}, ${px(room)})` };
}

const px = (length: number): string => `${length}px`;
