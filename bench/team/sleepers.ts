import { rounds } from "../lib/alternate.ts";
import {
  formatCount,
  formatKilobytes,
  formatMegabytes,
  formatMs,
  formatNumber,
} from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median } from "../lib/statistics.ts";
import { atMost } from "./at-most.ts";
import { FloorFigures } from "./contract.ts";
import { type Performance, play } from "./play.ts";
import { playProgram } from "./play-program.ts";
import type { Workbench } from "./workbench.ts";

const few = 4;
const many = 10;

interface Nap {
  performances: Performance[];
  /** The same, played by the program: without a sandbox, and with one. */
  programsMs: number[];
  confinedMs: number[];
  floorsMs: number[];
}

/** A lead that spawns teammates in one turn and waits for them; each runs `sleep 1` and reports. */
export async function measureSleepers(workbench: Workbench): Promise<Section[]> {
  const naps = new Map<number, Nap>(
    [few, many].map((count) => [
      count,
      { performances: [], programsMs: [], confinedMs: [], floorsMs: [] },
    ]),
  );
  // The first start leaves the code cache that all later ones use.
  await playProgram(workbench, { name: "first-start", teammates: few, sandbox: "required" });
  for (let round = 0; round < rounds; round++) {
    for (const [teammates, { performances, programsMs, confinedMs, floorsMs }] of naps) {
      const name = `sleepers-${teammates}-${round}`;
      const program = { name: `program-${name}`, teammates };
      const confined = { name: `confined-${name}`, teammates };
      floorsMs.push(await floor(workbench, teammates));
      programsMs.push(await playProgram(workbench, { ...program, sandbox: "off" }));
      confinedMs.push(await playProgram(workbench, { ...confined, sandbox: "required" }));
      performances.push(await play(workbench, { name, scene: "sleepers", teammates }));
    }
  }
  const performances = naps.get(few)?.performances ?? [];
  return [describe(naps), describeFirstRequests(performances)];
}

async function floor(workbench: Workbench, commands: number): Promise<number> {
  await using shells = await workbench.start("floor", {});
  return (await shells.ask({ commands }, FloorFigures)).tookMs;
}

function tookMs({ performances }: Nap): number {
  return median(performances.map(({ provider }) => provider.gapsMs[0] ?? Number.NaN));
}

function sentBytes({ performances }: Nap): number {
  return median(performances.map(({ provider }) => provider.sentBytes));
}

function peakBytes({ performances }: Nap): number {
  return median(performances.map(({ team }) => team.peakBytes));
}

function describe(naps: ReadonlyMap<number, Nap>): Section {
  const row = ([teammates, nap]: [number, Nap]) => [
    formatCount(teammates),
    formatMs(median(nap.floorsMs)),
    formatMs(median(nap.programsMs)),
    formatMs(median(nap.confinedMs)),
    formatMs(tookMs(nap)),
    formatMegabytes(peakBytes(nap)),
    formatCount(median(nap.performances.map(({ provider }) => provider.requests))),
    formatKilobytes(sentBytes(nap)),
  ];
  return {
    title: "Four at once, and ten",
    about: `A lead spawns all teammates in one turn and waits for them in the same turn; each runs \`sleep 1\` and reports; the lead answers. From the lead's reply, as the provider's process sends it, to the lead's request that shows all reports, in a new process each time: by \`troupe run\` of the built package, whose second and later starts find its code compiled, without a sandbox and with one, which is tried and set up in that time, and by a program that uses the library, where V8 compiles everything again. The floor is a bare Node process that starts as many \`bash -c 'sleep 1'\` at once and waits for their end. Memory is the peak of the library's process; sent is the bodies of all its requests.`,
    table: {
      head: [
        ...["teammates", "floor", "`troupe run`", "in a sandbox", "library", "memory"],
        ...["requests", "sent"],
      ],
      rows: [...naps].map(row),
    },
    targets: [...naps].flatMap(([teammates, nap]) => targetsOf(teammates, nap)),
  };
}

function targetsOf(teammates: number, nap: Nap): Section["targets"] {
  const what = `${teammates} teammates in \`sleep 1\``;
  const target = teammates === few ? 1_150 : 1_300;
  const took = atMost(`${what}: until all reports are seen`, {
    figure: median(nap.programsMs),
    target,
    format: formatMs,
  });
  const report = (row: string, ms: number) => {
    return { what: `${what}: ${row}`, figure: formatMs(ms), target: "reported", isMet: true };
  };
  const library = report("the same by the library, with nothing compiled", tookMs(nap));
  const confined = report("the same in a sandbox", median(nap.confinedMs));
  if (teammates !== few) return [took, confined, library];
  return [
    took,
    confined,
    report("of that, more than the floor", median(nap.programsMs) - median(nap.floorsMs)),
    library,
    atMost(`${what}: peak memory of the process`, {
      figure: peakBytes(nap),
      target: 160e6,
      format: formatMegabytes,
    }),
    atMost(`${what}: sent to the provider`, {
      figure: sentBytes(nap),
      target: 150e3,
      format: formatKilobytes,
    }),
  ];
}

function describeFirstRequests(performances: readonly Performance[]): Section {
  const body = (who: "lead" | "teammate") => performances[0]?.provider.firstBodies[who] ?? "";
  const bytes = (who: "lead" | "teammate") => Buffer.byteLength(body(who));
  const tools = (who: "lead" | "teammate") => (body(who).match(/"input_schema"/g) ?? []).length;
  const row = (who: "lead" | "teammate") => [
    who,
    formatNumber(tools(who)),
    formatCount(bytes(who)),
  ];
  const limit = (who: "lead" | "teammate", target: number) =>
    atMost(`first request of a ${who}`, { figure: bytes(who), target, format: formatKilobytes });
  return {
    title: "The first request of each",
    about:
      "The whole body with all tools: system prompt, tools, and a prompt of a few words. No project instructions.",
    table: { head: ["", "tools", "bytes"], rows: [row("lead"), row("teammate")] },
    targets: [limit("lead", 11e3), limit("teammate", 8e3)],
  };
}
