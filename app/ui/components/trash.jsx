/**
 * The page of the trash: what was deleted, until when it can be brought back, and how to be rid of it.
 *
 * `onChanged` hears when something came back, for the list of conversations.
 */
import { useCallback, useEffect, useState } from "react";
import { ask } from "./api.js";
import { Dialog } from "./dialog.jsx";
import { savePreferences } from "./preferences.js";
import { Moment } from "./shell.jsx";

const CHOICES = [1, 7, 30, 90, 365];
const DAY_MS = 24 * 3600_000;

export function Trash({ onChanged }) {
  const [page, setPage] = useState(null);
  const [said, setSaid] = useState("");
  const [asked, setAsked] = useState(null); // what is about to be deleted for good: an entry, or "all"
  const items = page?.items ?? [];

  const read = useCallback(async () => {
    try {
      setPage(await ask("GET", "/trash"));
    } catch ({ message }) {
      setSaid(message);
    }
  }, []);
  useEffect(() => {
    read();
  }, [read]);

  const act = async (task, words) => {
    try {
      await task();
      setSaid(words);
    } catch ({ message }) {
      setSaid(message);
    }
    await read();
    onChanged?.();
  };
  const more = async () => {
    const next = await ask("GET", `/trash?cursor=${page.next_cursor}`);
    setPage({ ...next, items: [...items, ...next.items] });
  };
  const restore = (entry) => act(() => ask("POST", `/trash/${entry.id}/restore`), `“${nameOf(entry)}” is back.`);
  const keepFor = (days) => act(() => savePreferences({ trash_days: days }), days ? `What is deleted stays for ${dayWords(days)} now.` : "What is deleted stays until the trash is emptied now.");
  const confirmed = () => {
    const entry = asked;
    setAsked(null);
    if (entry === "all") return act(() => ask("DELETE", "/trash"), "The trash is empty.");
    return act(() => ask("DELETE", `/trash/${entry.id}`), `“${nameOf(entry)}” is gone for good.`);
  };

  if (!page) return <p className="trash-said" role="status">{said || "Reading the trash…"}</p>;
  return (
    <>
      <div className="trash-head">
        <label>
          What is deleted stays for{" "}
          <select value={page.days ?? ""} onChange={({ target }) => keepFor(target.value ? Number(target.value) : null)}>
            {[...new Set([...CHOICES, ...(page.days ? [page.days] : [])])].sort((a, b) => a - b).map((days) => (
              <option key={days} value={days}>{dayWords(days)}</option>
            ))}
            <option value="">as long as the trash is not emptied</option>
          </select>
        </label>
        {items.length ? <button type="button" className="quiet" onClick={() => setAsked("all")}>Empty the trash</button> : null}
      </div>
      <p className="trash-said" role="status">{said}</p>
      {items.length ? (
        <ul className="trash-list">
          {items.map((entry) => (
            <li key={entry.id}>
              <div>
                <p className="trash-name" dir="auto">{nameOf(entry)}</p>
                <p className="trash-about">
                  {about(entry)} · deleted <Moment at={entry.deleted_at} /> {entry.expires_at ? `· ${left(entry.expires_at)}` : null}
                </p>
              </div>
              <button type="button" className="quiet" onClick={() => restore(entry)} aria-label={`Restore ${nameOf(entry)}`}>Restore</button>
              <button type="button" className="quiet" onClick={() => setAsked(entry)} aria-label={`Delete ${nameOf(entry)} for good`}>Delete for good</button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="trash-empty">The trash is empty. Conversations and pairs you delete wait here and can be brought back.</p>
      )}
      {page.next_cursor ? <button type="button" className="quiet" onClick={more}>Show older</button> : null}
      {asked ? (
        <Dialog label="Delete for good?" className="modal" onClose={() => setAsked(null)}>
          <h2 className="dialog-title">Delete for good?</h2>
          <p className="dialog-words">
            {asked === "all" ? "Everything in the trash" : `“${nameOf(asked)}”`} will be gone and cannot be brought back. What its calls used stays in the ledger.
          </p>
          <div className="dialog-buttons">
            <button type="button" className="quiet" data-first onClick={() => setAsked(null)}>Keep it</button>
            <button type="button" className="danger" onClick={confirmed}>Delete for good</button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

const dayWords = (days) => (days === 1 ? "1 day" : days === 365 ? "a year" : `${days} days`);
const shortened = (text) => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
const nameOf = ({ kind, title, snippet }) => shortened((kind === "conversation" ? title || snippet : snippet || title) || "New conversation");
const pairs = (count) => (count === 1 ? "1 pair" : `${count.toLocaleString("en")} pairs`);

function about({ kind, title, count }) {
  if (kind === "conversation") return `Conversation with ${pairs(count)}`;
  return `${pairs(count)} of ${title ? `“${shortened(title)}”` : "a conversation without a title"}`;
}

function left(at) {
  const days = Math.ceil((Date.parse(at) - Date.now()) / DAY_MS);
  return days <= 1 ? "gone within a day" : `gone in ${days} days`;
}
