/** The topic new pairs are filed under: shown beside the composer, chosen in the picker, kept per conversation. */
import { useEffect, useSyncExternalStore } from "react";
import { askChosenTopic } from "./dialogs.js";
import { useConversation } from "./history.jsx";
import { setView } from "./live.js";
import { looksAt } from "./looking.js";
import { chosenText, loadTopics, reviseChosen, subscribeTopics } from "./topics.js";
import { tellFault } from "./toasts.js";
import { whenIdle } from "./idle.js";

const none = () => null;

export function TopicChip() {
  const conversation = useConversation();
  const topic = JSON.parse(useSyncExternalStore(subscribeTopics, () => chosenText(conversation), none));
  const id = topic?.id ?? null;
  useEffect(() => {
    if (looksAt().topic !== id) setView({ topic: id });
  }, [conversation, id]);
  useEffect(() => {
    if (!id) return undefined;
    return whenIdle(() => loadTopics().then((topics) => reviseChosen(conversation, topics), tellFault));
  }, [conversation]);
  return (
    <button type="button" className="picker-button topic-chip" aria-haspopup="dialog" aria-label={`Topic: ${topic?.path ?? "none"}`} title={topic ? `Filed under ${topic.path}` : "File what is sent under a topic"} onClick={({ currentTarget }) => askChosenTopic(conversation, currentTarget)}>
      <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round"><path d="M2 4.2c0-.7.5-1.2 1.2-1.2h3l1.5 1.8h5.1c.7 0 1.2.5 1.2 1.2v5.8c0 .7-.5 1.2-1.2 1.2H3.2c-.7 0-1.2-.5-1.2-1.2z" /></svg>
      <span>{topic?.path ?? "Topic"}</span>
    </button>
  );
}
