/**
 * The picker of topics: the tree with its counts, searched, and grown by what is written ("AI > Planning").
 *
 * Not how one topic is changed (topic_form.jsx). Arrow keys walk, Enter chooses, Tab goes to the button that changes the
 * topic one is at, Escape closes. By hand the order is changed by dragging or in that form.
 */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Dialog } from "./dialog.jsx";
import { closeDialog } from "./dialogs.js";
import { file } from "./marks.js";
import { placeAt } from "./placing.js";
import { preferences, subscribePreferences } from "./preferences.js";
import { arrangeTopics, changeTopic, chooseTopic, chosenTopic, createTopic, loadTopics, reviseChosen } from "./topics.js";
import { TopicForm } from "./topic_form.jsx";

const NONE = { id: null, path: null, name: "No topic", depth: 0 };

export default function TopicPicker({ pair, conversation, anchor }) {
  const [topics, setTopics] = useState(null);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const [editing, setEditing] = useState(null);
  const [fault, setFault] = useState("");
  const [target, setTarget] = useState(null); // where a dragged topic would go
  const { topic_order: order } = useSyncExternalStore(subscribePreferences, preferences);
  const list = useRef(null);
  const dragged = useRef(null);
  const id = useId();
  const chosen = pair ? (pair.topic_id ?? null) : chosenTopic(conversation);
  const options = useMemo(() => (topics ? optionsOf(topics, query) : []), [topics, query]);

  const attempt = async (doing) => {
    setFault("");
    try {
      await doing();
    } catch (problem) {
      setFault(problem.message);
    }
  };
  const read = async () => {
    const now = await loadTopics();
    setTopics(now);
    if (conversation !== undefined) reviseChosen(conversation, now);
    return now;
  };
  useEffect(() => {
    attempt(async () => {
      const now = await read();
      setAt(Math.max(0, optionsOf(now, "").findIndex((option) => option.id === chosen)));
    });
  }, [order]);
  useLayoutEffect(() => {
    list.current?.querySelector("[data-at]")?.scrollIntoView({ block: "nearest" });
  }, [at, query, topics]);

  const choose = (option) =>
    attempt(async () => {
      const topic = option.create ? await createTopic(option.path) : option.id ? option : null;
      if (pair) file(pair, topic);
      else chooseTopic(conversation, topic);
      closeDialog();
    });
  const pressed = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) setAt((at + step + options.length) % options.length);
    else if (event.key === "Enter" && options[at]) choose(options[at]);
    else return;
    event.preventDefault();
  };
  const drop = () => {
    const { topic, place } = target;
    setTarget(null);
    attempt(async () => {
      await changeTopic(dragged.current.id, movedTo(topics, topic, place));
      await read();
    });
  };
  const hover = (event, topic) => {
    if (!dragged.current || `${topic.path} > `.startsWith(`${dragged.current.path} > `)) return;
    event.preventDefault();
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientY - top) / height;
    const place = order !== "manual" ? "into" : share < 0.3 ? "before" : share > 0.7 ? "after" : "into";
    if (target?.topic !== topic || target.place !== place) setTarget({ topic, place });
  };

  const label = pair ? `Topic of pair ${pair.position}` : "Topic of what is sent";
  return (
    <Dialog label={label} className="popup topics" style={placeAt(anchor ?? buttonOf(pair))} onClose={editing ? () => setEditing(null) : closeDialog}>
      {editing ? (
        <TopicForm
          topic={editing}
          topics={topics}
          byHand={order === "manual"}
          onBack={() => setEditing(null)}
          onChanged={async () => {
            const now = await read();
            setEditing((open) => open && (now.find(({ id }) => id === open.id) ?? null)); // unless one went back meanwhile
          }}
        />
      ) : (
        <>
          <input
            type="text"
            data-first
            autoFocus
            value={query}
            placeholder="Search, or write a new one: AI > Planning"
            aria-label={label}
            role="combobox"
            aria-expanded="true"
            aria-haspopup="tree"
            aria-controls={id}
            aria-activedescendant={options[at] && `${id}-${at}`}
            autoComplete="off"
            maxLength={1000}
            onChange={({ target: { value } }) => {
              setQuery(value);
              setAt(0);
            }}
            onKeyDown={pressed}
          />
          <div className="topic-list" id={id} role="tree" aria-label="Topics" ref={list}>
            {topics ? null : <p className="picker-none">{fault ? "" : "Looking for topics…"}</p>}
            {options.map((option, place) => (
              <div
                key={option.id ?? option.path ?? ""}
                id={`${id}-${place}`}
                role="treeitem"
                className="topic-row"
                aria-level={option.depth + 1}
                aria-selected={!option.create && option.id === chosen}
                aria-label={option.create ? `Create ${option.path}` : describe(option)}
                data-at={at === place || undefined}
                data-target={target?.topic === option ? target.place : undefined}
                style={{ "--depth": query ? 0 : option.depth }}
                draggable={Boolean(option.id) && !query}
                onDragStart={() => (dragged.current = option)}
                onDragEnd={() => setTarget(null)}
                onDragOver={(event) => option.id && hover(event, option)}
                onDrop={drop}
                onPointerMove={() => setAt(place)}
                onClick={() => choose(option)}
              >
                <span className="name" dir="auto">{option.create ? <>Create “{option.path}”</> : query ? option.path : option.name}</span>
                {option.id ? (
                  <>
                    <small title={option.total === option.count ? "Pairs" : "Pairs, and with those of topics below"}>{option.total === option.count ? option.count : `${option.count} / ${option.total}`}</small>
                    <button
                      type="button"
                      className="change"
                      tabIndex={at === place ? 0 : -1}
                      aria-label={`Change ${option.path}`}
                      title="Rename, move, delete"
                      onClick={(event) => {
                        event.stopPropagation();
                        setEditing(option);
                      }}
                    >
                      ⋯
                    </button>
                  </>
                ) : null}
              </div>
            ))}
          </div>
          <p className="topic-fault" role="alert" hidden={!fault}>{fault}</p>
          <div className="topic-foot">
            <span>{order === "manual" ? "Arranged by hand: drag, or ⋯" : "Used last first"}</span>
            <button type="button" onClick={() => attempt(() => arrangeTopics(order === "manual" ? "recent" : "manual"))}>{order === "manual" ? "Sort by use" : "Arrange by hand"}</button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function optionsOf(topics, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [NONE, ...topics];
  const found = topics.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)));
  const path = query.split(">").map((name) => name.trim()).filter(Boolean).join(" > ");
  const isThere = !path || topics.some((topic) => topic.path.toLowerCase() === path.toLowerCase());
  return isThere ? found : [...found, { id: null, path, name: path, depth: 0, create: true }];
}

function describe({ id, path, count, total }) {
  if (!id) return "No topic";
  return `${path}, ${count} ${count === 1 ? "pair" : "pairs"}${total === count ? "" : `, ${total} with those below`}`;
}

/** What changes of a topic that is dropped at another one. */
function movedTo(topics, topic, place) {
  if (place === "into") return { parent_id: topic.id, before: null };
  const siblings = topics.filter(({ parent_id }) => parent_id === topic.parent_id);
  const next = siblings[siblings.indexOf(topic) + 1]?.id ?? null;
  return { parent_id: topic.parent_id, before: place === "before" ? topic.id : next };
}

const buttonOf = (pair) => document.querySelector(`[data-pair="${CSS.escape(pair.id)}"] .mark.topic`);
