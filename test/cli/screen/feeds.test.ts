import { expect, test } from "vitest";
import { isShownIn } from "../../../src/cli/screen/feeds.ts";
import { EventItems } from "../../../src/cli/talk/event-items.ts";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { lead, MemberName } from "../../../src/protocol/ids.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const at = "2026-01-01T09:00:00.000Z";

/** In whose views something of alice's is shown. */
function viewsOf(event: AgentEvent): MemberName[] {
  const told = new EventItems(() => false).itemsOf(event);
  return [lead, alice, bob].filter((view) => told.some((each) => isShownIn(view, each)));
}

test.each<[string, AgentEvent, MemberName[]]>([
  [
    "a member's end",
    { type: "member-change", at, member: alice, status: "shutdown" },
    [lead, alice],
  ],
  [
    "a member's end with its reason",
    { type: "member-change", at, member: alice, status: "shutdown", detail: "as asked" },
    [lead, alice],
  ],
  ["what went wrong", { type: "warning", at, member: alice, message: "odd" }, [lead, alice]],
  [
    "what is no news to others",
    { type: "compaction-start", at, member: alice, context_tokens: 1 },
    [alice],
  ],
])("%s is shown in the right views", (_title, event, views) => {
  expect(viewsOf(event)).toEqual(views);
});
