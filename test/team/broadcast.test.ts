import { expect, test } from "vitest";
import { TeamError } from "../../src/errors.ts";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import { broadcast } from "../../src/team/broadcast.ts";
import { openSupervisor } from "../support/supervisor.ts";

const alice = MemberName.parse("alice");

test("a broadcast goes to everybody who is alive but its sender", async () => {
  await using it = await openSupervisor();
  for (const name of ["alice", "bob", "carol"]) await it.spawn(name);
  await it.supervisor.stop(MemberName.parse("carol"));
  await it.until(() => it.supervisor.isQuiet);
  const recipients = async (content: string) => {
    await it.until(() => it.supervisor.isQuiet);
    const sent = await it.store.eventsOf("message-sent");
    return sent.flatMap((event) =>
      "to" in event && "preview" in event && event.preview === content
        ? [`${event.member} to ${event.to}`]
        : [],
    );
  };

  expect(await broadcast(it.supervisor, lead, "from the lead")).toBe(2);
  expect(await recipients("from the lead")).toEqual(["lead to alice", "lead to bob"]);
  expect(await broadcast(it.supervisor, user, "from the person")).toBe(3);
  expect((await recipients("from the person")).sort()).toEqual([
    ...["user to alice", "user to bob", "user to lead"],
  ]);
});

test("a member that ends during a broadcast is not counted, and any other failure is one", async () => {
  await using it = await openSupervisor();
  for (const name of ["alice", "bob"]) await it.spawn(name);
  const failTo = (error: Error) => {
    it.store.beforeSend = async (to) => {
      if (to === alice) throw error;
    };
  };

  failTo(new TeamError("member-ended", "'alice' is shut down", { hint: "…" }));
  expect(await broadcast(it.supervisor, lead, "hi")).toBe(1);
  failTo(new TeamError("write-failed", "disk full", { hint: "…" }));
  await expect(broadcast(it.supervisor, lead, "hi")).rejects.toThrow("disk full");
  failTo(new Error("a bug"));
  await expect(broadcast(it.supervisor, lead, "hi")).rejects.toThrow("a bug");
});
