import { z } from "zod";
import { sizeText } from "../../protocol/amounts.ts";
import type { CheckoutContents, CleanedCheckouts, TeamView } from "../../team/view/team-view.ts";
import { type Command, type Io, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";
import { table } from "../render/columns.ts";
import { jsonText } from "../render/json-text.ts";
import { localTime } from "../render/local-time.ts";
import { oneLine } from "../render/one-line.ts";

const Flags = z.object({ clean: z.boolean().default(false) });

interface SeenCheckout {
  checkout: CleanedCheckouts["removed"][number];
  contents: CheckoutContents;
}

export const checkouts: Command = {
  name: "checkouts",
  group: "look",
  summary: "Show the checkouts of members and their sizes, or remove those of ended members",
  parameters: [],
  options: { clean: { summary: "remove retired checkouts" }, ...lookOptions },
  examples: [
    { call: "troupe checkouts", does: "where each member works, and what that takes of the disk" },
    { call: "troupe checkouts --clean", does: "remove those in which nobody works any more" },
  ],
  notes: [
    "A checkout is retired when its member has ended. It is removed only when all its work is kept in your repository. Ignored files that .worktreeinclude does not name are not kept; they are named before.",
  ],

  async run({ json, teamDir, values }, io) {
    const { clean } = parseOptions(Flags, values, checkouts);
    const view = await io.viewTeam(teamDir);
    const seen: SeenCheckout[] = [];
    for (const checkout of await view.checkouts()) {
      if (clean && checkout.state !== "retired") continue;
      seen.push({ checkout, contents: await view.inspectCheckout(checkout.path) });
    }
    if (clean) return await cleanUp({ view, seen, json }, io);
    if (json) io.out(jsonText(seen.map(asJson), 2));
    else for (const line of listLines(seen)) io.out(line);
    return 0;
  },
};

function listLines(seen: readonly SeenCheckout[]): string[] {
  if (seen.length === 0) return ["No member has a checkout of its own."];
  const rows = seen.map(({ checkout: { member, state, path, since }, contents: { bytes } }) => [
    member,
    state === "ready" ? "" : state,
    sizeText(bytes),
    localTime(new Date(since)),
    oneLine(path),
  ]);
  const total = seen.reduce((sum, { contents }) => sum + contents.bytes, 0);
  const retired = seen.filter(({ checkout }) => checkout.state === "retired");
  return [
    ...table(rows, (column) => column === 2).map((line) => `  ${line}`),
    `In all ${sizeText(total)}.`,
    ...retired.flatMap(unkeptLines),
    ...(retired.length > 0 ? ["troupe checkouts --clean removes the retired ones."] : []),
  ];
}

const maxNamed = 10;

function unkeptLines({ checkout: { member }, contents: { unkept } }: SeenCheckout): string[] {
  if (unkept === null) return [`What of ${member}'s is ignored cannot be found out.`];
  if (unkept.length === 0) return [];
  const more = unkept.length - maxNamed;
  const named = `${unkept.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return [oneLine(`Not kept of ${member}'s, because git ignores it: ${named}`)];
}

async function cleanUp(
  { view, seen, json }: { view: TeamView; seen: readonly SeenCheckout[]; json: boolean },
  io: Io,
): Promise<number> {
  if (!json) for (const line of seen.flatMap(unkeptLines)) io.out(line);
  const { removed, stayed } = await view.cleanCheckouts(seen.map(({ checkout }) => checkout.path));
  if (json) {
    const paths = removed.map(({ path }) => path);
    const left = stayed.map(({ checkout: { path }, reason }) => ({ path, reason }));
    io.out(jsonText({ removed: paths, stayed: left }, 2));
    return stayed.length > 0 ? 1 : 0;
  }
  const freed = seen
    .filter(({ checkout }) => removed.some(({ path }) => path === checkout.path))
    .reduce((sum, { contents }) => sum + contents.bytes, 0);
  if (seen.length === 0) io.out("There are no retired checkouts.");
  for (const { member, path } of removed) io.out(oneLine(`Removed ${member}'s: ${path}`));
  if (removed.length > 0)
    io.out(`That was ${sizeText(freed)}. All its work is kept in your repository.`);
  for (const { reason } of stayed) io.out(oneLine(reason));
  return stayed.length > 0 ? 1 : 0;
}

function asJson({ checkout, contents }: SeenCheckout): object {
  const { member, state, path, repository, base, since } = checkout;
  return { member, state, path, repository, base, since, ...contents };
}
