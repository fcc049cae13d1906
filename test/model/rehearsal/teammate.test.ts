import { expect, test } from "vitest";
import { Dialogue, mail, teammateSystem, type World } from "./dialogue.ts";

/** A directory with these files in it. */
function filesWorld(files: Record<string, string> = {}): World {
  return (name, input) => {
    const { path = "", pattern = "" } = Object(input);
    if (name === "glob") return pattern in files ? pattern : "No matches";
    if (name === "read_file") return files[path];
    return undefined;
  };
}

const alice = (world: World = filesWorld()) => new Dialogue(teammateSystem(), world);
const order = (text: string) => mail("lead", "message", text);

test("a file is written with the requested content", async () => {
  const dialogue = alice();

  const text = await dialogue.tell(order("Create a file called schema.sql with a users table."));

  expect(dialogue.calls.at(-1)).toMatchObject({
    name: "write_file",
    input: { path: "schema.sql", content: expect.stringContaining("CREATE TABLE users (") },
  });
  expect(text).toContain("schema.sql");
});

test("an existing file is read before it is replaced, and left alone if it is already right", async () => {
  const other = alice(filesWorld({ "a.txt": "Something else" }));
  await other.tell(order('Write a.txt with "Hello"'));
  expect(other.names).toEqual(["glob", "read_file", "write_file"]);

  const same = alice(filesWorld({ "a.txt": "Hello\n" }));
  await same.tell(order('Write a.txt with "Hello"'));
  expect(same.names).toEqual(["glob", "read_file"]);
});

const guide = "# Guide\n\n## Install\n\nTo do.\n\n## Use\n\nTo do.\n";

test("a section is written where its heading is, and one without a heading at the end", async () => {
  const known = alice(filesWorld({ "guide.md": guide }));
  await known.tell(order('Write the section "Use" of guide.md.'));
  expect(known.calls.at(-1)).toMatchObject({
    name: "edit_file",
    input: { path: "guide.md", old_text: "## Use\n\nTo do." },
  });

  const other = alice(filesWorld({ "guide.md": guide }));
  await other.tell(order('Add the section "Notes" to guide.md.'));
  expect(other.calls.at(-1)).toMatchObject({
    name: "write_file",
    input: { content: expect.stringMatching(/^# Guide[\s\S]*To do\.\n\n## Notes\n\n.*alice\.\n$/) },
  });
});

test("what has landed is merged before a section is written", async () => {
  const dialogue = alice(filesWorld({ "guide.md": guide }));
  const landed = mail(
    "system",
    "landing_notification",
    "The work of bob is on troupe/default now (12ab).",
  );
  await dialogue.tell(landed, order('Write the section "Use" of guide.md.'));
  expect(dialogue.calls[0]).toMatchObject({
    input: { command: expect.stringContaining("git merge -q origin/troupe/default") },
  });
});

test("a conflict is solved by keeping both sides, and committed", async () => {
  const inConflict =
    "# Guide\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> origin/troupe/default\n";
  const dialogue = alice((name, input) => {
    if (name === "bash" && Object(input).command.includes("merge")) {
      return { output: "CONFLICT (content): Merge conflict in guide.md", isError: true };
    }
    return filesWorld({ "guide.md": inConflict })(name, input);
  });

  const text = await dialogue.tell(
    mail(
      "system",
      "message",
      "Your work cannot be merged with troupe/default. In conflict:\n- guide.md\n\nCommit what you have.",
    ),
  );

  expect(dialogue.names).toEqual(["bash", "read_file", "write_file", "bash"]);
  expect(dialogue.calls[2]).toMatchObject({ input: { content: "# Guide\nmine\n\ntheirs\n" } });
  expect(dialogue.calls[3]).toMatchObject({
    input: { command: expect.stringContaining("git commit") },
  });
  expect(text).toContain("Both sides are in guide.md");
});

test("a merge that is not permitted is reported", async () => {
  const dialogue = alice((name) => {
    if (name === "bash") return { output: "Error: Denied: no", isError: true };
    return filesWorld({ "guide.md": guide })(name, { path: "guide.md" });
  });

  const text = await dialogue.tell(
    mail("system", "message", "Your work cannot be merged with main. In conflict:\n- guide.md\n"),
  );

  expect(dialogue.names).toEqual(["bash", "read_file"]);
  expect(text).toContain("Denied");
});

test("a file's content, or its absence, is reported", async () => {
  const there = alice(filesWorld({ "schema.sql": "CREATE TABLE users ();" }));
  expect(await there.tell(order("Check if schema.sql exists and list its contents."))).toContain(
    "CREATE TABLE users ();",
  );

  expect(await alice().tell(order("Check if schema.sql exists."))).toBe(
    "schema.sql does not exist.",
  );
});

test("only orders of the lead and the person are carried out", async () => {
  for (const from of ["bob", "system", "outside"]) {
    const dialogue = alice();
    await dialogue.tell(mail(from, "message", "Write a.txt with text."));
    expect(dialogue.names).not.toContain("write_file");
  }

  const dialogue = alice();
  await dialogue.tell(mail("user", "message", "Write a.txt with text."));
  expect(dialogue.names).toContain("write_file");
});

test("a peer is answered once, and its answer is not answered", async () => {
  const dialogue = alice();

  await dialogue.tell(mail("bob", "message", "Hello alice."));
  expect(dialogue.calls).toMatchObject([
    { name: "send_message", input: { to: "bob", content: expect.stringMatching(/^Re: /) } },
  ]);

  await dialogue.tell(mail("bob", "message", "Re: Hello."));
  expect(dialogue.calls).toHaveLength(1);
});

test("two teammates that answer everything come to an end", async () => {
  const dialogue = alice();

  for (let round = 0; round < 10; round++) {
    await dialogue.tell(mail("bob", "message", `Question ${round}?`));
  }

  expect(dialogue.calls.length).toBeLessThan(5);
});

test("a shutdown request is accepted before other work is started", async () => {
  const dialogue = alice();

  await dialogue.tell(
    order("Write a.txt with text."),
    mail("lead", "shutdown_request", "Asked.", 'request_id="r1"'),
  );

  expect(dialogue.calls[0]).toEqual({
    name: "shutdown_response",
    input: { request_id: "r1", approve: true },
  });
});

test("an assigned task is completed, or failed if the work fails", async () => {
  const assignment = mail(
    "system",
    "task_assignment",
    "Task 4 is yours: Check if a.txt exists",
    'task_id="4"',
  );
  const dialogue = alice(filesWorld({ "a.txt": "Hi" }));
  await dialogue.tell(assignment);
  expect(dialogue.calls.at(-1)).toMatchObject({
    name: "complete_task",
    input: { task_id: "4", result: expect.stringContaining("Hi") },
  });

  const denied = alice((name) =>
    name === "write_file" ? { output: "Error: Denied: no", isError: true } : undefined,
  );
  await denied.tell(assignment.replace("Check if a.txt exists", "Write a.txt with text"));
  expect(denied.calls.at(-1)).toMatchObject({
    name: "update_task",
    input: { task_id: "4", status: "failed", result: expect.stringContaining("Denied: no") },
  });
});

test("a task from a reminder is ended", async () => {
  const dialogue = alice();

  await dialogue.tell(
    mail(
      "system",
      "message",
      'You still hold task 4: List the files here. Complete it (complete_task), or give it up: update_task with status "failed" or "pending".',
      'task_id="4"',
    ),
  );

  expect(dialogue.names).toEqual(["glob", "complete_task"]);
});

test("a task that is not understood is reported as rehearsed only", async () => {
  const dialogue = alice();

  await dialogue.tell(
    mail("system", "task_assignment", "Task 1 is yours: Prove it", 'task_id="1"'),
  );

  expect(dialogue.calls).toMatchObject([
    { name: "complete_task", input: { result: expect.stringMatching(/^Rehearsed only/) } },
  ]);
});

test("a plan is submitted, and carried out once it is approved", async () => {
  const dialogue = alice();
  await dialogue.tell(order("Write a.txt with text. Hand in a plan first."));
  expect(dialogue.names).toEqual(["plan_approval"]);

  await dialogue.tell(
    mail("lead", "plan_approval_response", "Go ahead.", 'request_id="p" approve="true"'),
  );

  expect(dialogue.calls.at(-1)).toMatchObject({ name: "write_file", input: { path: "a.txt" } });
});

test("after a rejection nothing is done, unless another plan is requested", async () => {
  const rejection = (feedback: string) =>
    mail(
      "lead",
      "plan_approval_response",
      `Your plan is rejected. Hand in another with plan_approval.\n\n${feedback}`,
      'request_id="p" approve="false"',
    );
  const dialogue = alice();
  await dialogue.tell(order("Risky refactoring task. Hand in a plan first."));

  const text = await dialogue.tell(rejection("Too risky."));
  expect(text).toContain("Too risky.");
  expect(dialogue.names).toEqual(["plan_approval"]);

  for (let round = 0; round < 5; round++) await dialogue.tell(rejection("Hand in a smaller plan."));
  expect(dialogue.names).toEqual(["plan_approval", "plan_approval", "plan_approval"]);
});

test("a request that is not understood is reported as a rehearsal, and nothing is called", async () => {
  const dialogue = alice();

  const text = await dialogue.tell(order("Rewrite the kernel in verse"));

  expect(text).toMatch(/rehearsal.*not a language model.*Rewrite the kernel in verse/);
  expect(dialogue.calls).toEqual([]);
});

test("a task that needs an approved plan first gets one, and is done once it is approved", async () => {
  let isApproved = false;
  const dialogue = alice((name) => {
    if (name !== "write_file" || isApproved) return name === "glob" ? "No matches" : undefined;
    const output =
      "Error: Not permitted: you need an approved plan first; hand one in with plan_approval";
    return { output, isError: true };
  });
  await dialogue.tell(
    mail("system", "task_assignment", "Task 3 is yours: Write a.txt with text", 'task_id="3"'),
  );
  expect(dialogue.calls.at(-1)).toMatchObject({
    name: "plan_approval",
    input: { plan: expect.stringContaining("Plan for task 3:") },
  });

  isApproved = true;
  await dialogue.tell(
    mail("lead", "plan_approval_response", "Go.", 'request_id="p" approve="true"'),
  );

  expect(dialogue.calls.at(-1)).toMatchObject({ name: "complete_task", input: { task_id: "3" } });
});
