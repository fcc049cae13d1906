import { expect, test } from "vitest";
import { MemberName, user } from "../../src/protocol/ids.ts";
import { askHost, withdrawHostQuestions } from "../../src/team/ask-host.ts";
import { openTestProtocols } from "../support/protocols.ts";
import { teamPlace } from "../support/team.ts";

const alice = MemberName.parse("alice");

test("a question about a host that a killed process has left is withdrawn, and others stay", async () => {
  const { store } = openTestProtocols();
  const subject = { tool: "bash", input: { command: "make" } };
  await store.requests.open({ type: "permission", from: alice, to: user, subject });
  await store.requests.open({
    ...{ type: "permission", from: alice, to: user },
    subject: { tool: "network", input: {}, host: "example.com:443" },
  });

  await withdrawHostQuestions(store, alice);

  const states = (await store.requests.list()).map(({ state }) => state);
  expect(states).toEqual(["pending", "cancelled"]);
});

test("a question about a host is withdrawn when nobody waits for its answer any more", async () => {
  const { store } = openTestProtocols();
  const gone = new AbortController();
  const place = teamPlace("/nowhere");
  const asked = askHost(
    { store, place, approvals: {} },
    { member: alice, host: "example.com:443", signal: gone.signal },
  );
  await expect.poll(() => store.requests.list({ state: "pending" })).toHaveLength(1);

  gone.abort();

  expect(await asked).toBe(false);
  expect(await store.requests.list({ state: "cancelled" })).toHaveLength(1);
});
