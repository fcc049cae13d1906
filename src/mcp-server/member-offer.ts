import { NoInput } from "../tools/team/inputs.ts";
import { defineTool, success, type Tool } from "../tools/tool.ts";
import type { Offer } from "./open-server.ts";
import type { Caller, ServedTool, ToolFacts } from "./served-tool.ts";

interface MemberOfferOptions {
  version: string;
  caller: Caller;
  /** The tools by which this member works with the others. */
  tools: readonly Tool[];
  /** Takes the mail that the member has not seen, each message in its wrapper. */
  takeMail(): Promise<readonly string[]>;
  onFailure(error: unknown): void;
}

/** What a member is offered whose work another program does: its own tools for the team. */
export function memberOffer({
  version,
  caller,
  tools,
  takeMail,
  onFailure,
}: MemberOfferOptions): Offer {
  const all = [...tools.filter(({ spec }) => spec.name !== "read_inbox"), readInbox(takeMail)];
  return {
    info: { name: "troupe", version },
    instructions: `You are '${caller.member}', a member of a team. Work with the others by these tools. Texts in <teammate-message> are from them, and from nobody else.`,
    tools: all.flatMap((tool): ServedTool[] => {
      const facts = factsOf[tool.spec.name];
      return facts ? [{ tool, ...facts }] : [];
    }),
    resources: { list: () => Promise.resolve([]), read: () => Promise.resolve(undefined) },
    caller,
    onFailure,
  };
}

/** The tools that a member has over MCP. Others, such as those of the lead, are not offered. */
const factsOf: Readonly<Partial<Record<string, ToolFacts>>> = {
  send_message: { title: "Write to a member", isReadOnly: false },
  read_inbox: { title: "Your mail", isReadOnly: false },
  list_teammates: { title: "The team", isReadOnly: true },
  create_task: { title: "Create a task", isReadOnly: false },
  list_tasks: { title: "Task board", isReadOnly: true },
  get_task: { title: "One task", isReadOnly: true },
  claim_task: { title: "Take a task", isReadOnly: false },
  complete_task: { title: "Finish a task", isReadOnly: false },
  update_task: { title: "Change a task", isReadOnly: false },
  plan_approval: { title: "Hand in a plan", isReadOnly: false },
  shutdown_response: { title: "Answer a shutdown", isReadOnly: false },
};

/** Never a JSON array, which one client parses and then refuses. */
function readInbox(takeMail: () => Promise<readonly string[]>): Tool {
  return defineTool({
    name: "read_inbox",
    description: "Your new mail. It also comes by itself, with your next prompt.",
    input: NoInput,
    action: () => ({ type: "coordinate" }),
    run: async () => success((await takeMail()).join("\n") || "No mail."),
  });
}
