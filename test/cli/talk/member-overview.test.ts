import { expect, test } from "vitest";
import { MemberOverview } from "../../../src/cli/talk/member-overview.ts";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { MemberName, newMessageId, newRequestId, TeammateName } from "../../../src/protocol/ids.ts";

const alice = MemberName.parse("alice");

type Unstamped<T> = T extends AgentEvent ? Omit<T, "at" | "member"> : never;

function castAfter(...events: Unstamped<AgentEvent>[]) {
  const overview = new MemberOverview(() => 0);
  for (const event of events)
    overview.note({ at: "2026-01-01T00:00:00.000Z", member: alice, ...event });
  return overview.get(alice);
}

test("the lead is in the overview from the start", () => {
  expect(new MemberOverview(() => 0).members).toMatchObject([{ name: "lead", status: "idle" }]);
});

test.each(["user", "system", "outside"])("mail from %s makes no member of it", (sender) => {
  const overview = new MemberOverview(() => 0);

  overview.note({
    ...{ type: "message-sent", at: "2026-01-01T00:00:00.000Z", member: MemberName.parse(sender) },
    ...{ id: newMessageId(new Date(0)), to: alice, message_type: "message", preview: "hi" },
  });

  expect(overview.members.map(({ name }) => name)).toEqual(["lead"]);
});

test("a member is shown working, calling a tool, and idle again", () => {
  const call = {
    type: "tool-call",
    call_id: "1",
    name: "bash",
    input: { command: "npm test" },
  } as const;

  expect(castAfter({ type: "run-start" })).toMatchObject({ status: "working" });
  expect(castAfter({ type: "run-start" }, call)).toMatchObject({ activity: "bash npm test" });
  expect(castAfter(call, { type: "member-change", status: "idle" })).toMatchObject({
    status: "idle",
    activity: "",
  });
});

test("a member with a question is shown asking until it is answered", () => {
  const id = newRequestId(new Date(0));
  const asking = { type: "request-change", id, request_type: "permission" } as const;
  const pending = { ...asking, state: "pending" } as const;
  const approved = { ...asking, state: "approved" } as const;

  expect(castAfter(pending)).toMatchObject({ isAsking: true });
  expect(castAfter(pending, approved)).toMatchObject({ isAsking: false });
});

test("the detail of the roster stays while its member continues", () => {
  expect(
    castAfter(
      { type: "tool-call", call_id: "1", name: "bash", input: { command: "make" } },
      { type: "member-change", status: "working" },
    ),
  ).toMatchObject({ activity: "bash make" });
});

test("tokens add up, turn by turn", () => {
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0 };

  expect(
    castAfter({ type: "turn-end", turn: 1, usage }, { type: "turn-end", turn: 2, usage }),
  ).toMatchObject({ tokens: 30 });
});

test("an activity's time starts with the activity, not with each update", () => {
  let now = 0;
  const overview = new MemberOverview(() => now);
  const say = (text: string) =>
    overview.note({ type: "text-delta", at: "2026-01-01T00:00:00.000Z", member: alice, text });
  now = 100;
  say("one");
  now = 900;
  say("two");

  expect(overview.get(alice)?.sinceMs).toBe(100);
});

test("the roster's colour and role are used", () => {
  const overview = new MemberOverview(() => 0);

  overview.enlist([
    { name: TeammateName.parse("alice"), role: "coder", color: "cyan", status: "idle" },
  ]);

  expect(overview.get(alice)).toMatchObject({ role: "coder", color: "cyan" });
});
