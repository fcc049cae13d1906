import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ListedCheckout } from "../../../src/checkouts/listed-checkouts.ts";
import type { Landing } from "../../../src/protocol/landing.ts";
import { TeamWork } from "../../../src/team/view/team-work.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../../support/checkouts.ts";
import { LandingBench } from "../../support/landings.ts";
import { gitIn, writeFiles } from "../../support/repository.ts";

const teamId = "0198aaaa-0000-7000-8000-000000000000";

function workOf(bench: CheckoutBench, landings: () => Promise<Landing[]> = async () => []) {
  const records = {
    landings,
    checkouts: () => bench.records.list(),
    teamId: async () => teamId,
  };
  return new TeamWork(records, bench.clock);
}

/** Alice has had a checkout, and has another one. */
async function retiredBench(path: string): Promise<{ bench: CheckoutBench; past: ListedCheckout }> {
  const bench = await CheckoutBench.make(path, {
    "a.txt": "a\n",
    ".gitignore": "*.log\nbuild/\n.env\n",
    ".worktreeinclude": ".env\n",
  });
  await writeFiles(bench.root, { ".env": "A=1\n" });
  const { checkout } = await bench.make();
  await writeFiles(checkout.path, {
    ...{ "a.txt": "alice's\n", "new.txt": "new\n", "x.log": "log\n" },
    ...{ "build/one": "1\n", "build/two": "2\n" },
  });
  await bench.checkouts.retire(alice);
  await bench.make();
  const past = (await workOf(bench).checkouts()).find(({ isEarlier }) => isEarlier);
  if (!past) throw new Error("There is no earlier checkout");
  return { bench, past };
}

test("a retired checkout is listed, and what nothing keeps of it is named", async () => {
  await using directory = await temporaryDirectory();
  const { bench, past } = await retiredBench(directory.path);

  const { bytes, unkept } = await workOf(bench).inspectCheckout(past.path);

  expect(past).toMatchObject({ member: "alice", state: "retired" });
  expect(unkept).toEqual(["build/", "x.log"]);
  expect(bytes).toBeGreaterThan(10_000);
});

test("P27 a retired checkout is removed, and all that it had by then is kept", async () => {
  await using directory = await temporaryDirectory();
  const { bench, past } = await retiredBench(directory.path);
  // Somebody has looked through it, and saved something there.
  await writeFiles(past.path, { "late.txt": "late\n" });
  const current = await bench.checkouts.latest(alice);

  const cleaned = await workOf(bench).cleanCheckouts();

  expect(cleaned.removed).toEqual([past]);
  expect((await workOf(bench).checkouts()).map(({ state }) => state)).toEqual(["ready"]);
  const others = await gitIn(
    bench.root,
    ...["for-each-ref", "--format=%(refname)", `refs/troupe/${teamId}/alice/others`],
  );
  const kept = others.split("\n")[0] ?? "";
  expect(await gitIn(bench.root, "show", `${kept}:late.txt`)).toBe("late");
  expect(await gitIn(bench.root, "show", `refs/troupe/${teamId}/alice/1:new.txt`)).toBe("new");
  // What is kept of an earlier life is not what the present one would hand in.
  expect(await bench.checkouts.latest(alice)).toEqual(current);

  await bench.checkouts.recover(new Map([[alice, (await only(bench)).path]]));
  expect(await only(bench)).toMatchObject({ state: "ready", earlier: [] });
});

test("a checkout stays while something runs in it, and while its member works in it", async () => {
  await using directory = await temporaryDirectory();
  const { bench, past } = await retiredBench(directory.path);
  const inside = spawn("sleep", ["600"], { cwd: past.path });
  const current = await only(bench);

  try {
    const cleaned = await workOf(bench).cleanCheckouts([past.path, current.path]);

    expect(cleaned.removed).toEqual([]);
    expect(cleaned.stayed.map(({ reason }) => reason)).toEqual([
      expect.stringContaining(`process ${inside.pid} still runs in it`),
      expect.stringContaining("it is ready"),
    ]);
  } finally {
    inside.kill("SIGKILL");
    await once(inside, "exit");
  }
  expect((await workOf(bench).cleanCheckouts()).removed).toEqual([past]);
});

test("a checkout whose commits cannot be kept stays, and so does one whose repository is gone", async () => {
  await using directory = await temporaryDirectory();
  const { bench, past } = await retiredBench(directory.path);
  await rm(join(past.path, ".git"), { recursive: true });

  const [first] = (await workOf(bench).cleanCheckouts()).stayed;
  await rm(join(bench.root, ".git"), { recursive: true });
  const [second] = (await workOf(bench).cleanCheckouts()).stayed;

  expect(first?.reason).toMatch(/its commits cannot be kept: \.git is gone/);
  expect(second?.reason).toMatch(/The repository .* is gone/);
  expect(await workOf(bench).checkouts()).toHaveLength(2);
});

test("a landing shows what its member has done, not what others have landed meanwhile", async () => {
  await using directory = await temporaryDirectory();
  const checkouts = await CheckoutBench.make(directory.path, {
    ...{ "a.txt": "one\ntwo\n", "gone.txt": "x\n", "b.txt": "b\n" },
  });
  await checkouts.make();
  const bench = await LandingBench.open(checkouts.root);
  const landing = await bench.take(alice, {
    ...{ "a.txt": "one\n2\n", "gone.txt": null, "new.bin": Buffer.from([0, 1]) },
    link: { mode: "120000", content: "/etc/passwd" },
    "run.sh": { mode: "100755", content: "#!/bin/sh\n" },
  });
  const work = workOf(checkouts, () => bench.landings.list());

  const waiting = await work.landingChanges(landing.id);
  await bench.run();
  const landed = await work.landingChanges(landing.id);

  expect(waiting.files).toMatchObject([
    { path: "a.txt", change: "changed", added: 1, removed: 1, texts: { after: "one\n2\n" } },
    { path: "gone.txt", change: "removed", removed: 1 },
    { path: "link", change: "added", reason: "a link" },
    { path: "new.bin", change: "added", reason: "binary" },
    { path: "run.sh", change: "added", added: 1 },
  ]);
  expect(landed.landing.state).toBe("landed");
  expect(landed.files).toEqual(waiting.files);
});

test("a landing whose commit is gone says so", async () => {
  await using directory = await temporaryDirectory();
  const checkouts = await CheckoutBench.make(directory.path);
  await checkouts.make();
  const bench = await LandingBench.open(checkouts.root);
  const landing = await bench.take(alice, { "a.txt": "changed\n" });
  await gitIn(checkouts.root, "update-ref", "-d", landing.ref);
  await gitIn(checkouts.root, "gc", "-q", "--prune=now");

  await expect(
    workOf(checkouts, () => bench.landings.list()).landingChanges(landing.id),
  ).rejects.toMatchObject({ code: "repository-unusable" });
});

async function only(bench: CheckoutBench) {
  const [record] = await bench.records.list();
  if (!record) throw new Error("There is no record");
  return record;
}
