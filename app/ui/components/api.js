/** The calls the page makes to Inview's HTTP API. A refusal becomes an Error whose message is fit to be shown. */

/** A call of the API: `path` below /api/v1. Resolves with what it answers, null if with nothing. */
export async function ask(method, path, body) {
  const headers = { Accept: "application/json", ...(body !== undefined && { "Content-Type": "application/json" }) };
  const response = await fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) }).catch(() => {
    throw new Error("Inview cannot be reached. Try again in a moment.");
  });
  if (response.ok) return response.status === 204 ? null : response.json();
  const problem = await response.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? problem.title ?? `The server answered ${response.status}.`), { problem });
}
