import { Disposables } from "../../src/lib/disposables.ts";
import { rounds } from "../lib/alternate.ts";
import { formatKilobytes, formatMegabytes, formatMs } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio } from "../lib/statistics.ts";
import { CrowdFigures, ServerAddress, ServerFigures } from "./contract.ts";
import { Reader } from "./reader.ts";
import { writeCrowd } from "./teams.ts";
import type { Workbench } from "./workbench.ts";

const members = 200;
const eventsPerSecond = 20;
const seconds = 3;

interface Audience {
  name: string;
  reading: number;
  stalled: number;
  cpuShares: number[];
  appendsMs: number[];
  worstMs: number[];
  memory: number[];
  bytesPerSecond: number[];
}

/** All members of a large team work, in a separate process, while pages watch. */
export async function measureCrowd(workbench: Workbench): Promise<Section> {
  const audiences = [
    audience("nobody", 0, 0),
    audience("1 page", 1, 0),
    audience("5 pages", 5, 0),
    audience("1 page, and 1 that does not read", 1, 1),
  ];
  for (let round = 0; round < rounds; round++) {
    for (const each of audiences) await perform(workbench, each, round);
  }
  const [nobody, one] = audiences;
  return {
    title: "A crowd at work",
    about: `${members} members with ${eventsPerSecond} events a second each, written by another process through its event log for ${seconds} s, with a server and pages that look on. CPU is the server's share of one core. Ratios are of each round's pair.`,
    table: {
      head: [
        "who looks",
        "CPU",
        "to 1 page",
        "an append",
        "to nobody",
        "one in 1,000",
        "a page gets",
        "memory",
      ],
      rows: audiences.map((each) => [
        each.name,
        `${(100 * median(each.cpuShares)).toFixed(1)} %`,
        medianRatio(each.cpuShares, one?.cpuShares ?? []).toFixed(2),
        formatMs(median(each.appendsMs)),
        medianRatio(each.appendsMs, nobody?.appendsMs ?? []).toFixed(2),
        formatMs(median(each.worstMs)),
        `${formatKilobytes(median(each.bytesPerSecond))}/s`,
        formatMegabytes(median(each.memory)),
      ]),
    },
    targets: [],
  };
}

function audience(name: string, reading: number, stalled: number): Audience {
  return {
    ...{ name, reading, stalled },
    ...{ cpuShares: [], appendsMs: [], worstMs: [], memory: [], bytesPerSecond: [] },
  };
}

async function perform(workbench: Workbench, audience: Audience, round: number): Promise<void> {
  const name = `crowd-${audience.reading}-${audience.stalled}-${round}`;
  const directory = await workbench.directory(name);
  const names = await writeCrowd(directory, members);
  await using crowd = await workbench.start("crowd", { directory, members: names });
  await using server = await workbench.start("server", { directory });
  const { port } = await server.ask({ wanted: "address" }, ServerAddress);
  await using pages = new Disposables();
  const readers: Reader[] = [];
  for (let page = 0; page < audience.reading + audience.stalled; page++) {
    const stalls = page >= audience.reading;
    readers.push(pages.use(await Reader.connect(port, { stalls })));
  }
  const before = await server.ask({ wanted: "figures" }, ServerFigures);
  const bytesBefore = readers[0]?.bytes ?? 0;
  const began = performance.now();
  const figures = await crowd.ask({ seconds, eventsPerSecond }, CrowdFigures);
  const tookMs = performance.now() - began;
  const after = await server.ask({ wanted: "figures" }, ServerFigures);
  audience.cpuShares.push((after.cpuMs - before.cpuMs) / tookMs);
  audience.appendsMs.push(figures.appendMs.median);
  audience.worstMs.push(figures.appendMs.worst);
  audience.memory.push(after.residentBytes);
  audience.bytesPerSecond.push(((readers[0]?.bytes ?? 0) - bytesBefore) / (tookMs / 1000));
}
