import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noTmux } from "../support/tmux.ts";
import { inAnotherShell, openOnServer } from "../support/troupe-in-tmux.ts";

const freely = ["--permission-mode", "bypassPermissions"];

test.skipIf(noTmux)(
  "P40 a lead alone shows its tokens, cost and context, and what it runs in the background",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    const usage = { input_tokens: 100_000, output_tokens: 1_000 };
    server.reply(
      calls("background_run", { command: "sleep 1000" }),
      reply([says("It runs.")], { usage }),
    );
    await using terminal = await openOnServer(directory.path, server, { argv: freely });
    await terminal.shows("›");

    await terminal.enter("Start it.");

    await terminal.shows("○ in the background: sleep 1000");
    await terminal.shows(/101k \$0\.\d+ · context \d+% · anthropic\/claude-opus-5/);
    await terminal.press("C-d");
    await terminal.shows("exit code 0");
  },
);

test.skipIf(noTmux)("P40 twelve members in 30 rows say what each does", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  const names = Array.from({ length: 11 }, (_, index) => `member-${index + 1}`);
  const spawn = (name: string) =>
    calls("spawn_teammate", { name, role: "coder", prompt: `Wait as ${name}.` });
  server.replyWith(({ body }) => {
    const [first] = body.messages;
    const own = names.find((name) => JSON.stringify(first).includes(`Wait as ${name}.`));
    if (own !== undefined) return calls("bash", { command: `sleep 1000 # ${own}` });
    return body.messages.length === 1 ? reply(names.map(spawn)) : calls("wait_for_teammates", {});
  });
  const size = { columns: 100, rows: 30 };
  await using terminal = await openOnServer(directory.path, server, { argv: freely, ...size });
  await terminal.shows("›");

  await terminal.enter("Spawn them all.");

  for (const name of names) await terminal.shows(new RegExp(`${name} bash sleep 1000 # `));
  await terminal.shows(/lead wait_for_teammates/);
  await terminal.press("C-d");
  await terminal.shows("exit code 0");
});

test.skipIf(noTmux)(
  "what other shells do is shown: mail, rules and stops; and the ended member leaves the strip",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    server.replyWith(({ body }) => {
      const said = JSON.stringify(body.messages);
      if (said.includes("You rest.")) return says("I rest.");
      const spawn = { name: "alice", role: "coder", prompt: "You rest." };
      return said.includes("spawn_teammate") ? says("Good.") : calls("spawn_teammate", spawn);
    });
    await using terminal = await openOnServer(directory.path, server);
    await terminal.shows("›");
    await terminal.enter("Have alice rest.");
    await terminal.shows(/○ alice +idle/);

    await inAnotherShell(directory.path, "send", "lead", "Hello from the other shell.");
    await terminal.shows("✉ user → lead: Hello from the other shell.");
    await inAnotherShell(directory.path, "permissions", "allow", "bash(make:*)");
    await terminal.shows("rule added: allow bash(make:*)");
    await inAnotherShell(directory.path, "stop", "alice");
    await terminal.shows("✉ user → alice: stop");
    await terminal.shows("alice is shut down");
    await terminal.until(
      async () => !/^[○?⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] alice/m.test(await terminal.screen()),
      "a strip without alice",
    );
    await inAnotherShell(directory.path, "send", "lead", "Is she gone?");
    await terminal.shows("✉ user → lead: Is she gone?");

    expect((await terminal.history()).match(/alice is shut down/g)).toHaveLength(1);
  },
);
