import { expect, test } from "vitest";
import { MemberName, user } from "../../src/protocol/ids.ts";
import { askHost, withdrawHostQuestions } from "../../src/team/ask-host.ts";
import { openTestProtocols } from "../support/protocols.ts";
import { teamPlace } from "../support/team.ts";

const alice = MemberName.parse("alice");

test("a question about a host that a killed process has left is withdrawn, and others stay", async () => {
  const { store } = openTestProtocols();
  const subject = { tool: "bash", input: { command: "make" } };
  const about = { type: "permission", from: alice, to: user } as const;
  const command = await store.requests.open({ ...about, subject });
  const host = await store.requests.open({
    ...about,
    subject: { tool: "network", input: {}, host: "example.com:443" },
  });

  await withdrawHostQuestions(store, alice);

  expect(await store.requests.list({ state: "pending" })).toMatchObject([{ id: command.id }]);
  expect(await store.requests.list({ state: "cancelled" })).toMatchObject([{ id: host.id }]);
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
