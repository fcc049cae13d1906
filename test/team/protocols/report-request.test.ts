import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../../src/protocol/ids.ts";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import { reportRequest } from "../../../src/team/protocols/report-request.ts";
import { openTestProtocols } from "../../support/protocols.ts";

const alice = MemberName.parse("alice");
const subject = { tool: "bash", input: { command: "make" }, reason: "it builds" };

test("a teammate's question is an event, shown in the roster, and once in the lead's mail", async () => {
  const it = openReports();
  const request = await it.ask("permission", alice);

  it.report(request);
  it.report(request);
  await it.protocols.post.arrived(lead);

  const { id } = request;
  const event = { member: alice, id, request_type: "permission", state: "pending" };
  expect(await it.store.eventsOf("request-change")).toEqual([
    { type: "request-change", ...event },
    { type: "request-change", ...event },
  ]);
  expect(it.shown.at(-1)).toEqual([alice, "waiting for approval"]);
  expect(await it.store.unreadOf(lead)).toMatchObject([
    { type: "permission_request", from: alice, request_id: id, ...subject },
  ]);
});

test.each([
  ["a question of the lead", "permission", lead, "pending", [[lead, "waiting for approval"]]],
  ["an answer", "permission", alice, "approved", [[alice, undefined]]],
  ["a plan", "plan", alice, "pending", []],
] as const)("%s is no mail to the lead", async (_, type, from, state, shown) => {
  const it = openReports();

  it.report({ ...(await it.ask(type, from)), state });
  await it.protocols.post.arrived(lead);

  expect(await it.store.eventsOf("request-change")).toHaveLength(1);
  expect(it.shown).toEqual(shown);
  expect(await it.store.unreadOf(lead)).toEqual([]);
});

test("a question that cannot be put into the lead's mailbox is a warning", async () => {
  const it = openReports();
  it.store.beforeSend = async () => {
    throw new Error("disk full");
  };

  it.report(await it.ask("permission", alice));
  await it.protocols.post.arrived(lead);

  expect(it.warnings).toEqual([expect.stringMatching(/request of 'alice'.*disk full/)]);
});

function openReports() {
  const opened = openTestProtocols();
  const { protocols, store, warnings } = opened;
  const shown: [MemberName, string | undefined][] = [];
  return {
    ...opened,
    shown,
    ask: (type: "permission" | "plan", from: MemberName) =>
      store.requests.open(
        type === "plan"
          ? { type, from, to: user, subject: { plan: "1." } }
          : { type, from, to: user, subject },
      ),
    report: (request: TeamRequest) =>
      reportRequest(request, {
        ...{ hub: protocols.hub, post: protocols.post },
        showWaiting: (name, detail) => void shown.push([name, detail]),
        onWarning: (message) => void warnings.push(message),
      }),
  };
}
