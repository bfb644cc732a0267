/** Which models answer a pair again side by side. Fetched when it first opens; the choice itself is compare_choice.jsx. */
import CompareChoice from "./compare_choice.jsx";
import { closeDialog } from "./dialogs.js";
import { compareAgain } from "./resend.js";

const EXPLAINED = "Two to four models answer side by side, each at its own price. You keep one reply, or leave the pair as it is; what stands there stays as a version.";

export default function CompareAgain({ pair }) {
  const start = (models) => {
    closeDialog();
    compareAgain(pair, models);
  };
  return <CompareChoice model={pair.model} label={`Answer pair ${pair.position} by several models`} explained={EXPLAINED} onStart={start} onCancel={closeDialog} />;
}
