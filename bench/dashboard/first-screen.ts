import { rounds } from "../lib/alternate.ts";
import { formatCount, formatMegabytes, formatMs } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio } from "../lib/statistics.ts";
import { atMost } from "../team/at-most.ts";
import { ServerAddress, ServerFigures } from "./contract.ts";
import { Reader } from "./reader.ts";
import { writeCrowd, writeLongLife } from "./teams.ts";
import type { Workbench } from "./workbench.ts";

const short = 1_000;
const long = 100_000;
const crowd = 200;

interface Team {
  name: string;
  directory: string;
  screensMs: number[];
  bytes: number[];
}

/** From the connection of a page to the last byte of the first state, with an idle server. */
export async function measureFirstScreen(workbench: Workbench): Promise<Section> {
  const [few, many, crowded] = [
    await team(workbench, `${formatCount(short)} messages and entries`, (directory) =>
      writeLongLife(directory, short),
    ),
    await team(workbench, `${formatCount(long)} messages and entries`, (directory) =>
      writeLongLife(directory, long),
    ),
    await team(workbench, `${crowd} teammates`, (directory) => writeCrowd(directory, crowd)),
  ];
  for (let round = 0; round < rounds; round++) {
    for (const each of [few, many, crowded]) await look(workbench, each);
  }
  return {
    title: "The first screen",
    about: `From the connection of a page to the last byte of the first state, of a server that has just been started. Ratios are of each round's pair.`,
    table: {
      head: ["team", "first state", "ratio", "memory of the server"],
      rows: [few, many, crowded].map(({ name, screensMs, bytes }) => [
        name,
        formatMs(median(screensMs)),
        medianRatio(screensMs, few.screensMs).toFixed(2),
        formatMegabytes(median(bytes)),
      ]),
    },
    targets: [many, crowded].map(({ name, screensMs }) =>
      atMost(`first state of a team with ${name}`, {
        ...{ figure: median(screensMs), target: 1_000, format: formatMs },
      }),
    ),
  };
}

async function team(
  workbench: Workbench,
  name: string,
  write: (directory: string) => Promise<unknown>,
): Promise<Team> {
  const directory = await workbench.directory(name.replaceAll(/\W+/g, "-"));
  await write(directory);
  return { name, directory, screensMs: [], bytes: [] };
}

async function look(workbench: Workbench, { directory, screensMs, bytes }: Team): Promise<void> {
  await using server = await workbench.start("server", { directory });
  const { port } = await server.ask({ wanted: "address" }, ServerAddress);
  const began = performance.now();
  using _page = await Reader.connect(port);
  screensMs.push(performance.now() - began);
  bytes.push((await server.ask({ wanted: "figures" }, ServerFigures)).residentBytes);
}
