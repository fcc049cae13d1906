import type { ChatCompletionRequest } from "@copilotkit/aimock";
import { type Answer, callsIn, memberOf, shownIn } from "./team-on-aimock.ts";

/** The texts of the story by which a test recognizes what happened. */
export const notes = {
  file: "From a server that was written elsewhere.\n",
  mail: "notes.txt is ready for you.",
  results: ["notes.txt is written.", "notes.txt is read."],
  reports: ["alice has written notes.txt.", "bob has read notes.txt."],
  end: "Both tasks are done.",
};

type Call = readonly [tool: string, input: object];

// Each reply begins with a text, so that on every wire it can be cut before its calls.
const parts: Record<string, readonly Answer[]> = {
  lead: [
    step(
      "Two tasks, for a writer and for a reader.",
      ["create_task", { subject: "Write notes.txt" }],
      ["create_task", { subject: "Read notes.txt", blocked_by: ["1"] }],
      ["spawn_teammate", { name: "alice", role: "writer", prompt: "Do task 1, then tell bob." }],
      ["spawn_teammate", { name: "bob", role: "reader", prompt: "Do task 2 when alice says so." }],
    ),
    step("Now I wait for the two of them.", ["wait_for_teammates", {}]),
    step(notes.end),
  ],
  alice: [
    step("I take the first task.", ["claim_task", { task_id: "1" }]),
    step("I write the file.", ["write_file", { path: "notes.txt", content: notes.file }]),
    step("That was it.", ["complete_task", { task_id: "1", result: notes.results[0] }]),
    step("I tell bob about it.", ["send_message", { to: "bob", content: notes.mail }]),
    step(notes.reports[0]),
  ],
  bob: [
    step("I take the second task.", ["claim_task", { task_id: "2" }]),
    step("I read the file.", ["read_file", { path: "notes.txt" }]),
    step("That was it.", ["complete_task", { task_id: "2", result: notes.results[1] }]),
    step(notes.reports[1]),
  ],
};

/** The tools that are called in the whole story, each time once. */
export const notesCalls = Object.values(parts).flatMap((part) =>
  part.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name)),
);

/**
 * The lead makes two tasks, one of which waits for the other, and starts two teammates. alice writes
 * a file and tells bob, bob reads it, both complete their tasks and report. What a member does next
 * depends only on what its request shows: it takes the first step whose calls have not been made.
 */
export function playNotes(request: ChatCompletionRequest): Answer {
  const member = memberOf(request);
  if (member === "bob" && !shownIn(request).includes(notes.mail)) return step("I wait for alice.");
  const made = callsIn(request);
  const isLeft = ({ toolCalls = [] }: Answer) =>
    toolCalls.length === 0 || toolCalls.some(({ name }) => !made.includes(name));
  const next = parts[member]?.find(isLeft);
  if (!next) throw new Error(`Nobody wrote a part for ${member}`);
  return next;
}

function step(content = "", ...calls: Call[]): Answer {
  if (calls.length === 0) return { content };
  const toolCalls = calls.map(([name, input]) => ({ name, arguments: JSON.stringify(input) }));
  return { content, toolCalls };
}
