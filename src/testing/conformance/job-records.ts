import { describe, expect } from "vitest";
import type { JobRecords } from "../../processes/job-records.ts";
import { MemberName, newMessageId } from "../../protocol/ids.ts";
import type { JobRecord } from "../../protocol/job.ts";
import { testWith } from "./test-with.ts";

/** An empty store of records. `reopen` opens the same one as a later process. */
export interface JobRecordsFixture extends AsyncDisposable {
  records: JobRecords;
  reopen?(): Promise<JobRecords>;
}

/** The promises in job-records.ts, one test each. */
export function testJobRecords(name: string, open: () => Promise<JobRecordsFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the promises of job records`, () => {
    test("at first there are no records, and removing one is harmless", async ({ records }) => {
      await records.remove("00000000");

      expect(await records.list()).toEqual([]);
    });

    test("records of all members are listed, oldest first", async ({ records }) => {
      const second = job("0000000a", { started_at: "2026-01-01T00:00:02.000Z" });
      const first = job("0000000b", { member: MemberName.parse("bob-2") });

      await records.add(second);
      await records.add(first);

      expect(await records.list()).toEqual([first, second]);
    });

    test("only the removed record is gone", async ({ records }) => {
      await records.add(job("0000000a"));
      await records.add(job("0000000b"));

      await records.remove("0000000a");
      await records.remove("0000000a");

      expect(await records.list()).toMatchObject([{ id: "0000000b" }]);
    });

    test("a record that is added twice is listed once", async ({ records }) => {
      const record = job("0000000a");

      await records.add(record);
      await records.add(record);

      expect(await records.list()).toEqual([record]);
    });

    test("changing a returned record does not change the store", async ({ records }) => {
      const record = job("0000000a");
      await records.add(record);
      const [listed] = await records.list();

      record.command = "another";
      if (listed) listed.command = "yet another";

      expect(await records.list()).toMatchObject([{ command: "npm test" }]);
    });

    test("records and removals survive a restart", async (fixture, { skip }) => {
      if (!fixture.reopen) return skip("backend lives in one process");
      const kept = job("0000000b");
      await fixture.records.add(job("0000000a"));
      await fixture.records.add(kept);
      await fixture.records.remove("0000000a");

      const other = await fixture.reopen();

      expect(await other.list()).toEqual([kept]);
    });
  });
}

function job(id: string, fields: Partial<JobRecord> = {}): JobRecord {
  const started_at = "2026-01-01T00:00:01.000Z";
  const message_id = newMessageId(new Date(started_at));
  const member = MemberName.parse("alice");
  return { id, member, command: "npm test", started_at, message_id, ...fields };
}
