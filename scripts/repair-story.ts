import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReplyBlock } from "../src/protocol/transcript.ts";
import type { ScriptedReply } from "../src/testing/scripted-model.ts";
import { calls, reply, says } from "../src/testing/scripted-model.ts";
import { after, Latch } from "../test/e2e/promises/scenes.ts";
import type { Line, Part } from "../test/support/team-on-wire.ts";

/*
 * The team of the pictures: a lead and three teammates repair a small shop. The models' words are
 * written here. Everything else is real: the files, the tests that they run, the mail, the tasks.
 */

export const prompt =
  "The checkout charges a cent too much: npm test shows it. Have alice fix it, bob test refunds, and carol review.";

/** Opened when alice has asked: her question is to be the first. */
export const aliceHasAsked = new Latch();

const files: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n`,
  "src/price.js": `/** The price of an order, in cents. */
export function total(items, taxRate) {
  const net = items.reduce((sum, { cents, count }) => sum + cents * count, 0);
  return Math.ceil(net * (1 + taxRate));
}

export function refund(order, taxRate) {
  return -total(order.items, taxRate);
}
`,
  "test/price.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/price.js";

test("tax is rounded to the nearest cent", () => {
  assert.equal(total([{ cents: 1099, count: 1 }], 0.19), 1308);
});
`,
};

export async function makeShop(directory: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, ".."), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}

const refundTest = `import assert from "node:assert/strict";
import test from "node:test";
import { refund, total } from "../src/price.js";

test("a refund returns exactly what was charged", () => {
  const items = [{ cents: 1099, count: 3 }];
  assert.equal(refund({ items }, 0.19) + total(items, 0.19), 0);
});
`;

const never = new Latch();

export const parts: Record<string, Part> = {
  lead: [
    turn(9_400, [
      says("Three teammates can do this side by side."),
      spawn("alice", "coder", "Fix the rounding in src/price.js. Tell bob which cases matter."),
      spawn("bob", "tester", "Add tests for refunds. alice fixes total()."),
      spawn("carol", "reviewer", "Read src/price.js now. Review the changes when both are done."),
    ]),
    turn(9_900, [
      calls("create_task", { subject: "Round the tax to the nearest cent", owner: "alice" }),
      calls("create_task", { subject: "Test refunds", owner: "bob" }),
      calls("create_task", {
        subject: "Review both changes",
        owner: "carol",
        blocked_by: ["1", "2"],
      }),
    ]),
    turn(10_600, [calls("wait_for_teammates", {})]),
    after(never, says("Done.")),
  ],
  alice: [
    turn(5_100, [
      calls("read_file", { path: "src/price.js" }),
      calls("bash", { command: "ls test" }),
    ]),
    turn(5_800, [
      says("`Math.ceil` rounds every fraction of a cent up."),
      calls("send_message", {
        to: "bob",
        content: "total() rounds up today. Please cover a refund of three items: 39.23 with tax.",
      }),
    ]),
    turn(6_200, [
      calls("edit_file", {
        path: "src/price.js",
        old_text: "  return Math.ceil(net * (1 + taxRate));",
        new_text:
          "  // Floating point: 1.005 * 100 is 100.49999999999999.\n  return Math.round(Number((net * (1 + taxRate)).toFixed(6)));",
      }),
    ]),
    after(never, says("Done.")),
  ],
  bob: [
    turn(5_000, [calls("read_file", { path: "test/price.test.js" })]),
    turn(5_600, [says("alice's case goes into a test of its own."), calls("list_tasks", {})]),
    after(
      aliceHasAsked,
      turn(5_900, [calls("write_file", { path: "test/refund.test.js", content: refundTest })]),
    ),
    after(never, says("Done.")),
  ],
  carol: [
    turn(4_900, [calls("read_file", { path: "src/price.js" })]),
    turn(5_300, [
      says(
        "`refund` depends on `total`, so one fix covers both. I review the rest when tasks 1 and 2 are done.",
      ),
    ]),
    after(never, says("Done.")),
  ],
};

function spawn(name: string, role: string, text: string): ReplyBlock {
  return calls("spawn_teammate", { name, role, prompt: text });
}

/** A reply to a request of so many tokens, nearly all of them from the cache. */
function turn(tokens: number, blocks: readonly ReplyBlock[]): Line & ScriptedReply {
  const written = 600;
  const usage = {
    input_tokens: 40,
    cache_read_tokens: tokens - written,
    cache_write_tokens: written,
    output_tokens: 60 * blocks.length + 90,
  };
  return reply(blocks, { usage });
}
