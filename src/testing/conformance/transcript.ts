import { describe, expect } from "vitest";
import { MemberName, newMessageId } from "../../protocol/ids.ts";
import type { MailPosition } from "../../protocol/message.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import type { Transcript, TranscriptReader } from "../../transcript/transcript.ts";
import { testWith } from "./test-with.ts";

/**
 * The promises in transcript.ts, one test each. `reopen` opens the same one as a second process, to
 * read.
 */
export interface TranscriptFixture extends AsyncDisposable {
  transcript: Transcript;
  reopen?(): Promise<TranscriptReader>;
}

export function testTranscript(name: string, open: () => Promise<TranscriptFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the transcript promises`, () => {
    test("a new transcript is empty", async ({ transcript }) => {
      expect(await transcript.tail()).toEqual([]);
      expect(await collect(transcript.entries())).toEqual([]);
    });

    test("entries are kept unchanged, in the order of the calls", async ({ transcript }) => {
      const entries = [
        profile(),
        delivery({ generation: 1, offset: 120 }),
        output("two\nlines, \"quotes\", \u2028, 'é' and 🙂"),
        output("x".repeat(300_000)),
        output(""),
      ];

      await Promise.all(entries.map((entry) => transcript.append([entry])));

      expect(await collect(transcript.entries())).toEqual(entries);
      expect(await transcript.tail()).toEqual(entries);
    });

    test("the tail starts at the last compaction, entries at the first", async ({ transcript }) => {
      const newest = [compaction("second"), output("c"), output("d")];
      const all = [output("a"), compaction("first"), output("b"), ...newest];

      await transcript.append(all.slice(0, 2));
      await transcript.append(all.slice(2));

      expect(await transcript.tail()).toEqual(newest);
      expect(await collect(transcript.entries())).toEqual(all);
    });

    test("what a rewind has made void does not count, whatever it is", async ({ transcript }) => {
      const kept = [compaction("kept"), output("a")];
      const voided = [output("b"), compaction("void"), output("c")];
      await transcript.append([output("old"), ...kept, ...voided, rewind(3), output("d")]);

      expect(await transcript.tail()).toEqual([...kept, rewind(3), output("d")]);

      // With an earlier rewind among what it makes void.
      await transcript.append([rewind(6), output("e")]);
      expect(await transcript.tail()).toEqual([compaction("kept"), rewind(6), output("e")]);
      expect(await collect(transcript.entries())).toHaveLength(10);
    });

    test("a tool output that quotes a compaction does not count as one", async ({ transcript }) => {
      const entries = [output("a"), output(`\n${JSON.stringify(compaction("quoted"))}\n`)];

      await transcript.append(entries);

      expect(await transcript.tail()).toEqual(entries);
    });

    test("appending nothing changes nothing", async ({ transcript }) => {
      await transcript.append([output("a")]);

      await transcript.append([]);

      expect(await transcript.tail()).toEqual([output("a")]);
    });

    test("changing an appended entry or a tail changes no record", async ({ transcript }) => {
      const entry: TranscriptEntry = {
        type: "compaction",
        at,
        summary: "as it was",
        kept: [],
        wakes: false,
        delivered: [],
      };

      await transcript.append([entry]);
      entry.summary = "changed";
      (await transcript.tail()).pop();

      expect(await transcript.tail()).toEqual([compaction("as it was")]);
    });

    test("a second process sees what has been appended", async (fixture, { skip }) => {
      if (!fixture.reopen) return skip("backend lives in one process");
      const reader = await fixture.reopen();

      await fixture.transcript.append([output("a"), output("b")]);

      expect(await reader.tail()).toEqual([output("a"), output("b")]);
    });
  });
}

const at = "2026-01-01T00:00:00.000Z";

function profile(): TranscriptEntry {
  return { type: "profile", at, system: "You are 'ada'.", model: "rehearsal" };
}

export function output(text: string): TranscriptEntry {
  return { type: "tool-result", at, call_id: "call-1", output: text, is_error: false };
}

export function compaction(summary: string, delivered: MailPosition[] = []): TranscriptEntry {
  return { type: "compaction", at, summary, kept: [], wakes: false, delivered };
}

export function delivery(position: MailPosition): TranscriptEntry {
  const message = {
    type: "message" as const,
    id: newMessageId(new Date(at)),
    from: MemberName.parse("lead"),
    to: MemberName.parse("ada"),
    content: "please review",
    timestamp: 1_767_225_600.5,
  };
  return { type: "delivery", at, message, position };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function rewind(voids: number): TranscriptEntry {
  return { type: "rewind", at, voids, delivered: [] };
}
