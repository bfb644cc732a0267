/**
 * Topics: the tree as the server lists it, and the one chosen in the composer, kept per conversation.
 *
 * Not the picker (topic_picker.jsx) and not which pair is filed where (marks.js).
 */
import { ask } from "./api.js";
import { preference, savePreferences } from "./preferences.js";

const key = (conversation) => `inview.topic.${conversation || "new"}`;
const listeners = new Set();

export function subscribeTopics(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The composer's topic in a conversation as it is written down, {id, path} as text; null: none. */
export const chosenText = (conversation) => localStorage.getItem(key(conversation));

/** Its id, null if none is chosen. */
export const chosenTopic = (conversation) => JSON.parse(chosenText(conversation))?.id ?? null;

/** Choose {id, path} for a conversation; null: none. */
export function chooseTopic(conversation, topic) {
  if (topic) localStorage.setItem(key(conversation), JSON.stringify({ id: topic.id, path: topic.path }));
  else localStorage.removeItem(key(conversation));
  listeners.forEach((listener) => listener());
}

/** What was chosen before there was a conversation is chosen in the one that is there now. */
export function carryTopic(conversation) {
  const topic = JSON.parse(chosenText(""));
  chooseTopic("", null);
  if (topic) chooseTopic(conversation, topic);
}

/** All topics, parents before children. */
export const loadTopics = async () => (await ask("GET", `/topics?order=${preference("topic_order")}`)).items;

export const createTopic = (path) => ask("POST", "/topics", { path });
export const changeTopic = (id, changes) => ask("PATCH", `/topics/${id}`, changes);
export const deleteTopic = (id) => ask("DELETE", `/topics/${id}`);
export const arrangeTopics = (order) => savePreferences({ topic_order: order });

/** Keep what is written down of the chosen topic true: it may have been renamed, moved or deleted. */
export function reviseChosen(conversation, topics) {
  const chosen = JSON.parse(chosenText(conversation));
  const now = chosen && topics.find(({ id }) => id === chosen.id);
  if (chosen && now?.path !== chosen.path) chooseTopic(conversation, now ?? null);
}
