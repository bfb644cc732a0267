/**
 * What a send would come to: the counter X / Y, the estimate beside Send, and how it splits.
 *
 * Not the counting, which the server does, nor the choice of what is sent: all figures are those of `snapshot().view`,
 * and until newer ones come the older stand.
 */
import { useEffect, useId, useRef, useState } from "react";
import { useConversation, useLive } from "./history.jsx";
import { inspect } from "./inspect.js";
import { looking } from "./live.js";
import { ask } from "./api.js";
import { askSummary } from "./dialogs.js";
import { band, bandWords, money, number, plural } from "./figures.js";

function useView() {
  const conversation = useConversation();
  const { id, view } = useLive();
  return id === conversation ? view : null;
}

/** "12 / 15": so many of the pairs in view are sent. */
export function Counter() {
  const view = useView();
  if (!view?.estimate) return null;
  const { x, y } = view;
  return (
    <Tip className="counter" label={`${x} of ${y} pairs in view are sent`} short={x < y} panel={<Split view={view} />}>
      {number(x)} <span aria-hidden="true">/</span> {number(y)}
    </Tip>
  );
}

/** "~1,234 tokens · $0.002": all that Send would send now. */
export function Estimate() {
  const view = useView();
  if (!view?.estimate) return null;
  const { tokens, error_band, cost, limit } = view.estimate;
  const words = `${band(tokens, error_band)} tokens, ${bandWords(error_band)}, ${money(cost)}`;
  return (
    <Tip className="estimate" label={`Sends ${words}`} above short={tokens > limit} panel={<Split view={view} />}>
      {band(tokens, error_band)} <span className="estimate-unit">tokens</span> <span className="estimate-cost">· {money(cost)}</span>
    </Tip>
  );
}

/** A button whose words are explained on hover, focus and tap. What explains may hold controls of its own. */
function Tip({ className, label, short, above, panel, children }) {
  const [open, setOpen] = useState(false);
  const place = useRef(null);
  const pressed = useRef(""); // by what: a press focuses as well, and what it does is decided at its click
  const entered = useRef(false); // what came under a pointer that stands still was not asked for
  const id = useId();
  return (
    <div
      className="tip"
      ref={place}
      onPointerEnter={() => (entered.current = true)}
      onPointerMove={({ pointerType }) => {
        if (entered.current && pointerType === "mouse") setOpen(true);
        entered.current = false;
      }}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && !place.current.contains(document.activeElement) && setOpen(false)}
      onFocus={() => pressed.current || setOpen(true)}
      onBlur={({ relatedTarget }) => place.current.contains(relatedTarget) || setOpen(false)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        setOpen(false);
      }}
    >
      <button
        type="button"
        className={className}
        aria-label={label}
        aria-expanded={open}
        aria-controls={id}
        data-short={short || undefined}
        onPointerDown={({ pointerType }) => (pressed.current = pointerType)}
        onClick={() => {
          setOpen(pressed.current !== "touch" || !open);
          pressed.current = "";
        }}
      >
        {children}
      </button>
      {open ? (
        <div className="tip-panel" id={id} data-above={above || undefined} role="group" aria-label="What is sent">
          {panel}
        </div>
      ) : null}
    </div>
  );
}

const LIMITED_BY = { window: "model's window", "token ceiling": "your token ceiling", "money ceiling": "your money ceiling" };

function Split({ view }) {
  const { x, y, estimate } = view;
  const { tokens, system, tools, pairs, images, draft, reserve, limit, limited_by, error_band, cost } = estimate;
  const share = limit ? Math.min(100, ((tokens + reserve) / limit) * 100) : 100;
  const rows = [
    ["System", system],
    ["Tools", tools],
    [`${plural(x, "pair")} sent`, pairs],
    images ? ["of it images", images, true] : null,
    ["Draft", draft],
  ].filter(Boolean);
  return (
    <>
      <p className="tip-title">
        {x === y ? (y === 1 ? "The pair in view is sent" : `All ${number(y)} pairs in view are sent`) : `${number(x)} of ${number(y)} pairs in view are sent`}
      </p>
      <dl>
        {rows.map(([name, count, part]) => (
          <div key={name} data-part={part}><dt>{name}</dt><dd>{number(count)}</dd></div>
        ))}
        <div className="tip-sum"><dt>Sent now</dt><dd>{band(tokens, error_band)} <small>{bandWords(error_band)}</small></dd></div>
        <div><dt>Reserved for the reply</dt><dd>{number(reserve)}</dd></div>
        <div><dt>Limit: {LIMITED_BY[limited_by] ?? limited_by}</dt><dd>{number(limit)}</dd></div>
        <div><dt>Cost of reading it</dt><dd title={cost === "unknown" ? "Nobody knows the price of this model" : undefined}>{money(cost)}</dd></div>
        <WithCache view={view} />
      </dl>
      <div className="tip-meter" data-over={tokens + reserve > limit || undefined} aria-hidden="true"><span style={{ width: `${share}%` }} /></div>
      <CountExactly estimate={estimate} />
      {y ? <div className="tip-exact"><button type="button" onClick={() => askSummary()}>Summarise…</button></div> : null}
      <div className="tip-exact">
        <button type="button" onClick={() => inspect("preview")} title="Dry run (Ctrl+Shift+Enter in the composer)">Dry run</button>
        <p>Shows the exact request. Nothing is sent.</p>
      </div>
    </>
  );
}

/** What it costs with what the provider keeps: asked for while somebody looks, and left out where that changes nothing. */
function WithCache({ view }) {
  const conversation = useConversation();
  const [next, setNext] = useState(null);
  useEffect(() => {
    let wanted = true;
    const { as_of, ...look } = looking();
    ask("GET", `/conversations/${conversation}/cache?${new URLSearchParams(look)}`).then((state) => wanted && setNext(state.next), () => wanted && setNext(null));
    return () => (wanted = false);
  }, [conversation, view.filter, view.model, view.x, view.y, view.boundary]);
  const less = next ? Number(next.cost_uncached) - Number(next.cost) : Number.NaN;
  const cost = Number(view.estimate.cost) - less; // the draft is read afresh either way
  if (!less || !(cost >= 0)) return null;
  const words = next.predicted_read_tokens ? `with ${number(next.predicted_read_tokens)} cached` : "and of keeping it";
  return <div data-part><dt>{words}</dt><dd>~{money(String(cost))}</dd></div>;
}

function CountExactly({ estimate }) {
  const conversation = useConversation();
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => setSaid(""), [estimate.tokens]);
  if (!estimate.error_band) return <p className="tip-note">This count is exact.</p>;
  const count = async () => {
    setBusy(true);
    try {
      const { tokens } = await ask("POST", `/conversations/${conversation}/count`, { text: draftNow(), ...looking() });
      const off = tokens ? ((estimate.tokens - tokens) / tokens) * 100 : 0;
      setSaid(`Exactly ${number(tokens)} tokens: the estimate is ${Math.abs(off).toFixed(1)} % ${off < 0 ? "below" : "above"}.`);
    } catch ({ message }) {
      setSaid(message);
    }
    setBusy(false);
  };
  return (
    <div className="tip-exact">
      <button type="button" onClick={busy ? undefined : count} aria-disabled={busy}>{busy ? "Counting…" : "Count exactly"}</button>
      <p role="status">{said}</p>
    </div>
  );
}

/** What stands in the composer. */
export const draftNow = () => document.getElementById("prompt")?.value ?? "";
