/**
 * A result that a program can use: checked by a schema, and found again after a restart. Exits with 1
 * if the value is not as the schema says.
 */
import assert from "node:assert/strict";
import { Team } from "troupe";
import { calls, ProviderServer, says, temporaryDirectory } from "troupe/testing";
import { z } from "zod";

await using workspace = await temporaryDirectory();
await using provider = await ProviderServer.start({ strict: true });
provider.replyWith(({ body }) => {
  const shown = JSON.stringify(body.messages);
  if (shown.includes("Result accepted")) return says("The review is handed in.");
  const id = /request_id=([0-9a-f-]{36})/.exec(shown)?.[1];
  const isSecond = shown.includes("The result is wrong");
  return calls("submit_result", {
    request_id: id,
    result: { verdict: isSecond ? "approve" : "fine", comments: [] },
  });
});

await using team = await Team.open({
  cwd: workspace.path,
  model: "anthropic/scripted",
  structuredResults: true,
  env: { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "none-is-needed" },
});

const Review = z.object({
  verdict: z.enum(["approve", "reject"]),
  comments: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
});
const review = await team.ask("Review the last commit.", { schema: Review, id: "review-1" });

console.log(review.verdict);
assert.deepEqual(review, { verdict: "approve", comments: [] });
const again = await team.ask("Review the last commit.", { schema: Review, id: "review-1" });
assert.deepEqual(again, review);
