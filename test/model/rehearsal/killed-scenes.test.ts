import { expect, test } from "vitest";
import { z } from "zod";
import { Dialogue, leadSystem, mail, teammateSystem, type World } from "./dialogue.ts";

const unknown = {
  output:
    "Outcome unknown: troupe stopped while this call was running, and did not run it again. Whatever of it still ran was ended. Check what it did before you repeat it.",
  isError: true,
};

const Input = z.looseObject({
  subject: z.string().default(""),
  blocked_by: z.array(z.string()).default([]),
  name: z.string().default(""),
  path: z.string().default(""),
  content: z.string().default(""),
  task_id: z.string().default(""),
});

/** Everything that calls have changed. */
class Stage {
  readonly tasks: string[] = [];
  readonly team = new Set<string>();
  readonly files = new Map<string, string>();
  readonly completed = new Set<string>();
  readonly commands: string[] = [];

  readonly play: World = (name, given) => {
    const input = Input.parse(given);
    switch (name) {
      case "create_task":
        this.tasks.push(`${input.subject}${input.blocked_by.map((id) => ` after ${id}`).join("")}`);
        return `Created task ${this.tasks.length}: ${input.subject}`;
      case "list_tasks":
        return this.tasks.map((it, at) => `${at + 1} [completed] ${it}`).join("\n") || "No tasks.";
      case "list_teammates":
        return ["Team: default", ...[...this.team].map((it) => `  ${it} (x): idle`)].join("\n");
      case "spawn_teammate":
        this.team.add(input.name);
        return `Spawned '${input.name}' (role: x)`;
      case "glob":
        return [...this.files.keys()].join("\n") || "No files.";
      case "read_file":
        return this.files.get(input.path) ?? "";
      case "write_file":
        this.files.set(input.path, input.content);
        return "Wrote it";
      case "complete_task":
        if (this.completed.has(input.task_id)) return alreadyCompleted;
        this.completed.add(input.task_id);
        return "Completed";
      case "bash":
        this.commands.push(JSON.stringify(given));
        return "Done";
      default:
        return undefined;
    }
  };

  get state() {
    const { tasks, team, files, completed } = this;
    return { tasks, team: [...team], files: [...files], completed: [...completed] };
  }
}

const alreadyCompleted = { output: "Error: Task 1 is already completed", isError: true };

/** A scene in which the process is killed in one call, before or after it has done its work. */
async function play(system: string, prompt: string, kill?: { at: number; isDone: boolean }) {
  const stage = new Stage();
  let calls = 0;
  const dialogue = new Dialogue(system, (name, input) => {
    calls += 1;
    if (calls !== kill?.at) return stage.play(name, input);
    if (kill.isDone) stage.play(name, input);
    return unknown;
  });
  const text = await dialogue.tell(prompt);
  return { stage, calls, text };
}

const alice = teammateSystem();
const task = 'task_id="1"';

test.each([
  [leadSystem, "Create 3 tasks on the board, then spawn alice and bob. Watch them work."],
  [leadSystem, "Create tasks with dependencies. Watch teammates respect the blocked order."],
  [leadSystem, "Spawn alice (coder) and bob (tester). Have alice send bob a message."],
  [leadSystem, "Spawn alice as a coder. Then request her shutdown."],
  [alice, mail("lead", "message", "Create a file called schema.sql with a users table.")],
  [alice, mail("system", "task_assignment", "Task 1 is yours: Count the files here", task)],
  [alice, mail("system", "task_assignment", "Task 1 is yours: Write a.md", task)],
])("P08 killed in any call, %s plays to the same end: %s", async (system, prompt) => {
  const whole = await play(system, prompt);
  expect(whole.calls).toBeGreaterThan(1);

  for (let at = 1; at <= whole.calls; at++) {
    for (const isDone of [false, true]) {
      const killed = await play(system, prompt, { at, isDone });

      expect({ at, isDone, ...killed.stage.state }).toEqual({ at, isDone, ...whole.stage.state });
      expect(killed.text).toBe(whole.text);
    }
  }
});

test("a command of the person that may have run is not run a second time", async () => {
  const prompt = mail("lead", "message", 'Run "touch once".');

  const { stage, text } = await play(alice, prompt, { at: 1, isDone: true });

  expect(stage.commands).toHaveLength(1);
  expect(text).toContain("bash failed: Outcome unknown");
});
