/** Buttons that send a pair again, as it would be now or as it was. What has to be asked before is asked by resend.js. */
import { pairOf } from "./live.js";
import { answerAgain, sendAsItWas } from "./resend.js";

export function ResendButtons({ pair, onClose }) {
  const then = (act) => () => {
    const found = pairOf(pair);
    onClose();
    if (found) act(found);
  };
  return (
    <>
      <button type="button" className="quiet" onClick={then(answerAgain)}>Send as it would be now</button>
      <button type="button" className="quiet" onClick={then(sendAsItWas)}>Send as it was</button>
    </>
  );
}
