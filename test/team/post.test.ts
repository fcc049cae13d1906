import { expect, test } from "vitest";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import { Post } from "../../src/team/post.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { promised } from "../support/promised.ts";
import { ControlledStore } from "../support/protocols.ts";
import { enlist, member } from "../support/team.ts";

const alice = MemberName.parse("alice");

test("mail is sent without secrets, and the person's is known by its id", async () => {
  const { post, store, clock } = openPost();
  const id = newMessageId(clock.now());
  const content = "the key is sk-secret-key-1234567890";

  const own = await post.send("lead", { type: "message", from: user, content });
  const others = await post.send("lead", { id, type: "message", from: alice, content: "hi" });

  expect(others.id).toBe(id);
  expect([own.id, id].map((each) => post.hasSentForPerson(each))).toEqual([true, false]);
  const [first] = await store.unreadOf(lead);
  expect(first?.content).not.toContain("sk-secret-key");
});

test("mail has arrived when none is on its way to that member, or it was refused", async () => {
  const { post, store } = openPost();
  await enlist(store, member("alice"));
  const [first, second, toLead] = [promised(), promised(), promised()];
  const held = [first.promise, second.promise];
  store.beforeSend = async (to) => (to === "lead" ? toLead.promise : held.shift());
  const sending = [
    post.send("Alice", { type: "message", from: lead, content: "one" }),
    post.send("alice", { type: "message", from: lead, content: "two" }),
    post.send("lead", { type: "message", from: alice, content: "three" }),
  ];
  let count = -1;

  const arrived = post.arrived(alice).then(async () => {
    count = (await store.unreadOf(alice)).length;
  });
  first.keep();
  await sending[0];
  second.keep();
  await arrived;
  expect(count).toBe(2);
  toLead.keep();
  await Promise.all(sending);

  store.beforeSend = async () => {
    throw new Error("disk full");
  };
  await expect(post.send("alice", { type: "message", from: lead })).rejects.toThrow("disk full");
  await expect(post.arrived(alice)).resolves.toBeUndefined();
});

function openPost() {
  const clock = new ManualClock();
  const store = new ControlledStore({ clock });
  const secrets = new Secrets(["sk-secret-key-1234567890"]);
  return { clock, store, post: new Post({ store, secrets, clock }) };
}
