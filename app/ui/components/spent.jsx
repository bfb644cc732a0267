/**
 * What was spent, where it is glanced at: the conversation's total in the top bar, a reply's cost in its line.
 *
 * Each request and all sums are in the inspector (usage_panel.jsx) and on the page of usage.
 */
import { useEffect, useSyncExternalStore } from "react";
import { charged, number, short } from "./figures.js";
import { useConversation, useLive } from "./history.jsx";
import { inspect } from "./inspect.js";
import { readSpent, serverSpent, spent, subscribeSpent } from "./spent.js";

const REST_MS = 400; // what a reply's end brings to the screen comes first

export const useSpent = () => useSyncExternalStore(subscribeSpent, spent, serverSpent);

/** "12k · $0.034": all tokens and the cost of the open conversation; opens the list of its requests. */
export function Spent() {
  const conversation = useConversation();
  const { running, ended, pairs, view } = useLive();
  const { conversation: of, account, fault } = useSpent();
  const here = Boolean(conversation) && pairs.length > 0;
  const checkpoint = view?.boundary_reason;
  useEffect(() => {
    if (!here || running) return undefined;
    const timer = setTimeout(() => readSpent(conversation), REST_MS);
    return () => clearTimeout(timer);
  }, [conversation, here, running, ended, pairs.length, checkpoint]);
  if (!here || of !== conversation || !account?.total.calls) return null;
  const { total, window: taken, budgets } = account;
  const tokens = allTokens(total);
  const worst = budgets.find(({ standing }) => standing === "spent") ?? budgets.find(({ standing }) => standing === "warning");
  const words = [
    `${number(tokens)} tokens and ${charged(total)} spent in this conversation`,
    taken === null ? "" : `${number(taken)} tokens of context taken`,
    worst ? `${worst.words}: ${charged(worst.spent)} of $${worst.amount} spent` : "",
    fault && `These figures may be old: ${fault}`,
  ].filter(Boolean);
  return (
    <button type="button" className="spent" data-standing={worst?.standing} aria-label={words.join(". ")} title={words.join("\n")} onClick={() => inspect("usage")}>
      <span className="spent-tokens">{short(tokens)} · </span>
      {charged(total)}
    </button>
  );
}

/** A pair's "25 in · 15 out · $0.0003". */
export function PairSpent({ usage, cost, at_least }) {
  const read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  const money = charged({ cost, cost_at_least: at_least });
  const cached = usage.cache_read_tokens ? `, ${number(usage.cache_read_tokens)} of them from the cache` : "";
  return (
    <span className="flex-none" title={`${number(read)} tokens read${cached}, ${number(usage.output_tokens)} written, as the provider counted them. Cost: ${money}`}>
      {short(read)} in · {short(usage.output_tokens)} out · {money}
    </span>
  );
}

export const allTokens = ({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens }) =>
  input_tokens + output_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens;
