import { rounds } from "../lib/alternate.ts";
import {
  formatCount,
  formatKilobytes,
  formatMegabytes,
  formatMs,
  formatNumber,
} from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, percentile } from "../lib/statistics.ts";
import { MemberFigures, ProviderFigures, ProviderUrl, ShellFigures } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

const turns = 500;
/** The number of turns around the measured one; a single turn varies too much. */
const neighbours = 10;

interface Life {
  provider: ProviderFigures;
  member: MemberFigures;
}

/** A member that calls bash 500 times, on a model that answers at once. */
export async function measureTurns(workbench: Workbench): Promise<Section> {
  const short: Life[] = [];
  const long: Life[] = [];
  const floor: number[] = [];
  for (let round = 0; round < rounds; round++) {
    floor.push(...(await spawnFloor(workbench)));
    short.push(await live(workbench, `short-${round}`, "echo hi"));
    long.push(await live(workbench, `long-${round}`, kibibyteCommand));
  }
  return describe(short, long, floor);
}

/** Prints 1 KiB. */
const kibibyteCommand = `echo ${"0123456789abcdef".repeat(64).slice(0, 1023)}`;

async function spawnFloor(workbench: Workbench): Promise<number[]> {
  await using shell = await workbench.start("shell", {});
  return (await shell.ask({ rounds: 100 }, ShellFigures)).spawnMs;
}

async function live(workbench: Workbench, name: string, command: string): Promise<Life> {
  const directory = await workbench.directory(name);
  await using provider = await workbench.start("provider", { turns, command });
  const { url } = await provider.ask({ question: "url" }, ProviderUrl);
  await using member = await workbench.start("member", { directory, url, turns });
  const figures = await member.ask({}, MemberFigures);
  if (figures.outcome !== "done") throw new Error(`The run ended as ${figures.outcome}`);
  return {
    member: figures,
    provider: await provider.ask({ question: "figures" }, ProviderFigures),
  };
}

function around(life: Life, turn: number): number {
  const { gapsMs } = life.provider;
  const from = Math.min(Math.max(turn - neighbours / 2, 0), gapsMs.length - neighbours);
  return median(gapsMs.slice(from, from + neighbours));
}

function describe(
  short: readonly Life[],
  long: readonly Life[],
  floor: readonly number[],
): Section {
  const p50 = median(short.map(({ provider }) => median(provider.gapsMs)));
  const p99 = median(short.map(({ provider }) => percentile(provider.gapsMs, 0.99)));
  const growth = (lives: readonly Life[]) =>
    median(lives.map((life) => around(life, turns) / around(life, 5)));
  const row = (name: string, lives: readonly Life[]) => [
    name,
    ...[5, 100, turns].map((turn) => formatMs(median(lives.map((life) => around(life, turn))))),
    formatKilobytes(median(lives.map(({ provider }) => provider.bodyBytes.at(-1) ?? 0))),
    formatMegabytes(median(lives.map((life) => memoryGrowth(life, "rssBytes")))),
    formatMegabytes(median(lives.map((life) => memoryGrowth(life, "heapBytes")))),
  ];
  return {
    title: "A turn",
    about: `From the end of an answer to the next request, as the provider's process sees it: the reply is read, written down and shown, \`bash\` is judged and run, its intent and its result are on disk, and the whole conversation is sent. One member in a process of its own, ${turns} turns, ${rounds} times. The floor is a bare Node process that starts \`bash -c 'echo hi'\` and waits for its end: p50 ${formatMs(median(floor))}. Memory is what turn ${turns} has more than turn 10, the heap after a collection.`,
    table: {
      head: ["output", "turn 5", "turn 100", `turn ${turns}`, "last request", "resident", "heap"],
      rows: [row("`hi`", short), row("1 KiB", long)],
    },
    targets: [
      { what: "`echo hi`: p50", figure: formatMs(p50), target: "≤ 15 ms", isMet: p50 <= 15 },
      {
        what: "`echo hi`: p99",
        figure: formatMs(p99),
        target: "reported",
        isMet: true,
      },
      {
        what: "`echo hi`: p50 / a bare spawn's",
        figure: formatNumber(p50 / median(floor)),
        target: "reported",
        isMet: true,
      },
      atMost(`\`echo hi\`: turn ${turns} / turn 5`, growth(short), 1.5),
      atMost(`1 KiB of output: turn ${turns} / turn 5`, growth(long), 3),
    ],
  };
}

function memoryGrowth({ member }: Life, what: "rssBytes" | "heapBytes"): number {
  const [first, last] = member.memory;
  return (last?.[what] ?? 0) - (first?.[what] ?? 0);
}

function atMost(what: string, ratio: number, target: number) {
  return { what, figure: formatNumber(ratio), target: `≤ ${target}`, isMet: ratio <= target };
}

/** The size of the first request without the prompt. */
export async function measureFirstRequest(workbench: Workbench): Promise<Section> {
  const directory = await workbench.directory("first");
  await using provider = await workbench.start("provider", { turns: 0, command: "" });
  const { url } = await provider.ask({ question: "url" }, ProviderUrl);
  await using member = await workbench.start("member", { directory, url, turns: 0 });
  await member.ask({}, MemberFigures);
  const { firstBody } = await provider.ask({ question: "figures" }, ProviderFigures);
  const bytes = Buffer.byteLength(firstBody) - Buffer.byteLength("Go.");
  const tools = (firstBody.match(/"input_schema"/g) ?? []).length;
  return {
    title: "The first request",
    about: `The lead's whole body without project instructions and prompt: system prompt and ${formatCount(tools)} tools.`,
    table: { head: ["tools", "bytes"], rows: [[formatCount(tools), formatCount(bytes)]] },
    targets: [
      {
        what: "first request of the lead",
        figure: formatKilobytes(bytes),
        target: "≤ 11 kB",
        isMet: bytes <= 11_000,
      },
    ],
  };
}
