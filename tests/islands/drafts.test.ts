/** Drafts and unanswered sends: where they are stored, and which texts return to the box. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { draftsIn } from "../../app/ui/composer/drafts.ts";
import { before, holds, Pending, without } from "../../app/ui/composer/pending.ts";

function aDisk(): { disk: Pick<Storage, "getItem" | "setItem" | "removeItem">; kept: Map<string, string> } {
  const kept = new Map<string, string>();
  const disk = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  return { disk, kept };
}

/** Drafts of one tab. The tab's own storage survives a reload, which makes new drafts with both storages. */
function aTab(disk: Pick<Storage, "getItem" | "setItem" | "removeItem">, own = aDisk()) {
  const load = () => draftsIn("d.", () => disk, () => own.disk);
  return { drafts: load(), load, own: own.kept };
}

test("a draft is on the disk once it is known that it may be", () => {
  const { disk, kept } = aDisk();
  const drafts = aTab(disk).drafts;

  drafts.write("c1", "half", false);
  assert.equal(drafts.read("c1"), "half");
  assert.equal(kept.size, 0);
  drafts.write("c1", "half", true);
  assert.deepEqual([...kept], [["d.c1", "half"]]);
  drafts.write("c1", "", true);
  assert.equal(kept.size, 0);
});

test("drafts belong to their conversation, and that of no conversation is the new one's", () => {
  const { disk, kept } = aDisk();
  const drafts = aTab(disk).drafts;

  drafts.write("", "new", true);

  assert.equal(drafts.read("c1"), "");
  assert.deepEqual([...kept], [["d.new", "new"]]);
});

test("a draft stays when another tab of its conversation has an empty box", () => {
  const { disk } = aDisk();
  const first = aTab(disk).drafts;
  const second = aTab(disk).drafts;
  first.write("c1", "from the first", true);
  second.read("c1");
  second.write("c1", "sent", true);
  second.write("c1", "", true);

  first.leave("c1", "from the first", true); // the page is reloaded
  second.write("c1", "", true); // as the timer does every 400 ms

  assert.equal(aTab(disk).drafts.read("c1"), "from the first");
});

test("after a reload each tab shows the text of its own box", () => {
  const { disk, kept } = aDisk();
  const [first, second] = [aTab(disk), aTab(disk)];
  first.drafts.write("c1", "from the first", true);
  second.drafts.write("c1", "from the second", true);

  first.drafts.close("c1", "from the first", true);
  second.drafts.close("c1", "from the second", true);
  const [again, other] = [first.load(), second.load()];

  assert.deepEqual([again.read("c1"), other.read("c1")], ["from the first", "from the second"]);
  again.write("c1", "from the first", false); // until the page knows that the draft may be on the disk
  again.write("c1", "from the first", true);
  assert.equal(kept.get("d.c1"), "from the second"); // nothing changed in the box of the first
});

test("an empty box is empty after a reload, and a new tab shows the newest draft", () => {
  const { disk } = aDisk();
  const [first, second] = [aTab(disk), aTab(disk)];
  first.drafts.write("c1", "", true);
  second.drafts.write("c1", "from the second", true);

  first.drafts.close("c1", "", true);

  assert.equal(first.load().read("c1"), "");
  assert.equal(aTab(disk).drafts.read("c1"), "from the second");
});

test("a tab that comes back finds its text, unless another tab sent it or went on with it", () => {
  const { disk } = aDisk();
  const [first, second] = [aTab(disk).drafts, aTab(disk).drafts];
  second.read("c1");
  first.leave("c1", "one", true);
  second.write("c1", "two", true);
  assert.equal(first.read("c1"), "one");

  first.leave("c1", "one", true);
  second.read("c1");
  second.write("c1", "one and more", true);
  assert.equal(first.read("c1"), "one and more");
  second.write("c1", "", true);
  assert.equal(first.read("c1"), "");
});

test("a tab stores for a reload only the box that it shows, and nothing of a temporary conversation", () => {
  const { disk } = aDisk();
  const { drafts, own } = aTab(disk);
  drafts.write("secret", "one", false);
  drafts.close("secret", "one", false);
  drafts.write("c1", "two", true);
  drafts.leave("c1", "two", true);
  assert.equal(own.size, 0);

  drafts.write("c2", "three\nfour", true);
  drafts.rewrite("c2", "four");
  assert.deepEqual([...own], [["d.c2", "four"]]);
});

test("a draft of the disk stays there alone while nothing in it changes", () => {
  const { disk, kept } = aDisk();
  aTab(disk).drafts.write("c1", "one\ntwo", true);
  const drafts = aTab(disk).drafts;

  drafts.write("c1", "one\ntwo", false); // the page does not know yet that the draft may be on the disk
  drafts.rewrite("c1", "two");

  assert.deepEqual([...kept], [["d.c1", "two"]]);
});

test("a draft is changed where it is kept", () => {
  const { disk, kept } = aDisk();
  const drafts = aTab(disk).drafts;
  drafts.write("c1", "one\ntwo", true);
  drafts.write("secret", "one\ntwo", false);

  drafts.rewrite("c1", "two");
  drafts.rewrite("secret", "two");

  assert.deepEqual([...kept], [["d.c1", "two"]]);
  assert.equal(drafts.read("secret"), "two");
});

const NOTHING = { accepted: [], refused: [], moved: [], arrived: [] };
const aText = (text: string, conversation = "c1", files = "") => ({ conversation, text, schema: "{}", files });
const isIn = (written: string) => (sent: { text: string }) => holds(sent.text, written);

test("an unanswered send is part of the draft until it is accepted", () => {
  const pending = new Pending("s");
  const id = pending.add(aText("one")).id;

  assert.equal(pending.draftOf("c1", "two"), "one\ntwo");
  assert.equal(pending.draftOf("c2", "two"), "two");
  assert.deepEqual(pending.settle([{ id: "other-1", accepted: false }]), NOTHING);
  assert.equal(pending.writtenOf("c1", "one\ntwo"), "two");
  assert.deepEqual(pending.settle([{ id, accepted: true }]), { ...NOTHING, accepted: [aText("one")] });
  assert.equal(pending.writtenOf("c1", "one\ntwo"), "one\ntwo");
  assert.equal(pending.draftOf("c1", "two"), "two");
});

test("a refused send comes back once, and all of them when no server answers", () => {
  const pending = new Pending("s");
  const sent = aText("one");
  const answers = [{ id: pending.add(sent).id, accepted: false }];

  assert.deepEqual(pending.settle(answers), { ...NOTHING, refused: [sent] });
  assert.deepEqual(pending.settle(answers), NOTHING);
  pending.add(sent);
  assert.equal(pending.waits("c1"), true);
  assert.deepEqual(pending.abandon(), [sent]);
  assert.equal(pending.waits("c1"), false);
});

test("a refused send for a conversation that was started meanwhile goes to the draft of this conversation", () => {
  const pending = new Pending("s");
  const sent = aText("two", "");
  const answers = [{ id: pending.add(sent).id, accepted: false, moved: "c1" }];

  assert.deepEqual(pending.settle(answers), { ...NOTHING, moved: [{ sent, to: "c1" }] });
  assert.equal(pending.draftOf("", ""), "");
});

test("the same text after a lost connection is the same send, another text is another", () => {
  const pending = new Pending("s");
  const sent = aText("one");
  const id = pending.add(sent).id;
  pending.abandon();

  assert.notEqual(pending.add(aText("one", "c2")).id, id);
  assert.notEqual(pending.add(aText("one more")).id, id);
  assert.equal(pending.add(sent).id, id);
  assert.notEqual(pending.add(sent).id, id);
});

test("files without a text are the same send only if they are the same files", () => {
  const pending = new Pending("s");
  const id = pending.add(aText("", "c1", "f1 f2")).id;
  pending.abandon();

  assert.notEqual(pending.add(aText("", "c1", "f3")).id, id);
  assert.equal(pending.add(aText("", "c1", "f1 f2")).id, id);
});

test("a text that left the box is another send when it is written again", () => {
  const pending = new Pending("s");
  const { id } = pending.add(aText("yes"));
  const other = pending.add(aText("wait")).id;
  pending.abandon();
  pending.forgetRemoved("c2", "");
  pending.forgetRemoved("c1", "yes\nwait");

  pending.forgetRemoved("c1", "wait");

  const again = pending.add(aText("yes"));
  assert.notEqual(again.id, id);
  assert.equal(again.again, false);
  assert.deepEqual(pending.add(aText("wait")), { id: other, again: true });
});

test("a text with another schema or other files is another send", () => {
  const pending = new Pending("s");
  const { id } = pending.add(aText("one"));
  pending.abandon();

  assert.notEqual(pending.add({ ...aText("one"), schema: "{}2" }).id, id);
  assert.notEqual(pending.add(aText("one", "c1", "f1")).id, id);
  assert.equal(pending.add(aText("one")).id, id);
});

test("a text that came back is known to have arrived when that is said later", () => {
  const pending = new Pending("s");
  const sent = aText("one");
  const answers = [{ id: pending.add(sent).id, accepted: true }];
  pending.abandon();

  assert.deepEqual(pending.settle(answers), { ...NOTHING, arrived: [sent] });
  assert.deepEqual(pending.settle(answers), NOTHING);
});

test("a send before a reload is recognised by its id, and its note is deleted with the answer", () => {
  const { disk, kept } = aDisk();
  const before = new Pending("s", () => disk);
  const [one, two] = [aText("one"), aText("two")];
  const id = before.add(one).id;
  before.add(two);
  before.note("c2", true);
  assert.equal(kept.size, 0);
  before.note("c1", true);

  const after = new Pending("t", () => disk);
  after.recall(isIn("one\ntwo\nthree"));
  after.recall(isIn(""));
  assert.equal(after.draftOf("c1", "one"), "one");
  assert.deepEqual(after.settle([{ id, accepted: true }]), { ...NOTHING, arrived: [one] });
  after.note("c2", true);

  const last = new Pending("u", () => disk);
  last.recall(isIn("one\ntwo"));
  assert.deepEqual(last.settle([{ id, accepted: true }]), NOTHING);
  assert.equal(last.add(two).id, "s-2");
  last.settle([{ id: "s-2", accepted: true }]);
  last.note("c1", true);
  assert.equal(kept.size, 0);
});

test("no note is stored for a temporary conversation, or for a text that its draft no longer has", () => {
  const { disk, kept } = aDisk();
  const before = new Pending("s", () => disk);
  before.add(aText("secret", ""));
  before.note("", false);
  assert.equal(kept.size, 0);
  before.add(aText("one"));
  before.note("c1", true);
  assert.doesNotMatch([...kept.values()].join(), /secret/);

  const after = new Pending("t", () => disk);
  after.recall(isIn("one more"));
  after.note("c1", false);

  assert.equal(after.add(aText("one")).id, "t-1");
  assert.equal(kept.size, 0);
});

test("a text that has arrived is removed from the box, unless it was changed there", () => {
  assert.equal(without("one", "one"), "");
  assert.equal(without("one", "one\ntwo"), "two");
  assert.equal(without("two\nlines", "one\ntwo\nlines\nthree"), "one\nthree");
  assert.equal(without("three", "one\nthree"), "one");
  assert.equal(without("one", "one more"), "one more");
  assert.equal(without("", "one\n\ntwo"), "one\n\ntwo");
});

test("a text goes before what was typed since", () => {
  assert.equal(before("one", ""), "one");
  assert.equal(before("one", "two"), "one\ntwo");
});
