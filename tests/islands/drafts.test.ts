/** Drafts and sends on their way: what is kept where, and what comes back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { draftsIn } from "../../app/ui/composer/drafts.ts";
import { before, Pending, without } from "../../app/ui/composer/pending.ts";

function aDisk(): { disk: Pick<Storage, "getItem" | "setItem" | "removeItem">; kept: Map<string, string> } {
  const kept = new Map<string, string>();
  const disk = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  return { disk, kept };
}

test("a draft is on the disk once it is known that it may be", () => {
  const { disk, kept } = aDisk();
  const drafts = draftsIn("d.", () => disk);

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
  const drafts = draftsIn("d.", () => disk);

  drafts.write("", "new", true);

  assert.equal(drafts.read("c1"), "");
  assert.deepEqual([...kept], [["d.new", "new"]]);
});

test("a person does not find the drafts of another", () => {
  const { disk, kept } = aDisk();
  const [anns, bens] = [draftsIn("d.", () => disk, "ann"), draftsIn("d.", () => disk, "ben")];

  anns.write("", "Ann's", true);

  assert.equal(bens.read(""), "");
  assert.equal(anns.read(""), "Ann's");
  assert.deepEqual([...kept.keys()], ["d.ann.new"]);
});

const NOTHING = { refused: [], arrived: [] };

test("what is on its way is part of the draft until it is accepted", () => {
  const pending = new Pending("s");
  const id = pending.add({ conversation: "c1", text: "one" });

  assert.equal(pending.draftOf("c1", "two"), "one\ntwo");
  assert.equal(pending.draftOf("c2", "two"), "two");
  assert.deepEqual(pending.settle([{ id: "other-1", accepted: false }]), NOTHING);
  assert.deepEqual(pending.settle([{ id, accepted: true }]), NOTHING);
  assert.equal(pending.draftOf("c1", "two"), "two");
});

test("what is refused comes back once, and all of it when nobody answers any more", () => {
  const pending = new Pending("s");
  const sent = { conversation: "c1", text: "one" };
  const answers = [{ id: pending.add(sent), accepted: false }];

  assert.deepEqual(pending.settle(answers), { refused: [sent], arrived: [] });
  assert.deepEqual(pending.settle(answers), NOTHING);
  pending.add(sent);
  assert.equal(pending.waits("c1"), true);
  assert.deepEqual(pending.abandon(), [sent]);
  assert.equal(pending.waits("c1"), false);
});

test("the same text after a lost connection is the same send, another text is another", () => {
  const pending = new Pending("s");
  const sent = { conversation: "c1", text: "one" };
  const id = pending.add(sent);
  pending.abandon();

  assert.notEqual(pending.add({ conversation: "c2", text: "one" }), id);
  assert.notEqual(pending.add({ conversation: "c1", text: "one more" }), id);
  assert.equal(pending.add(sent), id);
  assert.notEqual(pending.add(sent), id);
});

test("a text that came back is known to have arrived when that is said later", () => {
  const pending = new Pending("s");
  const sent = { conversation: "c1", text: "one" };
  const answers = [{ id: pending.add(sent), accepted: true }];
  pending.abandon();

  assert.deepEqual(pending.settle(answers), { refused: [], arrived: [sent] });
  assert.deepEqual(pending.settle(answers), NOTHING);
});

test("what has arrived goes out of what is written, unless somebody changed it", () => {
  assert.equal(without("one", "one"), "");
  assert.equal(without("one", "one\ntwo"), "two");
  assert.equal(without("two\nlines", "one\ntwo\nlines\nthree"), "one\nthree");
  assert.equal(without("three", "one\nthree"), "one");
  assert.equal(without("one", "one more"), "one more");
});

test("a text goes before what was typed since", () => {
  assert.equal(before("one", ""), "one");
  assert.equal(before("one", "two"), "one\ntwo");
});
