import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { notes, playNotes } from "../support/notes-story.ts";
import { TeamOnAimock, wires } from "../support/team-on-aimock.ts";

const wrongKeys = Object.fromEntries(
  ["ANTHROPIC", "OPENAI", "OPENAI_COMPATIBLE", "OPENROUTER", "GOOGLE"].map((name) => [
    `${name}_API_KEY`,
    "wrong",
  ]),
);

describe.each(wires)("a provider's server that was written elsewhere: $name", (wire) => {
  test("plays a whole team: tasks, mail, files, reports, and the tokens of all replies", async () => {
    await using it = await TeamOnAimock.start(wire, { answer: playNotes });
    const team = await it.open();

    await team.prompt("Have the notes written and read.");
    const summary = await team.quiet();

    expect(summary).toMatchObject({
      result: notes.end,
      members: ["lead", "alice", "bob"].map((name) => ({ name, outcome: "done" })),
      tasks: notes.results.map((result) => ({ status: "completed", result })),
      denied: [],
      usage: it.tokens("whole"),
    });
    const written = await readFile(join(it.directory.path, "notes.txt"), "utf8");
    expect(written).toBe(notes.file);
    const lastOfLead = JSON.stringify(it.journal.at(-1)?.body);
    for (const report of notes.reports) expect(lastOfLead).toContain(report);
    expect(new Set(it.journal.map(({ path, response }) => [path, response.status].join()))).toEqual(
      new Set([[wire.path, 200].join()]),
    );
    const sendsKey = it.journal.some(({ headers }) => JSON.stringify(headers).includes("REDACTED"));
    expect(sendsKey).toBe(wire.needsKey);
  });
});

test.each(wires.filter(({ needsKey }) => needsKey))(
  "control: a server that was written elsewhere, $name, refuses a wrong key, and the lead fails at once",
  async (wire) => {
    await using it = await TeamOnAimock.start(wire, { answer: playNotes });
    const env = { ...it.environment, ...wrongKeys };
    const team = await it.open({ env });

    await team.prompt("Have the notes written and read.");
    const summary = await team.quiet();

    expect(summary.members).toMatchObject([{ name: "lead", outcome: "failed" }]);
    expect(JSON.stringify(summary.end)).toMatch(/refuses the key/);
    expect(it.tokens("begun").input_tokens).toBe(0);
  },
);
