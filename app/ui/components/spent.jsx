/** When a conversation's figures are to be read again. No store of figures. */
import { useEffect, useRef } from "react";
import { useConversation, useLive } from "./history.jsx";

/** Draws nothing. `onChanged`: the conversation was opened, or a reply ended, or what is sent of it is another. */
export function ReplyEnd({ delayMs, onChanged }) {
  const conversation = useConversation();
  const { running, ended, pairs, view } = useLive();
  const begun = useRef(false);
  const checkpoint = view?.boundary_reason;
  useEffect(() => {
    if (!conversation || (running && begun.current)) return undefined;
    begun.current = true;
    const timer = setTimeout(() => onChanged?.(), delayMs);
    return () => clearTimeout(timer);
  }, [conversation, running, ended, pairs.length, checkpoint]);
  return null;
}
