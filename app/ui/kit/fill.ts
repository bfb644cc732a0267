/** Fills a text of the catalogue in: `{name}` by its value; of two forms, the first where the count is 1. */
const PLACE = /\{([a-z][a-z0-9_]*)\}/g;
const BETWEEN_FORMS = "\x1f";

export function fill(text: string, values: Record<string, unknown>): string {
  // While the page is built there are no texts yet: who puts them in fills them, too (app/ui/translated_pages.py).
  if (text.startsWith("@@"))
    return `${text.slice(0, -2)}?${encodeURIComponent(JSON.stringify(values)).replaceAll("'", "%27")}@@`;
  const forms = text.split(BETWEEN_FORMS);
  const form = forms[Number(values.count) === 1 ? 0 : forms.length - 1] ?? text;
  return form.replace(PLACE, (_, name) => String(values[name] ?? ""));
}
