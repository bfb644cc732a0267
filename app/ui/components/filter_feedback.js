/**
 * What the server says of a line while it is typed: the sentence, the error and where it is, what could come next.
 *
 * Asked for when the line rests; an answer for an older line is dropped.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { looking } from "./live.js";

const REST_MS = 90;
const NOTHING = {};

/** The feedback on `line` with the cursor there, as long as `wanted`. `of` resolves with that on a line at once. */
export function useFeedback(conversation, line, cursor, wanted) {
  const [feedback, setFeedback] = useState(NOTHING);
  const newest = useRef(0);

  const of = useCallback(
    async (text, place = text.length) => {
      const number = ++newest.current;
      const answer = await read(conversation, text, place).catch(({ message }) => ({ error: { message, position: null } }));
      if (number === newest.current) setFeedback({ line: text, ...answer });
      return answer;
    },
    [conversation],
  );

  useEffect(() => {
    if (!wanted) {
      newest.current++;
      return setFeedback(NOTHING);
    }
    const timer = setTimeout(of, REST_MS, line, cursor);
    return () => clearTimeout(timer);
  }, [line, cursor, wanted, of]);

  return { ...feedback, of };
}

function read(conversation, line, place) {
  const { model, topic, zone } = looking();
  const cursor = [...line.slice(0, place)].length; // the server counts characters, not UTF-16 units
  return ask("POST", `/conversations/${conversation}/filter`, { line, cursor, ...present({ model, topic, zone }) });
}

const present = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
