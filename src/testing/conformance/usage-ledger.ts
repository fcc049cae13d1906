import { describe, expect } from "vitest";
import type { UsageLedger, UsageReader } from "../../logs/usage-ledger.ts";
import { MemberName } from "../../protocol/ids.ts";
import type { UsageRecord } from "../../protocol/usage.ts";
import { testWith } from "./test-with.ts";

/**
 * The promises in usage-ledger.ts, one test each. `reopen` opens the same one as a second process,
 * to read.
 */
export interface UsageLedgerFixture extends AsyncDisposable {
  ledger: UsageLedger;
  reopen?(): Promise<UsageReader>;
}

export function testUsageLedger(name: string, open: () => Promise<UsageLedgerFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the usage ledger promises`, () => {
    test("a new ledger has no totals", async ({ ledger }) => {
      expect(await ledger.totals()).toEqual(new Map());
    });

    test("each member's calls are added up separately", async ({ ledger }) => {
      await ledger.record(call("ada", { input_tokens: 10, cost_usd: 0.5 }));
      await ledger.record(call("bob", { output_tokens: 7, cost_usd: 2 }));
      await ledger.record(
        call("ada", { input_tokens: 5, cache_read_tokens: 3, cache_write_tokens: 2, cost_usd: 1 }),
      );

      const totals = await ledger.totals();
      expect(Object.fromEntries(totals)).toEqual({
        ada: {
          calls: 2,
          input_tokens: 15,
          output_tokens: 0,
          cache_read_tokens: 3,
          cache_write_tokens: 2,
          cost_usd: 1.5,
          unpriced_calls: 0,
        },
        bob: {
          calls: 1,
          input_tokens: 0,
          output_tokens: 7,
          cache_read_tokens: 0,
          cache_write_tokens: 0,
          cost_usd: 2,
          unpriced_calls: 0,
        },
      });
    });

    test("sums of money have no rounding errors", async ({ ledger }) => {
      for (let turn = 0; turn < 1000; turn++) {
        await ledger.record(call("ada", { cost_usd: 0.1 }));
        await ledger.record(call("bob", { cost_usd: 0.0000000375 }));
      }

      const totals = await ledger.totals();
      expect(totals.get(MemberName.parse("ada"))?.cost_usd).toBe(100);
      expect(totals.get(MemberName.parse("bob"))?.cost_usd).toBe(0.0000375);
    });

    test("a call without a price is counted separately", async ({ ledger }) => {
      await ledger.record(call("ada", {}));
      await ledger.record(call("ada", { cost_usd: 0 }));

      const totals = await ledger.totals();
      expect(totals.get(MemberName.parse("ada"))).toMatchObject({
        calls: 2,
        unpriced_calls: 1,
        cost_usd: 0,
      });
    });

    test("totals do not change after they are returned", async ({ ledger }) => {
      await ledger.record(call("ada", { input_tokens: 1 }));
      const before = await ledger.totals();

      await ledger.record(call("ada", { input_tokens: 1 }));

      expect(before.get(MemberName.parse("ada"))?.input_tokens).toBe(1);
    });

    test("a second process sees the same totals", async (fixture, { skip }) => {
      if (!fixture.reopen) return skip("backend lives in one process");
      await fixture.ledger.record(call("ada", { input_tokens: 3, cost_usd: 0.3 }));
      await fixture.ledger.record(call("bob", { input_tokens: 4 }));

      expect(await (await fixture.reopen()).totals()).toEqual(await fixture.ledger.totals());
    });
  });
}

export function call(member: string, used: Partial<UsageRecord>): UsageRecord {
  return {
    type: "call",
    at: "2026-01-01T00:00:00.000Z",
    member: MemberName.parse(member),
    model: "rehearsal",
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    ...used,
  };
}
