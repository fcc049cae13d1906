import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noTmux } from "../support/tmux.ts";
import { openTroupe } from "../support/troupe-in-tmux.ts";

test.skipIf(noTmux)(
  "the footer shows the mode that Shift-Tab and /mode set, also for teammates",
  async () => {
    await using directory = await temporaryDirectory();
    await using terminal = await openTroupe(directory.path, { columns: 100, rows: 30 });
    await terminal.shows(/rehearsal · default$/m);

    await terminal.press("BTab");
    await terminal.shows(/rehearsal · acceptEdits$/m);
    await terminal.type("Spawn alice (coder) and bob (tester). Have alice send bob a message.");
    await terminal.press("Enter");
    await terminal.shows(/○ bob +idle/);
    await terminal.type("/mode plan bob");
    await terminal.press("Enter");
    await terminal.shows(/acceptEdits +lead, alice \(as the lead\)\nplan +bob/);
    await terminal.press("M-Up");
    await terminal.shows(/^── bob ─/m);

    expect(await terminal.shows(/rehearsal · plan$/m)).toContain("── bob ─");
  },
);
