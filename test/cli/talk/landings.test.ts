import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { PlainTerminal } from "../../support/plain-terminal.ts";
import { gitIn, makeRepository } from "../../support/repository.ts";

const sections = ["Install", "Use"].map((title) => `## ${title}\n\nTo do.\n`);

test("P40 /changes shows what waits, /land and /discard decide, and /land brings what has landed", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), {
    ...{ "guide.md": `# Guide\n\n${sections.join("\n")}`, ".gitignore": ".team\nstate\n" },
  });
  const terminal = new PlainTerminal();
  const argv = ["--permission-mode", "acceptEdits", "--landing", "ask", "--sandbox", "off"];
  const talking = terminal.talk(
    root,
    ...argv,
    "--checkouts-dir",
    join(directory.path, "checkouts"),
  );
  await terminal.shows(/> $/);
  terminal.type("/changes");
  await terminal.shows(/No member has handed in work from a checkout of its own\.\n> $/);
  terminal.type("Spawn alice and bob in checkouts. Have each write a section of guide.md.");
  await terminal.shows(
    /alice: landing \d waits for you\. \/changes shows it, \/land alice lets it land\n/,
  );
  await terminal.shows(/bob: landing \d waits for you\. /);
  await terminal.shows(/\nbob reports: [\s\S]*\n> $/);

  const from = terminal.text.length;
  terminal.type("/changes");
  await terminal.shows(
    /alice {2}waits for you {2}1 file, \+1 -1\n[\s\S]*\/land \w+ lets it land;/,
    from,
  );
  terminal.type("/changes alice");
  await terminal.shows(
    /Landing \d of alice: waits for you\n[\s\S]*5 \+ Written by[\s\S]*\n> $/,
    from,
  );
  terminal.type("/discard bob Not this way");
  await terminal.shows(/bob: landing \d was discarded: Not this way\n/, from);
  terminal.type("/land all");
  await terminal.shows(/The work of alice \(landing \d\) may land on troupe\/default\.\n/, from);
  await terminal.shows(
    /alice: landing \d is on troupe\/default now; \/land brings it to you\n/,
    from,
  );
  terminal.type("/land");
  await terminal.shows(/main is at troupe\/default now: 1 file changed\.\n {2}guide\.md\n/, from);
  terminal.type("/land nobody");
  await terminal.shows(/error: There is no member 'nobody'\n/, from);
  terminal.type("/discard");
  await terminal.shows(/error: Whose work is not to land\?\n/, from);
  terminal.end();
  await talking;

  const guide = await readFile(join(root, "guide.md"), "utf8");
  expect(guide).toContain("as alice.");
  expect(guide).not.toContain("as bob.");
  expect(await gitIn(root, "status", "--porcelain")).toBe("");
  // It is told once, and not for everybody who hears of it by mail.
  expect(terminal.text.match(/is on troupe\/default now/g)).toHaveLength(1);
});
