import { join } from "node:path";
import { parseMemberName } from "../../src/protocol/ids.ts";
import { alice, CheckoutBench } from "../../test/support/checkouts.ts";
import { LandingBench } from "../../test/support/landings.ts";
import { rounds } from "../lib/alternate.ts";
import { formatCount, formatMs, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median } from "../lib/statistics.ts";
import { changeFiles, makeLarge } from "./repository.ts";

const files = 50_000;
const changed = 10;
const most = 1_500;

/** From the end of a run to the target: what the member has changed is kept, merged and landed. */
export async function measureLandings(directory: string): Promise<Section> {
  const root = await makeLarge(join(directory, "work"), files);
  const checkouts = new CheckoutBench({ root, directory }, {});
  const { checkout } = await checkouts.make();
  const bench = await LandingBench.open(root);
  const times: { keep: number; land: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const from = round * changed;
    await changeFiles(checkout.path, { from, count: changed, change: round + 1 });
    const start = performance.now();
    const kept = await checkouts.checkouts.keep(alice);
    const keep = performance.now() - start;
    if (!kept) throw new Error("Nothing was kept");
    await bench.landings.take({ member: alice, ...kept });
    const landing = (await bench.run()).at(-1);
    if (landing?.state !== "landed") throw new Error(`The work is ${landing?.state}`);
    // The first round reads files that no later one has to.
    if (round > 0) times.push({ keep, land: performance.now() - start - keep });
  }
  const all = median(times.map(({ keep, land }) => keep + land));
  return {
    title: "Landing",
    about: `${changed} changed files in a checkout of a repository with ${formatCount(files)} files, without a check. The parts: all that the checkout has is kept in the person's repository, and that is merged with the target.`,
    table: {
      head: ["", "median of all rounds"],
      rows: [
        ["keeping", formatMs(median(times.map(({ keep }) => keep)))],
        ["merging, and moving the target", formatMs(median(times.map(({ land }) => land)))],
        ["both", formatMs(all)],
      ],
    },
    targets: [
      {
        what: `${changed} files land in a repository of ${formatCount(files)}`,
        figure: formatMs(all),
        target: `≤ ${formatMs(most)}`,
        isMet: all <= most,
      },
    ],
  };
}

const teammates = 10;
const each = 20;

/** Ten teammates that hand in their work at the same time. */
export async function measureTeam(directory: string): Promise<Section> {
  const count = 5_000;
  const root = await makeLarge(join(directory, "work"), count);
  const { checkouts } = new CheckoutBench({ root, directory }, {});
  const names = Array.from({ length: teammates }, (_, number) =>
    parseMemberName(`member-${number}`),
  );
  const bench = await LandingBench.open(root);
  const start = performance.now();
  const paths = await Promise.all(
    names.map(async (member) => {
      const incarnation = crypto.randomUUID();
      const { checkout } = await checkouts.make({ member, incarnation, from: root, cwd: root });
      return checkout.path;
    }),
  );
  const made = performance.now();
  for (const [number, path] of paths.entries()) {
    await changeFiles(path, { from: number * each, count: each, change: 1 });
  }
  const written = performance.now();
  await Promise.all(
    names.map(async (member) => {
      const kept = await checkouts.keep(member);
      if (kept) await bench.landings.take({ member, ...kept });
      bench.queue.wake();
    }),
  );
  const landings = await bench.run();
  const landed = landings.filter(({ state }) => state === "landed").length;
  if (landed !== teammates) throw new Error(`${landed} of ${teammates} have landed`);
  const end = performance.now();
  const seconds = (ms: number) => `${formatNumber(ms / 1000)} s`;
  return {
    title: "Ten teammates",
    about: `Each has a checkout of a repository with ${formatCount(count)} files, and changes ${each} of them; all hand in their work at once, and all of it lands. Without the time of models, and once.`,
    table: {
      head: ["", "time"],
      rows: [
        ["making ten checkouts, side by side", seconds(made - start)],
        ["keeping and landing the work of ten", seconds(end - written)],
      ],
    },
    targets: [],
  };
}
