import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noTmux } from "../support/tmux.ts";
import { atRest, inLine, openTroupe } from "../support/troupe-in-tmux.ts";

const long = `A long answer. ${"It has many words. ".repeat(200)}The end of it.`;

test.skipIf(noTmux)(
  "P16, P40 /compact shows how much shorter the conversation is, after Esc has cancelled one",
  async () => {
    await using story = await begin();
    const { terminal, server } = story;
    let isHung = false;
    server.replyWith(({ text }) => {
      if (!text.includes("Summarize the conversation so far")) {
        if (text.includes("Which?")) return says("The blue one.");
        return reply([says(long)], { usage: { input_tokens: 12_000, output_tokens: 900 } });
      }
      if (isHung) return says("They asked for a colour: SUMMARY.");
      isHung = true;
      return new Promise(() => undefined);
    });
    await terminal.enter("/compact");
    await terminal.shows("The conversation of 'lead' is too short to be summarized");
    await terminal.enter("Tell me.");
    await terminal.shows("The end of it.");
    await atRest(terminal);

    await terminal.enter("/compact");
    await terminal.shows("summarizes its conversation");
    await terminal.press("Escape");
    await terminal.shows("The conversation of 'lead' was not summarized: it was interrupted");
    await terminal.enter("/compact the colour");
    const done = await terminal.shows(
      /summarized the conversation: about 12\.9k tokens are now [12]\.\d+k; \/log shows the summary/,
    );

    expect(done).not.toContain("SUMMARY");
    expect(server.requests.at(-1)?.text).toContain('<keep from=\\"user\\">\\nthe colour\\n</keep>');
    await terminal.enter("Which?");
    await terminal.shows("The blue one.");
    expect(server.requests.at(-1)?.text).toContain("SUMMARY");
    expect(server.requests.at(-1)?.text).not.toContain("many words");
    expect(server.refusals).toEqual([]);
  },
);

test.skipIf(noTmux)(
  "P16, P39 /clear begins a conversation again, of a member at rest only, and /rewind brings it back",
  async () => {
    await using story = await begin();
    const { terminal, server } = story;
    let isAtWork = false;
    server.replyWith(({ text }) => {
      if (text.includes("Which?")) return says("The blue one.");
      if (!text.includes("Wait.")) return says("Noted well.");
      if (isAtWork) return says("Waited.");
      isAtWork = true;
      return calls("bash", { command: "until [ -e go ]; do read -t 0.1 < /dev/zero; done" });
    });
    await terminal.enter("Remember the word pomegranate.");
    await terminal.shows("Noted well.");
    await terminal.enter("Wait.");
    await terminal.shows(/bash until/);

    await terminal.enter("/clear");
    await terminal.shows(/'lead' is working[\s\S]*Interrupt it first/);
    await terminal.press("Escape");
    await terminal.shows("interrupted");
    await atRest(terminal);
    await terminal.enter("/cl");
    await terminal.shows("There is no command /cl");
    await terminal.type("/cle");
    await terminal.press("Tab");
    await terminal.shows(inLine("/clear"));
    await terminal.press("Enter");
    await terminal.shows("starts again with an empty conversation; /rewind goes back to before it");
    await terminal.enter("Which?");
    await terminal.shows("The blue one.");
    await atRest(terminal);
    expect(server.requests.at(-1)?.text).not.toContain("pomegranate");

    await terminal.enter("/rewind 2");
    await terminal.shows("Type /rewind 2 yes to do this.");
    await terminal.enter("/rewind 2 yes");
    await terminal.shows("went back to an earlier prompt");
    await terminal.shows(inLine("Wait."));
    await terminal.press("C-u");
    await terminal.enter("Are you there?");
    await terminal.shows(/Are you there\?[\s\S]*Noted well\./);
    expect(server.requests.at(-1)?.text).toContain("pomegranate");
    expect(server.refusals).toEqual([]);
  },
);

async function begin() {
  const directory = await temporaryDirectory();
  const server = await ProviderServer.start({ strict: true });
  const terminal = await openTroupe(directory.path, {
    argv: ["--model", "anthropic/claude-test", "--permission-mode", "bypassPermissions"],
    env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url },
  });
  await terminal.shows("›");
  return {
    terminal,
    server,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
