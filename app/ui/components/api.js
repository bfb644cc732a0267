/** The two calls the composer makes to Inview's HTTP API. A refusal becomes an Error whose message is fit to be shown. */

const BASE = "/api/v1/conversations";
const UNREACHABLE = "Inview cannot be reached. Your text is kept; send it again in a moment.";

/** A new conversation. Resolves with its id. Here and below: no model named means the one the server would take. */
export async function createConversation(model) {
  const response = await post(BASE, model ? { model } : {}, "application/json");
  return (await response.json()).id;
}

/** Send a text. Resolves once the reply has begun; how it goes on is the live socket's to tell. */
export async function sendText(conversation, text, model) {
  const leave = new AbortController();
  await post(`${BASE}/${conversation}/send`, model ? { text, model } : { text }, "text/event-stream", leave.signal);
  leave.abort();
}

async function post(url, body, accept, signal) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal }).catch(() => {
    throw new Error(UNREACHABLE);
  });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail ?? problem.title ?? `The server answered ${response.status}. Your text is kept.`);
}
