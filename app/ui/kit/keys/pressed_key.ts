/** The name of a pressed key, as in `app/views/shortcuts/shortcuts.py`: the character it types, without caps lock. */

/** The fields of a keyboard event that identify the key. */
export type Pressed = Pick<KeyboardEvent, "key" | "code" | "shiftKey">;

export function keyIn({ key, code, shiftKey }: Pressed): string {
  if (key === " ") return "Space";
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const isForeign = key.length === 1 && !/^[\x20-\x7e]$/.test(key); // not a Latin layout: use the label of the key
  const typed = letter && isForeign ? letter : key;
  if (!/^\p{L}$/u.test(typed)) return typed;
  return shiftKey ? typed.toUpperCase() : typed.toLowerCase();
}
