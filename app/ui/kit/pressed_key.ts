/** The key that was pressed, as `app/views/keys.py` writes it: the character it types, whatever the caps lock says. */

/** What of an event of the keyboard says which key it was. */
export type Pressed = Pick<KeyboardEvent, "key" | "code" | "shiftKey">;

export function keyIn({ key, code, shiftKey }: Pressed): string {
  if (key === " ") return "Space";
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const isForeign = key.length === 1 && !/^[\x20-\x7e]$/.test(key); // not a Latin layout: the key as it is labelled
  const typed = letter && isForeign ? letter : key;
  if (!/^\p{L}$/u.test(typed)) return typed;
  return shiftKey ? typed.toUpperCase() : typed.toLowerCase();
}
