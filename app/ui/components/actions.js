/** What the keys of VIEW do, by the names keys.js gives them. Each says false if the key was not for it. */
import { askDelete, askEdit, askModel, askSummary, askTopic, showSheet } from "./dialogs.js";
import { askFork, swapVersion, toggleSection } from "./inspect.js";
import { cycleMark, setStars, toggleFlag } from "./marks.js";
import { enterCommand } from "./modes.js";
import { tell, undo } from "./toasts.js";
import { firstPair, firstSent, lastPair, newestReply, nextPair, nextPart, pairHere, partHere, previousPair, previousPart } from "$/islands/transcript/walk.ts";

/** Do what a key calls. `again`: it is held down, which only walking cares for. */
export function perform(id, again = false) {
  if (id in WALKS) {
    WALKS[id]();
    return true;
  }
  if (id in ANYWHERE) {
    if (!again) ANYWHERE[id]();
    return true;
  }
  const pair = pairHere();
  if (pair && !again) WITH_PAIR[id](pair);
  return Boolean(pair);
}

const WALKS = {
  next_part: nextPart,
  previous_part: previousPart,
  next_pair: nextPair,
  previous_pair: previousPair,
  first_pair: firstPair,
  last_pair: lastPair,
  newest_reply: newestReply,
  first_sent: async () => (await firstSent()) || tell("Nothing of this conversation would be sent."),
};

const ANYWHERE = {
  filter: enterCommand,
  preview: () => toggleSection("preview"),
  branches: () => toggleSection("branches"),
  help: () => showSheet("keys"),
  summarise: () => askSummary(pairHere()),
  undo: () => undo(),
};

const WITH_PAIR = {
  one_star: (pair) => setStars(pair, 1),
  two_stars: (pair) => setStars(pair, 2),
  three_stars: (pair) => setStars(pair, 3),
  no_stars: (pair) => setStars(pair, 0),
  flag: toggleFlag,
  mark: cycleMark,
  topic: (pair) => askTopic(pair),
  edit: askEdit,
  regenerate: (pair) => askModel(pair),
  swap: swapVersion,
  fork: (pair) => askFork(pair.id),
  delete: askDelete,
  copy: copyPart,
};

/** The words of the part the cursor is at, as they were written. */
async function copyPart(pair) {
  const at = partHere();
  const part = pair.parts[at];
  const text = at === "request" ? pair.user_text : (part.text ?? part.input_json);
  await navigator.clipboard.writeText(text).then(
    () => tell(`Copied the ${at === "request" ? "request" : "part"} of pair ${pair.position}`),
    () => tell("The browser does not allow to copy here."),
  );
}
