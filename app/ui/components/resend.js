/**
 * Sending a pair again, in its place: edited.
 *
 * What has to be decided first is asked when the server says so: what becomes of the pairs after it, and of those that do
 * not fit. Nothing is sent before that. Not the form of an edit (edit.jsx) and not the dialogs themselves.
 */
import { ask } from "./api.js";
import { decide } from "./dialogs.js";
import { looking, snapshot } from "./live.js";
import { needPart } from "./page_parts.js";
import { savePreferences } from "./preferences.js";
import { tell, tellWork } from "./toasts.js";

const PROBLEM = "urn:inview:problem:";
const THE_REST = { keep: "", discard: (count) => `, ${count} later ${count === 1 ? "pair" : "pairs"} discarded`, branch: "" };

/**
 * Send a pair again. `text`, `model`: if others. `standing`: the version that was seen. `path`, `body`: another way of sending it, `ways`: what may become of later pairs.
 *
 * Resolves with where its reply has begun, the id of a conversation: null if the person called it off. Throws an Error fit to be shown.
 */
export async function resend(pair, { text, model, path = `/pairs/${pair.id}/resend`, body, ways, standing = pair.version } = {}) {
  const words = text === undefined || text === pair.user_text ? "Sent again" : "Edited and sent again";
  const choices = body ?? { ...looking(), ...(text !== undefined && { text }), ...(model && { model }), standing };
  for (;;) {
    const started = await ask("POST", path, choices).catch((problem) => ({ problem }));
    if (!started.problem) {
      done(pair, started, choices, words);
      return started.conversation_id ?? pair.conversation_id;
    }
    const more = await settle(pair, started.problem, choices, ways);
    if (!more) return null;
    Object.assign(choices, more);
  }
}

/** What a person decides about a refusal, null if they call it off. Throws what nobody can decide. */
async function settle(pair, error, choices, ways) {
  const { problem = {} } = error;
  if (problem.type === `${PROBLEM}later-pairs`) {
    const later = await decide({ name: "later", pair, count: problem.later, ways });
    return later && { later, later_count: problem.later };
  }
  if (problem.type !== `${PROBLEM}over-budget`) throw withNextStep(error);
  const choice = await decide({ name: "overBudget", problem: ofPair(pair, problem) });
  if (!choice) return null;
  const { remember, summarise, ...more } = choice;
  if (remember && more.over_budget) await savePreferences({ over_budget: more.over_budget });
  if (summarise) await summariseFirst(pair, choices);
  return more;
}

/** The pairs before the newest can be summarised for its sake; for that of an older one, its own would be among them. */
const ofPair = (pair, problem) => (snapshot().pairs.at(-1)?.id === pair.id ? problem : { ...problem, summarise: null });

async function summariseFirst(pair, { later: _, later_count: __, over_budget: ___, standing: ____, ...choices }) {
  const { summarise } = await needPart(() => import("./summarise.js"));
  await summarise(pair.conversation_id, { text: pair.user_text, ...choices }, tellWork);
}

const withNextStep = (error) => (error.problem?.next_step ? Object.assign(new Error(`${error.message} ${error.problem.next_step}`), { problem: error.problem }) : error);

function done(pair, started, choices, words) {
  const { later = "keep" } = choices;
  const gone = started.undo?.length ?? 0;
  if (started.conversation_id && started.conversation_id !== pair.conversation_id) {
    dispatchEvent(new CustomEvent("inview:go", { detail: `/c/${started.conversation_id}` }));
    return tell("Branched: this is a new conversation with copies of the pairs above. The other one is as it was.");
  }
  const rest = gone ? THE_REST[later](gone) : "";
  return tell(`Pair ${pair.position}: ${words}${rest}`, async () => {
    await ask("POST", `/runs/${started.run_id}/cancel`);
    await ask("POST", `/pairs/${pair.id}/restore`, { version: pair.version });
    if (gone) await ask("POST", `/conversations/${pair.conversation_id}/marks`, { changes: started.undo });
  });
}
