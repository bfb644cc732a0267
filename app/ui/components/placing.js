/** Where a popup stands: at the element it belongs to, in the middle on small screens or where that is out of sight. */
const WIDTH = 368;
const NARROW = 600;

export function placeAt(anchor) {
  const box = anchor?.getBoundingClientRect();
  if (!box?.width || innerWidth < NARROW || box.top < 0 || box.bottom > innerHeight) return undefined;
  const left = Math.max(8, Math.min(box.left, innerWidth - WIDTH - 8));
  return box.top > innerHeight / 2 ? { margin: 0, left, top: "auto", bottom: innerHeight - box.top + 6 } : { margin: 0, left, top: box.bottom + 6, bottom: "auto" };
}
