/**
 * Settings of tools: those built in, the MCP servers, how each stands and what it has; another one is added below.
 *
 * While a server is on its way it is asked for again every second; else nothing is asked unless somebody does something.
 */
import { useCallback, useEffect, useState } from "react";
import { ask } from "./api.js";
import { loadPreferences, preference, savePreferences } from "./preferences.js";
import { parseCommand, parseSecrets } from "./tool_words.js";

const HEALTH = {
  off: "Off",
  starting: "Connecting …",
  ready: "Connected",
  waiting: "Not reached; tried again by itself",
  sign_in: "Sign-in needed",
};

export function ToolSettings() {
  const [servers, setServers] = useState(null);
  const [programs, setPrograms] = useState(true);
  const [redirectUri, setRedirectUri] = useState("");
  const [builtIns, setBuiltIns] = useState([]);
  const [said, setSaid] = useState("");
  const load = useCallback(
    () =>
      ask("GET", "/mcp-servers").then(
        ({ items, programs, redirect_uri: redirectUri, built_ins: builtIns }) => {
          setServers(items);
          setPrograms(programs);
          setRedirectUri(redirectUri);
          setBuiltIns(builtIns);
        },
        ({ message }) => setSaid(message),
      ),
    [],
  );
  useEffect(() => {
    load();
  }, [load]);
  const onItsWay = servers?.some(({ health, signing_in: signingIn }) => health === "starting" || signingIn);
  useEffect(() => {
    if (!onItsWay) return;
    const again = setInterval(load, 1000);
    return () => clearInterval(again);
  }, [onItsWay, load]);

  if (!servers) return <p className="context-said" role="status">{said || "Reading the servers…"}</p>;
  return (
    <div className="mcp-settings">
      <BuiltIns tools={builtIns} />
      {servers.length ? (
        <ul aria-label="MCP servers">{servers.map((server) => <Server key={server.id} server={server} onChange={load} />)}</ul>
      ) : (
        <p className="mcp-none">No MCP server yet. Add one below: its tools can then be offered to models.</p>
      )}
      <AddServer programs={programs} redirectUri={redirectUri} onAdded={load} />
    </div>
  );
}

/** Inview's own tools. Each is told to models only once it is switched on: until then nobody pays for it. */
function BuiltIns({ tools }) {
  const [told, setTold] = useState(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    loadPreferences().then(() => setTold(preference("built_in_tools")), ({ message }) => setSaid(message));
  }, []);
  const turn = async (name, on) => {
    const before = told;
    const wanted = on ? [...told, name] : told.filter((other) => other !== name);
    setTold(wanted);
    try {
      await savePreferences({ built_in_tools: wanted });
      setSaid("Saved.");
    } catch ({ message }) {
      setTold(before);
      setSaid(message);
    }
  };
  return (
    <fieldset className="mcp-built-in">
      <legend>Built in</legend>
      {tools.map(({ name, title, description, asks }) => (
        <label className="context-choice" key={name}>
          <input type="checkbox" disabled={!told} checked={told?.includes(name) ?? false} onChange={({ target }) => turn(name, target.checked)} />
          <span><b>{title}</b> <small>{description}{asks ? " You are asked before each call." : " Called without asking: it only reads."}</small></span>
        </label>
      ))}
      <p className="context-said" role="status">{said}</p>
    </fieldset>
  );
}

function Server({ server, onChange }) {
  const [said, setSaid] = useState("");
  const [log, setLog] = useState(null);
  const path = `/mcp-servers/${server.id}`;
  useEffect(() => {
    if (!server.signing_in) setSaid(""); // what was said of the other tab is over
  }, [server.signing_in, server.signed_in]);
  const run = async (words, work) => {
    setSaid(words);
    try {
      setSaid((await work()) ?? "");
    } catch ({ message }) {
      setSaid(message);
    }
    onChange();
  };
  const test = () =>
    run("Asking …", async () => {
      const { health, problem, tools } = await ask("POST", `${path}/test`);
      if (health === "ready") return `It works: ${count(tools, "tool")}.`;
      return `${(!server.enabled && problem) || HEALTH[health]}.`; // what is wrong with one that is on stands above
    });
  const turn = ({ target }) => run("", () => ask("PATCH", path, { enabled: target.checked }).then(() => ""));
  const remove = () => confirm(`Delete the server “${server.name}” with its secrets?`) && run("Deleting …", () => ask("DELETE", path));
  const readLog = async () => setLog(log ? null : (await ask("GET", `${path}/log`)).items);
  return (
    <li>
      <details>
        <summary>
          <span className="mcp-dot" data-health={server.health} />
          <span className="mcp-name">{server.name}</span>
          <span className="mcp-state">{server.signing_in ? "Signing in …" : HEALTH[server.health]}{server.tools.length ? ` · ${count(server.tools, "tool")}` : ""}</span>
        </summary>
        <div className="mcp-body">
          <p className="mcp-where">{server.kind === "http" ? server.url : [server.command, ...server.arguments].join(" ")}</p>
          {server.problem && !server.signing_in ? <p className="mcp-problem" role="alert">{server.problem}.</p> : null}
          <div className="mcp-actions">
            <label className="context-choice"><input type="checkbox" checked={server.enabled} onChange={turn} /> Switched on</label>
            <button type="button" onClick={test}>Test</button>
            <button type="button" onClick={() => readLog().catch(({ message }) => setSaid(message))} aria-expanded={Boolean(log)}>Log</button>
            <SignIn server={server} run={run} />
            <button type="button" className="mcp-delete" onClick={remove}>Delete</button>
            <p className="context-said" role="status">{said || (server.signing_in ? "Sign in in the other tab." : "")}</p>
          </div>
          {log ? <Log lines={log} /> : null}
          <Facts server={server} />
          <Listed title="Tools" items={server.tools} draw={(tool) => [`${tool.tool_name}(${tool.arguments.join(", ")})`, tool.description]} />
          <Listed title="Resources" items={server.resources} draw={(one) => [one.uri, one.description || one.name]} />
          <Listed title="Prompts" items={server.prompts} draw={(one) => [`${one.name}(${one.arguments.map(({ name, required }) => (required ? name : `${name}?`)).join(", ")})`, one.description]} />
          {server.cut.map((words) => <p className="mcp-problem" key={words}>{words}</p>)}
        </div>
      </details>
    </li>
  );
}

/** Signing in happens at the server's own page, in a tab of its own, which comes back to Inview; or out again. */
function SignIn({ server, run }) {
  const [address, setAddress] = useState("");
  const path = `/mcp-servers/${server.id}/sign-in`;
  const wanted = server.health === "sign_in";
  const begin = () => {
    const tab = window.open("", "_blank"); // now: a browser lets nobody open one later
    return run("Asking where to sign in …", async () => {
      try {
        const { url } = await ask("POST", path);
        setAddress(url);
        if (!tab) return "Your browser opened no tab. Open the page to sign in yourself.";
        tab.opener = null;
        tab.location.href = url;
        return "";
      } catch (refused) {
        tab?.close();
        throw refused;
      }
    });
  };
  const end = () => run("", () => ask("DELETE", path).then(() => ""));
  if (server.signing_in)
    return (
      <>
        {address ? <a href={address} target="_blank" rel="noreferrer">Open the page to sign in</a> : null}
        <button type="button" onClick={end}>Cancel signing in</button>
      </>
    );
  return (
    <>
      {wanted ? <button type="button" className="mcp-sign-in" onClick={begin}>Sign in</button> : null}
      {server.signed_in ? <button type="button" onClick={end}>Sign out</button> : null}
    </>
  );
}

function Facts({ server }) {
  const facts = [
    server.title && `${server.title} ${server.version}`.trim(),
    server.secret_names.length && `${server.kind === "http" ? "Headers" : "Environment"}: ${server.secret_names.join(", ")} (values are kept sealed)`,
    server.client_id && `Client ${server.client_id}${server.has_client_secret ? " (its secret is kept sealed)" : ""}`,
    server.signed_in && (server.health === "sign_in" ? "The last sign-in holds no more" : "Signed in (what that gave is kept sealed)"),
    server.restarts && `Begun anew ${server.restarts} ${server.restarts === 1 ? "time" : "times"}`,
    `A call may take ${server.timeout} seconds`,
  ].filter(Boolean);
  return <p className="context-said">{facts.join(" · ")}</p>;
}

function Listed({ title, items, draw }) {
  if (!items.length) return null;
  return (
    <details className="mcp-list">
      <summary>{title} ({items.length})</summary>
      <dl>
        {items.map((item) => {
          const [name, words] = draw(item);
          return <div key={name}><dt>{name}</dt><dd>{words}</dd></div>;
        })}
      </dl>
    </details>
  );
}

function Log({ lines }) {
  if (!lines.length) return <p className="context-said">It has said nothing yet. A server that is off says nothing.</p>;
  return (
    <ol className="mcp-log" aria-label="Log" tabIndex={0}>
      {lines.map(({ number, at, level, text }) => (
        <li key={number}><time dateTime={at}>{new Date(at).toLocaleTimeString()}</time> <b>{level}</b> {text}</li>
      ))}
    </ol>
  );
}

function AddServer({ programs, redirectUri, onAdded }) {
  const [kind, setKind] = useState("http");
  const [said, setSaid] = useState("");
  const add = async (event) => {
    event.preventDefault();
    const form = event.target;
    const typed = Object.fromEntries(new FormData(form));
    const [secrets, wrong] = parseSecrets(typed.secrets, kind === "http" ? ":" : "=");
    if (wrong) return setSaid(`“${wrong}” is not a name and a value.`);
    const way =
      kind === "http"
        ? {
            url: typed.url.trim(),
            allow_private: Boolean(typed.allow_private),
            client_id: typed.client_id.trim() || null,
            client_secret: typed.client_secret || null,
          }
        : parseCommand(typed.command);
    try {
      await ask("POST", "/mcp-servers", { name: typed.name.trim(), kind, secrets, ...way });
      form.reset();
      setSaid(`Added ${typed.name.trim()}.`);
      onAdded();
    } catch ({ message, problem }) {
      setSaid(problem?.errors?.map(({ field, reason }) => `${field}: ${reason}`).join(" ") || message);
    }
  };
  return (
    <form className="mcp-add" onSubmit={add} aria-label="Add an MCP server">
      <fieldset className="mcp-kinds">
        <legend>Add a server</legend>
        <label className="context-choice"><input type="radio" name="kind" checked={kind === "http"} onChange={() => setKind("http")} /> At an address (streamable HTTP)</label>
        <label className="context-choice" title={programs ? undefined : "This installation starts no programs: INVIEW_STDIO_SERVERS"}>
          <input type="radio" name="kind" checked={kind === "stdio"} disabled={!programs} onChange={() => setKind("stdio")} /> A program on this machine{programs ? "" : " (not allowed here)"}
        </label>
      </fieldset>
      <div className="mcp-fields">
        <label>Name <input name="name" required maxLength={32} autoComplete="off" placeholder="files" /></label>
        {kind === "http" ? (
          <label>Address <input name="url" type="url" required spellCheck={false} placeholder="https://example.org/mcp" /></label>
        ) : (
          <label>Command <input name="command" required spellCheck={false} autoComplete="off" placeholder="npx -y @modelcontextprotocol/server-filesystem /srv/notes" /></label>
        )}
      </div>
      <label className="mcp-secrets">
        {kind === "http" ? "Headers, one a line: Authorization: Bearer …" : "Environment variables, one a line: NAME=value"}
        <textarea name="secrets" rows={2} spellCheck={false} autoComplete="off" />
      </label>
      {kind === "http" ? (
        <>
          <label className="context-choice"><input type="checkbox" name="allow_private" /> It is on this machine or in a private network</label>
          <OwnClient redirectUri={redirectUri} />
        </>
      ) : null}
      <div className="context-foot">
        <button type="submit">Add</button>
        <p className="context-said" role="status">{said}</p>
      </div>
    </form>
  );
}

/** For authorization servers that register nobody by themselves. */
function OwnClient({ redirectUri }) {
  return (
    <details className="mcp-client">
      <summary>Signing in with a client you registered yourself</summary>
      <p className="context-said">
        Only where the server’s sign-in does not register Inview by itself. Register it there with this redirect address: <code>{redirectUri}</code>
      </p>
      <div className="mcp-fields">
        <label>Client ID <input name="client_id" spellCheck={false} autoComplete="off" maxLength={4000} /></label>
        <label>Client secret, if it has one <input name="client_secret" type="password" autoComplete="new-password" maxLength={4000} /></label>
      </div>
    </details>
  );
}

const count = (items, noun) => `${items.length} ${noun}${items.length === 1 ? "" : "s"}`;
