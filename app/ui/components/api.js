/** The calls the page makes to Inview's HTTP API. A refusal becomes an Error whose message is fit to be shown. */

const BASE = "/api/v1/conversations";
const UNREACHABLE = "Inview cannot be reached. Your text is kept; send it again in a moment.";

const NOBODY = "none"; // what the menu of agents calls having none

const changing = new Set(); // changes of conversations that are on their way: a send stands behind those made before it
const changed = () => Promise.allSettled(changing);

/** A new conversation. Resolves with its id. Here and below: no model or agent named means the one the server would take. */
export async function createConversation(model, temporary = false, agent = "") {
  const answers = agent && { agent_id: agent === NOBODY ? "" : agent };
  const response = await post(BASE, { ...(model && { model }), ...answers, ...(temporary && { temporary }) }, "application/json");
  return (await response.json()).id;
}

/** Send a text; `choices` are the other fields of the send. Resolves once the reply has begun; how it goes on is the live socket's to tell. */
export async function sendText(conversation, text, choices) {
  if (changing.size) await changed();
  const leave = new AbortController();
  await post(`${BASE}/${conversation}/send`, { text, ...choices }, "text/event-stream", leave.signal);
  leave.abort();
}

/** Put a text to several models, `choices.models`. */
export async function compareText(conversation, text, choices) {
  if (changing.size) await changed();
  const { model: _, ...how } = choices;
  await post(`${BASE}/${conversation}/compare`, { text, ...how }, "application/json");
}

/** Let a text wait for the reply that runs. */
export async function queueText(conversation, text, choices) {
  if (changing.size) await changed();
  const { as_of: _, ...how } = choices; // ages are read when it is sent
  await post(`${BASE}/${conversation}/queue`, { text, ...how }, "application/json");
}

/** Any other call of the API: `path` below /api/v1. Resolves with what it answers, null if with nothing. */
export async function ask(method, path, body) {
  if (method !== "PATCH" || !path.startsWith("/conversations/")) return call(method, path, body);
  const change = call(method, path, body);
  changing.add(change);
  return change.finally(() => changing.delete(change));
}

async function call(method, path, body) {
  const headers = { Accept: "application/json", ...(body !== undefined && { "Content-Type": "application/json" }) };
  const response = await fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) }).catch(() => {
    throw new Error("Inview cannot be reached. Try again in a moment.");
  });
  if (response.ok) return response.status === 204 ? null : response.json();
  const problem = await response.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? problem.title ?? `The server answered ${response.status}.`), { problem });
}

async function post(url, body, accept, signal) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal }).catch(() => {
    throw new Error(UNREACHABLE);
  });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const words = problem.detail ?? problem.title ?? `The server answered ${response.status}. Your text is kept.`;
  throw Object.assign(new Error(words), { problem });
}
