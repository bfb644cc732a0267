/** Which tools an agent has, in its form: the servers, and the calls it may make at all. */
import { useEffect, useState } from "react";
import { ask } from "./api.js";

const BUILT_IN = "built-in";

export function AgentTools({ servers, allowed, onServers, onAllowed, errors }) {
  const known = useServers();
  const chosen = new Set(servers ?? []);
  const toggle = (id, on) => onServers(on ? [...chosen, id] : [...chosen].filter((one) => one !== id));
  const change = (at, changes) => onAllowed(allowed.map((entry, place) => (place === at ? { ...entry, ...changes } : entry)));
  const fault = Object.entries(errors).find(([field]) => /^(server_ids|allowed_tools)/.test(field));
  return (
    <fieldset>
      <legend>Tools</legend>
      <label className="agent-check">
        <input type="checkbox" checked={servers === null} onChange={({ target }) => onServers(target.checked ? null : [])} />
        The tools of all servers
      </label>
      {servers === null ? null : (
        <div className="agent-servers" role="group" aria-label="Servers whose tools it has">
          {known.length ? null : <p className="agent-hint">There are no servers of tools yet.</p>}
          {known.map(({ id, name }) => (
            <label key={id} className="agent-check">
              <input type="checkbox" checked={chosen.has(id)} onChange={({ target }) => toggle(id, target.checked)} />
              {name}
            </label>
          ))}
        </div>
      )}
      <label className="agent-check">
        <input type="checkbox" checked={allowed === null} onChange={({ target }) => onAllowed(target.checked ? null : [])} />
        It may ask for any of their calls
      </label>
      {allowed === null ? null : (
        <>
          <p className="agent-hint">Only these calls are allowed; any other is refused. A * in a tool&apos;s name stands for any characters.</p>
          {allowed.map((entry, at) => (
            <div key={at} className="agent-allowed" role="group" aria-label={`Allowed tools, line ${at + 1}`}>
              <select value={entry.server_id} aria-label="Server" onChange={({ target }) => change(at, { server_id: target.value })}>
                {[{ id: BUILT_IN, name: "Built-in tools" }, ...known, ...(known.some(({ id }) => id === entry.server_id) || entry.server_id === BUILT_IN ? [] : [{ id: entry.server_id, name: entry.server_id }])].map(({ id, name }) => (
                  <option key={id} value={id}>{name}</option>
                ))}
              </select>
              <input type="text" value={entry.tool} aria-label="Tool, or a pattern of tools" placeholder="read_*" spellCheck={false} onChange={({ target }) => change(at, { tool: target.value })} />
              <label className="agent-check">
                <input type="checkbox" checked={entry.ask} onChange={({ target }) => change(at, { ask: target.checked })} />
                Ask before each call
              </label>
              <button type="button" className="quiet" onClick={() => onAllowed(allowed.filter((_, place) => place !== at))} aria-label={`Remove line ${at + 1}`}>Remove</button>
            </div>
          ))}
          <button type="button" className="quiet" onClick={() => onAllowed([...allowed, { server_id: known[0]?.id ?? BUILT_IN, tool: "*", arguments: [], ask: true }])}>Allow tools…</button>
        </>
      )}
      {fault ? <p className="agent-fault">{fault[1]}</p> : null}
    </fieldset>
  );
}

function useServers() {
  const [servers, setServers] = useState([]);
  useEffect(() => {
    let wanted = true;
    ask("GET", "/mcp-servers").then(
      ({ items }) => wanted && setServers(items),
      () => {}, // none can be chosen then; what is chosen already stays
    );
    return () => (wanted = false);
  }, []);
  return servers;
}
