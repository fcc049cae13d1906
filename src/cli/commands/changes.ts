import { z } from "zod";
import type { LandingChanges } from "../../team/landings/landing-changes.ts";
import { type Command, lookOptions } from "../command.ts";
import { findLandings } from "../find-landings.ts";
import { decisionSteps, listLandings, listLines } from "../landings-text.ts";
import { parseOptions } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";
import { renderLanding } from "../render/landing.ts";
import { paintFor } from "../render/paint.ts";

const Flags = z.object({ diff: z.boolean().default(false) });

export const changes: Command = {
  name: "changes",
  group: "look",
  summary: "Show the work of members with checkouts, and how far it has got",
  parameters: ["[<name>]"],
  options: { diff: { summary: "show every line that changes" }, ...lookOptions },
  examples: [
    { call: "troupe changes", does: "the work of every member: what has landed, and what waits" },
    {
      call: "troupe changes alice --diff",
      does: "every line that the newest work of alice changes",
    },
    {
      call: "troupe changes --json | jq '.[] | select(.state==\"conflict\").files'",
      does: "the files in conflict, for a script",
    },
  ],
  notes: [
    "In place of a name, the number of a landing works too. What members without a checkout have changed is in your directory: see troupe diff.",
  ],

  async run({ positionals: [name], json, teamDir, values }, io) {
    const { diff } = parseOptions(Flags, values, changes);
    const view = await io.viewTeam(teamDir);
    const { hasColors } = io.terminal;
    // Long lines are not broken, so that they can be copied.
    const format = { width: 1_000_000, paint: paintFor(hasColors), texts: diff };
    if (name === undefined) {
      const listed = await listLandings(view);
      const found = listed.flatMap((each) =>
        typeof each.changes === "string" ? [] : [each.changes],
      );
      if (json)
        io.out(
          jsonText(
            listed.map((each) => asJson(each, diff)),
            2,
          ),
        );
      else if (diff) for (const each of found) print(renderLanding(each, format), io.out);
      else print(listLines(listed, "troupe "), io.out);
      return 0;
    }
    const landing = (await findLandings(view, name)).at(-1);
    if (!landing) return 0;
    const found = await view.landingChanges(landing.id);
    if (json) io.out(jsonText(asJson({ landing: found.landing, changes: found }, diff), 2));
    else print([...renderLanding(found, format), ...decisionSteps(landing, "troupe ")], io.out);
    return 0;
  },
};

function print(lines: readonly string[], out: (line: string) => void): void {
  for (const line of lines) out(line);
}

function asJson(
  {
    landing,
    changes: found,
  }: { landing: LandingChanges["landing"]; changes: LandingChanges | string },
  hasTexts: boolean,
): object {
  if (typeof found === "string") return { ...landing, changes: null, problem: found };
  const changed = found.files.map(({ path, change, added, removed, reason, texts }) => ({
    ...{ path, change, added, removed },
    ...(reason !== undefined && { reason }),
    ...(hasTexts && texts),
  }));
  return { ...landing, changes: changed, more: found.more };
}
