/**
 * What the open conversation has cost, asked for when nothing else is going on: after it was opened, and after each reply.
 *
 * Not a store of prices, all sums are the server's, and not the whole account, which is the inspector's to ask for.
 */
import { ask } from "./api.js";

const NOTHING = Object.freeze({ conversation: "", account: null, fault: "" });

let state = NOTHING;
const listeners = new Set();

export const spent = () => state;
export const serverSpent = () => NOTHING;
export function subscribeSpent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Read what is glanced at of a conversation's account again; until it is there, the older figures stand. */
export async function readSpent(conversation) {
  if (state.conversation !== conversation) set({ ...NOTHING, conversation });
  try {
    const account = await ask("GET", `/conversations/${conversation}/usage?brief=true`);
    if (state.conversation === conversation) set({ conversation, account, fault: "" });
  } catch ({ message }) {
    if (state.conversation === conversation) set({ ...state, fault: message });
  }
}

function set(next) {
  state = next;
  listeners.forEach((listener) => listener());
}
