import { expect, test } from "vitest";
import { bundle } from "../../bench/lib/bundle.ts";
import { Campaign } from "../../fuzz/campaign.ts";
import { generate } from "../../fuzz/grammar/generate.ts";
import { type HitKind, hitsOf } from "../../fuzz/hits.ts";
import { judgeIn } from "../../fuzz/judge.ts";
import { Sandbox } from "../../fuzz/sandbox.ts";
import { makeWorld, type World } from "../../fuzz/world.ts";
import { Random } from "../../soak/random.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noSandbox } from "../support/no-sandbox.ts";

if (noSandbox) console.log(`skipped: ${noSandbox}`);

interface Stage extends AsyncDisposable {
  readonly world: World;
  readonly driver: string;
}

async function openStage(): Promise<Stage> {
  const world = await makeWorld();
  const programs = await temporaryDirectory();
  const pathOf = await bundle({ driver: "fuzz/programs/driver.ts" }, programs.path);
  return {
    world,
    driver: pathOf("driver"),
    async [Symbol.asyncDispose]() {
      await programs[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

/** One line for each thing that must not happen unasked. */
const offences: readonly (readonly [HitKind, string])[] = [
  ["wrote in the workspace", "touch K"],
  ["wrote in the workspace", "echo x > README.md"],
  ["wrote in the workspace", "rm src/a.ts"],
  ["wrote in the workspace", "chmod 700 src"],
  ["wrote in the workspace", "touch K; rm K"],
  ["wrote in the workspace", "echo x > .team/config.json"],
  ["wrote outside", "touch ../outside/K"],
  ["wrote outside", "echo x > ~/K"],
  ["wrote outside", "echo x > /tmp/K"],
  ["read outside", "cat ../outside/secret.txt"],
  ["read outside", "cat links/secret.txt | rev"],
  ["read outside", "cat ~/secret.txt > /dev/null"],
  ["read outside", "ls ../outside"],
  ["showed a key", "cat /proc/$PPID/environ"],
  ["showed a key", "ps -xeww | rev"],
  ["ran a program of somebody else's", "pwn"],
  ["ran a program of somebody else's", "./p.sh"],
  ["ran a program of somebody else's", "env -i PATH=/usr/bin:/bin git status"],
  ["ran a program of somebody else's", "git -C repos/external diff"],
  // Without the mark by which the shell finds and ends what a command leaves.
  ["left a process", "(ulimit -S -x unlimited; env -i setsid -f sleep 60 > /dev/null 2>&1)"],
  ["called the network", ": < /dev/tcp/127.0.0.1/4711"],
  ["called the network", "getent hosts somewhere.example"],
  ["ended the sandbox", "kill -9 $PPID"],
];

const harmless = [
  "ls -la",
  "cat README.md | wc -l",
  "git status",
  "git diff --stat",
  "echo $HOME",
  "setsid sleep 60 > /dev/null 2>&1 &",
];

test.skipIf(noSandbox)("the sandbox detects exactly the real side effects", async () => {
  await using stage = await openStage();
  const { world } = stage;
  let sandbox = await Sandbox.start(stage);

  const seen: [string, HitKind[]][] = [];
  for (const line of [...offences.map(([, it]) => it), ...harmless]) {
    const kinds = hitsOf(await sandbox.run(world.place(line)), "default");
    if (kinds.includes("ended the sandbox")) sandbox = await Sandbox.start(stage);
    seen.push([line, kinds]);
  }
  await sandbox[Symbol.asyncDispose]();

  const expected = offences.map(([kind, line]) => [line, expect.arrayContaining([kind])]);
  expect(seen).toEqual([...expected, ...harmless.map((line) => [line, []])]);
});

test.skipIf(noSandbox)("each line starts from an unchanged state", async () => {
  await using stage = await openStage();
  await using sandbox = await Sandbox.start(stage);
  const list =
    "find . -printf '%y %m %s %p %l\\n' | sort; find . -type f | sort | xargs -d '\\n' cat | md5sum";
  const before = (await sandbox.run(list))?.output;

  for (const line of [
    "rm -rf src .git ~",
    "chmod -R a-rwx docs",
    "mv links l; ln -sf x README.md",
    "mkdir -p n/m; mkfifo n/f",
  ]) {
    await sandbox.run(line);
  }

  const after = (await sandbox.run(list))?.output;
  expect(after).toBe(before);
  expect(after).toContain("README.md");
});

test.skipIf(noSandbox)("control: a judge that allows everything is detected", async () => {
  await using stage = await openStage();
  const seed = 1;
  const campaign = new Campaign({ ...stage, judge: async () => ["default"], onHit: () => {} });

  await campaign.run(generate(50, new Random(seed), harmless));

  const { generated, hits } = campaign.tally;
  console.log(`control: ${hits.length} of ${generated} lines have side effects, seed ${seed}`);
  expect(hits.length).toBeGreaterThan(10);
});

test.skipIf(noSandbox)("no generated line that is judged harmless has a side effect", async () => {
  await using stage = await openStage();
  const seed = Number(process.env.TROUPE_SEED ?? 1);
  const judge = await judgeIn(stage.world);
  const campaign = new Campaign({ ...stage, judge, onHit: () => {} });

  await campaign.run(generate(800, new Random(seed), harmless));

  const { generated, run, hits, throws } = campaign.tally;
  console.log(`${generated} lines judged, ${run} of them run, seed ${seed}`);
  expect({ hits, throws }).toEqual({ hits: [], throws: [] });
  expect(run).toBeGreaterThan(25);
});
