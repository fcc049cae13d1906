import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { viewTeam } from "../support/team.ts";
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
    await terminal.enter("Spawn alice (coder) and bob (tester). Have alice send bob a message.");
    await terminal.shows(/○ bob +idle/);
    await terminal.enter("/mode plan bob");
    await terminal.shows(/acceptEdits +lead, alice \(as the lead\)\nplan +bob/);
    await terminal.press("M-Up");
    await terminal.shows(/^── bob ─/m);

    expect(await terminal.shows(/rehearsal · plan$/m)).toContain("── bob ─");
  },
);

test.skipIf(noTmux)(
  "a question that is open after a restart is shown as one, and an answer from another shell is told",
  async () => {
    await using directory = await temporaryDirectory();
    {
      await using terminal = await openTroupe(directory.path);
      await terminal.shows("Say what you want done");
      await terminal.enter(
        "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
      );
      await terminal.shows(/\? alice +asks you: write_file schema.sql/);
      await terminal.press("C-d");
      await terminal.shows("exit code 0");
    }

    await using terminal = await openTroupe(directory.path);
    await terminal.shows(/\? alice +asks you: write_file schema.sql/);
    const keyPlace = {
      ...{ keyFile: undefined, home: directory.path },
      stateHome: join(directory.path, "state"),
    };
    const view = viewTeam(join(directory.path, "work"), { keyPlace });
    const [question] = await view.requests({ state: "pending" });
    await view.answer(question?.id ?? "", { decision: "allow-once" });

    await terminal.shows("allowed alice once, from another shell or the dashboard");
  },
);
