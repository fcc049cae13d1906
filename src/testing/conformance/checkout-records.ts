import { describe, expect } from "vitest";
import type { CheckoutDraft, CheckoutRecords } from "../../checkouts/checkout-records.ts";
import { CommitId, MemberName } from "../../protocol/ids.ts";
import type { ManualClock } from "../manual-clock.ts";
import { testWith } from "./test-with.ts";

/** A team in which nobody has a checkout. `reopen` opens the same records as the next process. */
export interface CheckoutRecordsFixture extends AsyncDisposable {
  records: CheckoutRecords;
  clock: ManualClock;
  reopen(): Promise<CheckoutRecords>;
}

/** The promises in checkout-records.ts, one test each. */
export function testCheckoutRecords(
  name: string,
  open: () => Promise<CheckoutRecordsFixture>,
): void {
  describe(`${name} keeps the promises of records of checkouts`, () => {
    const test = testWith(open);
    test("a record is as it was put, with its times and the number of the change", async ({
      records,
      clock,
    }) => {
      expect([await records.list(), await records.get(alice)]).toEqual([[], undefined]);
      const making = await records.put(draft(alice));
      await clock.advance(1_000);
      const ready = await records.put({ ...making, state: "ready", earlier: [earlier] });

      const [begun, changed] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"];
      expect(making).toEqual({
        ...{ ...draft(alice), created_at: begun, updated_at: begun, version: 1 },
      });
      expect(ready).toEqual({
        ...{ ...making, state: "ready", earlier: [earlier], updated_at: changed, version: 2 },
      });
      expect(await records.get(alice)).toEqual(ready);
    });

    test("each member has one record, and they are listed by name", async ({ records }) => {
      const second = await records.put(draft(bob));
      await records.put(draft(alice));
      const first = await records.put(draft(alice));

      expect(first.version).toBe(2);
      expect(await records.list()).toEqual([first, second]);
    });

    test("the next process finds them", async ({ records, reopen }) => {
      const record = await records.put({ ...draft(alice), links: [{ path: "lib", to: "/lib" }] });

      const reopened = await reopen();

      expect(await reopened.list()).toEqual([record]);
      expect((await reopened.put(record)).version).toBe(2);
    });
  });
}

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const base = CommitId.parse("a".repeat(40));
const earlier = { path: "/checkouts/old", base, retired_at: "2026-01-01T00:00:00.000Z" };

function draft(id: MemberName): CheckoutDraft {
  return {
    ...{ id, state: "making", path: `/checkouts/${id}`, repository: "/repo/.git", base },
    ...{ target: "troupe/default", branch: `troupe/${id}`, incarnation: "1", earlier: [] },
  };
}
