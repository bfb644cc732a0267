/**
 * A chart of bars, one a day or month, stacked by kind. What it shows stands in the table below it as well.
 *
 * Drawn by hand: a library of charts is larger than the page.
 */
import { useState } from "react";
import { money, number, short } from "./figures.js";

const HEIGHT = 160;
const MEASURES = {
  cost: { words: "Cost", kinds: [["cost", "Cost"]], say: (value) => money(String(value)) },
  tokens: {
    words: "Tokens",
    kinds: [
      ["output_tokens", "Replies"],
      ["input_tokens", "Read afresh"],
      ["cache_write", "Written to the cache"],
      ["cache_read_tokens", "Read from the cache"],
    ],
    say: number,
  },
};

const valueOf = (item, kind) => (kind === "cost" ? Number(item.cost) : kind === "cache_write" ? item.cache_write_tokens + item.cache_write_1h_tokens : item[kind]);

export function Chart({ items, unit }) {
  const [chosen, setMeasure] = useState("");
  const measure = chosen || (items.some((item) => valueOf(item, "cost")) ? "cost" : "tokens"); // nothing is seen of what is free
  const { kinds, say, words } = MEASURES[measure];
  const sums = items.map((item) => kinds.reduce((sum, [kind]) => sum + valueOf(item, kind), 0));
  const most = Math.max(...sums, 0);
  const step = 100 / Math.max(items.length, 1);
  return (
    <figure className="chart">
      <figcaption>
        <span>{words} by {unit}, UTC</span>
        <span className="chart-choice" role="group" aria-label="What the chart shows">
          {Object.entries(MEASURES).map(([name, { words: label }]) => (
            <button key={name} type="button" aria-pressed={name === measure} onClick={() => setMeasure(name)}>{label}</button>
          ))}
        </span>
      </figcaption>
      <div className="chart-plot">
        <span className="chart-most" aria-hidden="true">{measure === "cost" ? money(String(most)) : short(most)}</span>
        <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" height={HEIGHT} role="img" aria-label={`${words} by ${unit}: ${say(sums.reduce((a, b) => a + b, 0))} in all, ${say(most)} at most. The table has every figure.`}>
          {items.map((item, place) => {
            let below = 0;
            return (
              <g key={item.group}>
                <title>{`${item.group}: ${say(sums[place])}, ${number(item.calls)} requests`}</title>
                <rect x={place * step} width={step} y={0} height={HEIGHT} className="chart-hit" />
                {kinds.map(([kind], nth) => {
                  const height = most ? (valueOf(item, kind) / most) * (HEIGHT - 4) : 0;
                  below += height;
                  return height > 0 ? <rect key={kind} x={place * step + step * 0.12} width={step * 0.76} y={HEIGHT - below} height={height} data-kind={measure === "cost" ? "cost" : nth} /> : null;
                })}
              </g>
            );
          })}
        </svg>
        <div className="chart-ends" aria-hidden="true"><span>{items[0]?.group}</span><span>{items.at(-1)?.group}</span></div>
      </div>
      {kinds.length > 1 ? (
        <ul className="chart-kinds" aria-label="Kinds">
          {kinds.map(([kind, label], nth) => (
            <li key={kind}><i data-kind={nth} aria-hidden="true" />{label}</li>
          ))}
        </ul>
      ) : null}
    </figure>
  );
}
