import { expect, test } from "vitest";
import { brieflyLanding, findLandings } from "../../src/cli/find-landings.ts";
import { CommitId, lead } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice } from "../support/landings.ts";
import { enlist, member, openStore, viewTeam } from "../support/team.ts";

test("landings are found by their id and by the name of their member", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const view = viewTeam(directory.path);
  const work = { base: commit("b"), target: "troupe/default" };
  const first = await store.landings.take({
    ...{ member: alice, ref: "refs/troupe/x/alice/1", commit: commit("1"), ...work },
    reason: "It waits for your decision",
  });
  const second = await store.landings.take({
    ...{ member: alice, ref: "refs/troupe/x/alice/2", commit: commit("2"), ...work },
  });

  expect(await findLandings(view, "alice")).toEqual([first, second]);
  expect(await findLandings(view, "@Alice")).toEqual([first, second]);
  expect(await findLandings(view, "2")).toEqual([second]);
  expect([first, second].map(brieflyLanding)).toEqual([
    ...["landing 1 of alice (waits for you)", "landing 2 of alice (taken)"],
  ]);
});

test("a name or an id that means no landing is refused with what there is", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await enlist(store, member("bob"));
  const view = viewTeam(directory.path);
  const hint = (given: string) => findLandings(view, given).catch((error: unknown) => error);

  expect(await hint("bob")).toMatchObject({
    hint: "A member with a checkout hands in its work when its run ends.",
  });
  await store.landings.take({
    ...{ member: alice, ref: "refs/troupe/x/alice/1", commit: commit("1") },
    ...{ base: commit("b"), target: "troupe/default" },
  });

  const there = "There is landing 1 of alice (taken).";
  expect(await hint("bob")).toMatchObject({ code: "landing-unknown", hint: there });
  expect(await hint(lead)).toMatchObject({ code: "landing-unknown", hint: there });
  expect(await hint("carol")).toMatchObject({ code: "member-unknown", hint: there });
  expect(await hint("7")).toMatchObject({ code: "landing-unknown", hint: there });
  expect(await hint("../x")).toMatchObject({ code: "name-invalid" });
});

function commit(digit: string): CommitId {
  return CommitId.parse(digit.repeat(40));
}
