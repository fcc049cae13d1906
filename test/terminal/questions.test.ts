import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { chooseQuestion, doKeysCount } from "../support/chosen-question.ts";
import { noTmux, type Tmux } from "../support/tmux.ts";
import { openOnServer, openTroupe } from "../support/troupe-in-tmux.ts";

const schema =
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.";

test.skipIf(noTmux)("Esc at a question interrupts nobody at its first press", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path);
  await terminal.shows("›");
  await terminal.enter(schema);
  await terminal.shows("alice asks to run this");
  await terminal.shows(/lead +wait_for_teammates/);

  await terminal.press("Escape");
  // It is shown for two seconds only.
  const note = "Ctrl-X answers the question. Esc again interrupts lead.";
  await terminal.hasWritten((output) => output.includes(note));
  await chooseQuestion(terminal);
  // From the question, it goes back to the line.
  await terminal.press("Escape");
  await terminal.shows("ctrl-x to answer");
  await terminal.shows(
    /alice asks to run this[\s\S]*ctrl-x to answer[\s\S]*lead +wait_for_teammates/,
  );

  expect(await terminal.history()).not.toContain("interrupted");
});

test.skipIf(noTmux)("a rule of always can be listed and taken back", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path);
  await terminal.shows("›");
  await terminal.enter(schema);
  await chooseQuestion(terminal);
  await terminal.press("a");
  await terminal.shows("Always allow edit_file(schema.sql) for the whole team");
  await terminal.until(
    async () => doKeysCount(await terminal.styledScreen(), "enter"),
    "an Enter that adds the rule",
  );
  await terminal.press("Enter");
  await terminal.shows("allowed alice from now on");
  await terminal.shows("rule added: allow edit_file(schema.sql)");

  await terminal.enter("/permissions");
  await terminal.shows(/^allow {2}edit_file\(schema\.sql\) {2}you answered always/m);
  await terminal.enter("/permissions remove edit_file(schema.sql)");
  await terminal.shows("Rule removed: allow edit_file(schema.sql).");
  await terminal.enter("/permissions");
  await terminal.shows("There are no permission rules.");
});

test.skipIf(noTmux)("40 columns show the whole command, rule, keys, mode and help", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  const command = "npm run build-everything-there-is -- --with-all-options --and-more";
  server.reply(calls("bash", { command }), says("Done."));
  // Where there is one, the command would be tried in it first.
  const argv = ["--sandbox", "off"];
  await using terminal = await openOnServer(directory.path, server, {
    ...{ columns: 40, rows: 24, argv },
  });
  await terminal.shows("›");
  await terminal.enter("Build.");

  await chooseQuestion(terminal);
  const keys = ["y yes, once", "n no", "r no, because …", "a always", "esc back to your line"];
  await terminal.until(async () => {
    const panel = await panelText(terminal);
    return [command, ...keys].every((part) => panel.includes(withoutSpace(part)));
  }, "the whole command, and all keys");
  await terminal.press("a");
  await terminal.until(async () => {
    const panel = await panelText(terminal);
    return ["bash(npm run build-everything-there-is", "enter yes, add this rule"].every((part) =>
      panel.includes(withoutSpace(part)),
    );
  }, "the whole rule");
  await terminal.press("Escape");
  await terminal.shows("y yes, once");
  await terminal.press("Escape");
  await terminal.shows("ctrl-x to answer");
  await terminal.enter("/help");
  await terminal.shows(/^ {2}Ctrl-D +quits, as do q, exit and\n {14}\/quit$/m);
  await terminal.shows(/^ {2}\/help · esc interrupt +default$/m);
});

test.skipIf(noTmux)("P40 a plan that waits for the person can be read whole", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  const plan = Array.from({ length: 50 }, (_, index) => `${index + 1}. Step ${index + 1}.`);
  server.replyWith(({ body }) => {
    const said = JSON.stringify(body.messages);
    if (!said.includes("You plan.")) {
      const spawn = { name: "alice", role: "coder", prompt: "You plan.", plan_required: true };
      return calls("spawn_teammate", spawn);
    }
    if (said.includes("spawn_teammate")) return says("I have asked alice.");
    return said.includes("Step 50")
      ? says("I wait.")
      : calls("plan_approval", { plan: plan.join("\n") });
  });
  const argv = ["--plan-approval", "user"];
  await using terminal = await openOnServer(directory.path, server, { argv });
  await terminal.shows("›");
  await terminal.enter("Have alice plan.");

  await terminal.shows("alice asks you to approve this plan");
  await terminal.shows(/\? alice +asks you: approve the plan/);
  await terminal.press("C-o");
  await terminal.shows("q closes");
  await terminal.press("G");
  await terminal.shows("Step 50.");
  await terminal.press("q");
  await chooseQuestion(terminal);
  await terminal.press("y");

  await terminal.shows("approved the plan of alice");
});

/** What the panel of a selected question says, without the space that depends on where its lines end. */
async function panelText(terminal: Tmux): Promise<string> {
  const lines = (await terminal.screen()).split("\n").filter((line) => line.startsWith("█"));
  return withoutSpace(lines.map((line) => line.replace(/^█ (↪ )?/, "")).join(""));
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, "");
}
