import { expect, test } from "vitest";
import { costOf, doing } from "../../../src/cli/screen/strip.ts";
import { MemberOverview } from "../../../src/cli/talk/member-overview.ts";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import {
  MemberName,
  newMessageId,
  newRequestId,
  TeammateName,
  user,
} from "../../../src/protocol/ids.ts";
import type { RequestFields } from "../../../src/protocol/request.ts";

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

test("the role of a member is shown with the name of its role file, and in the color of its role", () => {
  const overview = new MemberOverview(() => 0);
  overview.enlist([
    {
      ...{ name: TeammateName.parse("alice"), role: "tests it", status: "idle", color: "magenta" },
      agent: { name: "tester", sha256: "0" },
    },
  ]);

  const shown = overview.get(alice);
  expect(shown).toMatchObject({ role: "tests it, by tester", color: "magenta" });
  expect(shown && doing(shown, 0)).toBe("idle · tests it, by tester");
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

test("a member is shown asking as long as one of its questions is open", () => {
  const overview = new MemberOverview(() => 0);
  overview.enlist([{ name: TeammateName.parse("alice"), role: "coder", status: "working" }]);
  const question = { tool: "bash", input: { command: "make" } };

  overview.setQuestions([{ ...asked, type: "permission", subject: question }]);
  expect(overview.get(alice)).toMatchObject({ asked: "bash make" });
  overview.setQuestions([{ ...asked, type: "plan", subject: { plan: "1. Look" } }]);
  expect(overview.get(alice)).toMatchObject({ asked: "approve the plan" });
  overview.setQuestions([]);
  expect(overview.get(alice)?.asked).toBeUndefined();
});

/** The fields of an open question of alice. */
const asked: RequestFields = {
  ...{ id: newRequestId(new Date(0)), from: alice, to: user, version: 1 },
  ...{ hash: "0".repeat(64), created_at: "2026-01-01T00:00:00.000Z", sig: "" },
  ...{ state: "pending", decision: null },
};

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

test.each([
  [0.5, 0, "15 $0.500"],
  [0.5, 1, "15 ≥ $0.500"],
  [null, 1, "15"],
  [0, 0, "15"],
])(
  "a cost of %s without %i calls that have no price is shown as: %s",
  (cost_usd, unpriced_calls, shown) => {
    const overview = new MemberOverview(() => 0);
    overview.enlist([
      { name: TeammateName.parse("alice"), role: "coder", color: "cyan", status: "idle" },
    ]);
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
    };

    overview.setUsage(alice, { ...usage, calls: 2, cost_usd, unpriced_calls });

    const member = overview.get(alice);
    expect(member && costOf(member)).toBe(shown);
  },
);

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
