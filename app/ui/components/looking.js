/** How a person looks at conversations, for the scripts that send: the chosen topic and the time zone. Python holds them. */

let chosen = { topic: "", zone: "" };

export const learnLook = (next) => void (chosen = next);

/** `topic`: the id of the chosen one, "" for none; `zone`: "" as long as nobody knows. */
export const chosenLook = () => chosen;
