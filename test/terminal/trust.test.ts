import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { chooseQuestion, doKeysCount } from "../support/chosen-question.ts";
import { viewTeam } from "../support/team.ts";
import { noTmux } from "../support/tmux.ts";
import { inLine, openOnServer, openTroupe } from "../support/troupe-in-tmux.ts";

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

test.skipIf(noTmux)(
  "P38 with three questions open, what is typed goes to the line, and y, y, y answers all of them",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    const names = ["alice", "bob", "carol"];
    const spawn = (name: string) =>
      calls("spawn_teammate", { name, role: "coder", prompt: `Touch as ${name}.` });
    server.replyWith(({ body }) => {
      const own = names.find((name) => JSON.stringify(body.messages[0]).includes(`as ${name}.`));
      if (body.messages.length > 1) return says("Done.");
      return own === undefined
        ? reply(names.map(spawn))
        : calls("bash", { command: `touch ${own}.txt && curl http://localhost:1` });
    });
    await using terminal = await openOnServer(directory.path, server);
    await terminal.shows("›");
    await terminal.enter("Go.");
    await terminal.shows("asks to run this (1 of 3)");

    for (const text of ["also use UUIDs", "yes, go on", "no, wait"]) {
      await terminal.type(text);
      await terminal.shows(inLine(text));
      await terminal.press("C-u");
    }
    await terminal.shows(/asks to run this \(1 of 3\)[\s\S]*ctrl-x to answer/);
    await chooseQuestion(terminal);
    for (const next of [/asks to run this \(1 of 2\)/, /asks to run this *$/m]) {
      await terminal.press("y");
      await terminal.until(async () => {
        const isNext = next.test(await terminal.screen());
        return isNext && doKeysCount(await terminal.styledScreen());
      }, String(next));
    }
    await terminal.press("y");
    // All three together do not fit the screen.
    await terminal.until(async () => {
      const history = await terminal.history();
      return names.every((name) => history.includes(`✉ ${name} → lead (result)`));
    }, "three results");
    await terminal.shows(inLine(""));

    const shown = await terminal.history();
    expect(shown.match(/allowed \w+ once/g)?.sort()).toEqual(
      names.map((name) => `allowed ${name} once`),
    );
    for (const name of names) {
      expect(existsSync(join(directory.path, "work", `${name}.txt`))).toBe(true);
    }
  },
);
