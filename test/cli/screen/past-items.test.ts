import { expect, test } from "vitest";
import { paintFor } from "../../../src/cli/render/paint.ts";
import { Pager } from "../../../src/cli/screen/pager.ts";
import { pastItems } from "../../../src/cli/screen/past-items.ts";
import { transcriptText } from "../../../src/cli/screen/transcript-text.ts";
import { lead, newMessageId, user } from "../../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../../src/protocol/transcript.ts";
import type { TeamView } from "../../../src/team/view/team-view.ts";

const at = new Date(0).toISOString();
const openedAt = new Date(1).toISOString();

/** A view with this transcript, read from its end in pages of a few entries. */
function viewOf(entries: readonly TranscriptEntry[], pageSize = 60): Pick<TeamView, "transcript"> {
  return {
    async transcript(_, { before }) {
      const end = before === undefined ? entries.length : Number(before);
      const from = Math.max(0, end - pageSize);
      return {
        entries: entries
          .slice(from, end)
          .map((entry, index) => ({ entry, damage: null, cursor: String(from + index) })),
        before: from > 0 ? String(from) : null,
        after: String(end),
        isRestarted: false,
      };
    },
  };
}

function typed(content: string): TranscriptEntry {
  const id = newMessageId(new Date(0));
  const message = { id, from: user, to: lead, type: "message" as const, content, timestamp: 0 };
  return { type: "delivery", at, message, position: { generation: 1, offset: 1 } };
}

function says(text: string): TranscriptEntry {
  return { type: "reply", at, blocks: [{ type: "text", text }], stop: "end" };
}

const starts: TranscriptEntry = { type: "run-start", at };
const ends: TranscriptEntry = { type: "run-end", at, outcome: "done" };

test("what was said before is shown as it was live, the last items only, and that there is more", async () => {
  const entries = [starts, typed("go"), says("**one**"), says("two"), ends];

  expect(await pastItems(viewOf(entries), lead, { most: 2, openedAt })).toEqual([
    { type: "notice", text: "… earlier items: /show all, or ctrl-o and h", tone: "quiet" },
    { type: "text", source: "**one**" },
    { type: "text", source: "two" },
  ]);
});

test("mail that only the runtime reads is left out, as it was live", async () => {
  const message = {
    ...{ id: newMessageId(new Date(0)), from: lead, to: lead, timestamp: 0, content: "" },
    ...{ type: "mode_set_request" as const, mode: "plan" as const },
  };
  const order = { type: "delivery" as const, at, message, position: { generation: 1, offset: 1 } };

  expect(await pastItems(viewOf([order, says("one"), ends]), lead, { most: 9, openedAt })).toEqual([
    { type: "text", source: "one" },
  ]);
});

test("P40 a run that was cut off is told, and that a message is not answered", async () => {
  const last = async (entries: TranscriptEntry[]) =>
    (await pastItems(viewOf(entries), lead, { most: 9, openedAt })).at(-1);

  expect(await last([starts, typed("go"), says("I look.")])).toMatchObject({
    text: "Your last message was not answered: the run was cut off. Write to continue it.",
  });
  expect(await last([typed("go"), ends, starts, says("I look.")])).toMatchObject({
    text: "The lead's last run was cut off. Write to continue it.",
  });
  expect(await last([starts, typed("go"), says("Done."), ends])).toEqual({
    type: "text",
    source: "Done.",
  });
});

test("P40 a run that began when the team was opened is not cut off, and the one before it is", async () => {
  const last = async (entries: TranscriptEntry[]) =>
    (await pastItems(viewOf(entries), lead, { most: 9, openedAt })).at(-1);
  const startsNow: TranscriptEntry = { type: "run-start", at: openedAt };
  const endsNow: TranscriptEntry = { type: "run-end", at: openedAt, outcome: "done" };

  expect(await last([starts, says("Done."), ends, startsNow])).toMatchObject({ source: "Done." });
  expect(await last([starts, says("I look."), startsNow, endsNow])).toMatchObject({
    text: "The lead's last run was cut off. Write to continue it.",
  });
});

test("what a rewind has taken back is not shown", async () => {
  const rewind: TranscriptEntry = { type: "rewind", at, voids: 2, delivered: [] };

  const items = await pastItems(viewOf([says("kept"), says("a"), says("b"), rewind]), lead, {
    most: 9,
    openedAt,
  });

  expect(items.map((item) => (item.type === "text" ? item.source : item.type))).toEqual([
    "kept",
    "notice",
  ]);
});

test("P40 a whole history is read in pages, each when the person comes near it", async () => {
  const entries = Array.from({ length: 40 }, (_, index) => says(`said ${index}.`));
  const pager = new Pager(await transcriptText(viewOf(entries, 10), lead));
  const rows = () =>
    pager.render({ width: 60, height: 12, paint: paintFor(false), news: undefined }).join("\n");
  expect(rows()).toContain("said 39.");
  expect(rows()).not.toContain("said 29.");
  await pager.loadEarlier();
  expect(rows()).toMatch(/of 20\+$/);

  for (let turn = 0; turn < 8; turn++) {
    pager.press({ type: "text", text: "g" });
    rows();
    await pager.loadEarlier();
  }
  rows();
  pager.press({ type: "text", text: "g" });

  expect(rows()).toContain("said 0.");
  expect(rows()).toMatch(/of 80$/);
});
