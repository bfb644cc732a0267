/**
 * The page of agents: the list, a form for one of them, and files of them out and in.
 *
 * Not the choice of one in a conversation, which is a menu in the composer. `onChanged` hears when there are others.
 */
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { lazy } from "./lazy.js";
import { tell, tellFault } from "./toasts.js";

const AgentForm = lazy(() => import("./agent_form.jsx"));

export function Agents({ onChanged }) {
  const [items, setItems] = useState(null);
  const [fault, setFault] = useState("");
  const [open, setOpen] = useState(null); // what the form is about: an agent, or {} for a new one
  const file = useRef(null);
  const back = useRef(null);

  const read = useCallback(async () => {
    try {
      setItems((await ask("GET", "/agents")).items);
      setFault("");
    } catch ({ message }) {
      setFault(message);
    }
    onChanged?.();
  }, [onChanged]);
  useEffect(() => {
    read();
  }, []);

  const edit = (agent, button) => {
    back.current = button;
    setOpen(agent);
  };
  const close = () => {
    setOpen(null);
    setTimeout(() => back.current?.isConnected && back.current.focus());
  };
  const saved = async (words) => {
    close();
    tell(words);
    await read();
  };
  const remove = async (agent) => {
    try {
      await ask("DELETE", `/agents/${agent.id}`);
      tell(`Deleted the agent “${agent.name}”`, async () => {
        await ask("POST", `/agents/${agent.id}/undelete`);
        await read();
      });
    } catch (problem) {
      tellFault(problem);
    }
    await read();
  };
  const save = async (agent) => {
    try {
      const written = await ask("GET", agent ? `/agents/export?agent=${agent.id}` : "/agents/export");
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([JSON.stringify(written, null, 2)], { type: "application/json" }));
      link.download = agent ? `agent-${agent.name.replace(/[^\p{L}\p{N}]+/gu, "-")}.json` : "agents.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (problem) {
      tellFault(problem);
    }
  };
  const take = async ({ target }) => {
    const [chosen] = target.files;
    target.value = "";
    if (!chosen) return;
    try {
      const written = await parse(chosen);
      const { items: made } = await ask("POST", "/agents/import", written);
      tell(`Imported ${made.map(({ name }) => `“${name}”`).join(", ")}. Tools ask before each call, whatever the file says.`);
    } catch ({ message }) {
      tellFault(new Error(`Nothing was imported from ${chosen.name}. ${message}`));
    }
    await read();
  };

  if (!items) return <p className="trash-said" role="status">{fault || "Reading the agents…"}</p>;
  if (open) {
    return (
      <Suspense fallback={<p className="trash-said" role="status">Opening the form…</p>}>
        <AgentForm key={open.id ?? "new"} agent={open} onSaved={saved} onClose={close} />
      </Suspense>
    );
  }
  return (
    <>
      <div className="agents-head">
        <p>An agent answers with a prompt, a model and parameters of its own. Choose one below a conversation.</p>
        <button type="button" className="loud" onClick={({ currentTarget }) => edit({}, currentTarget)}>New agent</button>
        <button type="button" className="quiet" onClick={() => file.current.click()}>Import…</button>
        <button type="button" className="quiet" disabled={!items.length} onClick={() => save(null)}>Export all</button>
        <input ref={file} type="file" accept="application/json,.json" hidden onChange={take} aria-label="File of agents" />
      </div>
      <p className="trash-said" role="status">{fault}</p>
      {items.length ? (
        <ul className="agents-list">
          {items.map((agent) => (
            <li key={agent.id}>
              <span className="agent-icon" aria-hidden="true">{iconOf(agent)}</span>
              <div>
                <p className="trash-name" dir="auto">{agent.name}</p>
                <p className="trash-about" dir="auto">{about(agent)}</p>
              </div>
              <button type="button" className="quiet" onClick={({ currentTarget }) => edit(agent, currentTarget)} aria-label={`Edit ${agent.name}`}>Edit</button>
              <button type="button" className="quiet" onClick={({ currentTarget }) => edit(copyOf(agent), currentTarget)} aria-label={`Duplicate ${agent.name}`}>Duplicate</button>
              <button type="button" className="quiet" onClick={() => save(agent)} aria-label={`Export ${agent.name}`}>Export</button>
              <button type="button" className="quiet" onClick={() => remove(agent)} aria-label={`Delete ${agent.name}`}>Delete</button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="trash-empty">No agents yet. Make one to have a prompt, a model and its settings ready under a name, or import a file.</p>
      )}
    </>
  );
}

const iconOf = ({ icon, name }) => icon || [...name][0].toUpperCase();

function about({ description, model, system_prompt: prompt }) {
  const first = description || prompt.split("\n", 1)[0];
  const words = first.length > 120 ? `${first.slice(0, 119)}…` : first;
  return [words, model].filter(Boolean).join(" · ") || "No prompt: as the model is by itself";
}

const copyOf = ({ id: _, created_at: __, updated_at: ___, ...agent }) => ({ ...agent, name: `${agent.name} copy` });

async function parse(chosen) {
  try {
    return JSON.parse(await chosen.text());
  } catch {
    throw new Error("It is not JSON: choose a file that “Export” wrote.");
  }
}
