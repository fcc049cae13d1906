import type { Message } from "./message.ts";

export type MessageType = Message["type"];
export type MessageOf<Type extends MessageType> = Extract<Message, { type: Type }>;

/** How the dashboard groups messages for filtering. */
export type MessageGroup = "talk" | "results" | "tasks" | "plans" | "shutdown" | "control";

/** Everything the program needs to know about one type of message. */
interface MessageTypeRow<M extends Message = Message, Field extends string = string> {
  /** Whether the message starts a run of its recipient at once. */
  wakes(message: M): boolean;
  /** Whether it starts a run of the lead as soon as no teammate works. */
  wakesWhenQuiet?(message: M): boolean;
  /** Who is shown it: the model and a person who watches, the model alone, or only the runtime. */
  shownTo: "all" | "model" | "runtime";
  /** Signed mail from these senders is an order that the runtime carries out. */
  orderedBy?: readonly string[];
  /** Goes back to its sender if its recipient ends without having read it. */
  isReturned?: boolean;
  /** An unsigned line may claim to be of this type; it is delivered as a `message`. */
  isClaimable?: boolean;
  /** The field that holds the text of this type, beside `content`. */
  text?: Field;
  /** The fields a model sees as attributes and a person as facts. */
  facts?: readonly Field[];
  /** Further facts that only a person is shown. */
  personsFacts?: readonly Field[];
  group: MessageGroup;
  /** What the dashboard calls a message of this type. */
  label: string;
}

const always = () => true;
const never = () => false;

/** The types that only the runtime reads: no model is shown them, and none starts a run. */
const control = { wakes: never, shownTo: "runtime", group: "control" } as const;

/** The types are reserved and their fields are not fixed yet. */
const sandboxFacts = ["decision", "request_id", "tool", "reason"] as const;

/** One row for each type of message. To add a type, add its schema, its row, and a handler if it is an order. */
export const messageTypes = {
  message: {
    wakes: always,
    shownTo: "all",
    isReturned: true,
    isClaimable: true,
    facts: ["task_id", "images"],
    group: "talk",
    label: "message",
  },
  broadcast: {
    wakes: always,
    shownTo: "all",
    isReturned: true,
    isClaimable: true,
    group: "talk",
    label: "broadcast",
  },
  result: {
    wakes: ({ outcome, woken_by_peers }) => outcome !== "interrupted" && !woken_by_peers,
    wakesWhenQuiet: ({ outcome }) => outcome !== "interrupted",
    shownTo: "all",
    facts: ["outcome"],
    group: "results",
    label: "result",
  },
  // The screen and the dashboard show idle members anyway.
  idle_notification: { wakes: never, shownTo: "model", group: "results", label: "idle" },
  task_assignment: {
    wakes: always,
    shownTo: "all",
    isReturned: true,
    facts: ["task_id"],
    group: "tasks",
    label: "task",
  },
  plan_approval_request: {
    wakes: always,
    shownTo: "all",
    text: "plan",
    facts: ["request_id"],
    group: "plans",
    label: "plan",
  },
  plan_approval_response: {
    wakes: always,
    shownTo: "all",
    orderedBy: ["user"],
    isReturned: true,
    text: "feedback",
    facts: ["request_id", "approve"],
    group: "plans",
    label: "plan answer",
  },
  shutdown_request: {
    // To the lead it is the person's order to stop everybody; the lead itself stays.
    wakes: ({ to }) => to !== "lead",
    shownTo: "all",
    orderedBy: ["user"],
    facts: ["request_id"],
    group: "shutdown",
    label: "shutdown",
  },
  shutdown_response: {
    wakes: ({ approve }) => !approve,
    shownTo: "all",
    text: "reason",
    facts: ["request_id", "approve", "reason"],
    group: "shutdown",
    label: "shutdown answer",
  },
  permission_request: {
    ...control,
    text: "reason",
    facts: ["request_id", "tool", "reason"],
    label: "permission",
  },
  permission_response: {
    ...control,
    orderedBy: ["user"],
    text: "reason",
    facts: ["decision", "request_id", "reason"],
    label: "permission answer",
  },
  team_permission_update: {
    ...control,
    orderedBy: ["user"],
    text: "rule",
    facts: ["decision", "rule", "removed"],
    label: "rule",
  },
  mode_set_request: {
    ...control,
    orderedBy: ["user", "lead"],
    facts: ["mode"],
    label: "mode",
  },
  withdraw_request: {
    ...control,
    orderedBy: ["user"],
    facts: ["message_id"],
    label: "withdrawal",
  },
  sandbox_permission_request: { ...control, facts: sandboxFacts, label: "sandbox" },
  sandbox_permission_response: { ...control, facts: sandboxFacts, label: "sandbox answer" },
  landing_notification: {
    wakes: never,
    shownTo: "all",
    facts: ["landing_id", "landing_state"],
    group: "results",
    label: "landing",
  },
  mcp_notification: {
    wakes: never,
    shownTo: "all",
    facts: ["server"],
    group: "results",
    label: "MCP server",
  },
  landing_decision: {
    ...control,
    orderedBy: ["user"],
    text: "reason",
    facts: ["landing_id", "decision", "reason"],
    personsFacts: ["commit"],
    label: "landing answer",
  },
  teammate_terminated: {
    wakes: ({ expected }) => !expected,
    shownTo: "all",
    text: "reason",
    facts: ["reason"],
    personsFacts: ["teammate", "expected"],
    group: "shutdown",
    label: "ended",
  },
} as const satisfies {
  [Type in MessageType]: MessageTypeRow<MessageOf<Type>, keyof MessageOf<Type> & string>;
};

const rows: Readonly<Record<MessageType, MessageTypeRow>> = messageTypes;
const rowsByName: Readonly<Partial<Record<string, MessageTypeRow>>> = rows;

/** Whether the message starts a run of its recipient at once. */
export function wakes(message: Message): boolean {
  return rows[message.type].wakes(message);
}

/** Whether the message starts a run of the lead once no teammate works, if not before. */
export function wakesWhenQuiet(message: Message): boolean {
  return rows[message.type].wakesWhenQuiet?.(message) ?? false;
}

/** Whether a model is shown messages of this type. */
export function isShown({ type }: { type: string }): boolean {
  return rowsByName[type]?.shownTo !== "runtime";
}

/** Whether messages of this type are shown to a person who watches the team. */
export function isNews({ type }: { type: string }): boolean {
  const { shownTo = "all" } = rowsByName[type] ?? {};
  return shownTo === "all";
}

/** Whether a message of this type goes back to its sender if its recipient ends without reading it. */
export function isReturned({ type }: Message): boolean {
  return rows[type].isReturned ?? false;
}

/** Whether its sender can take back a message of this type: a text, which only its reader acts on. */
export function isWithdrawable({ type }: Message): boolean {
  return rows[type].group === "talk";
}

/** Whether a line without a signature may claim to be of this type. */
export function isClaimable(type: unknown): boolean {
  return typeof type === "string" && (rowsByName[type]?.isClaimable ?? false);
}

export type OrderType = {
  [Type in MessageType]: (typeof messageTypes)[Type] extends { orderedBy: unknown } ? Type : never;
}[MessageType];

/**
 * True for an order. From the lead, only a change of mode is one: its tools have already done the
 * rest.
 */
export function isOrder(message: Message): message is MessageOf<OrderType> {
  return rows[message.type].orderedBy?.includes(message.from) ?? false;
}

/**
 * The text that a model reads between the tags of the message, without what is in the attributes.
 */
export function bodyOf(message: Message): string {
  const { text, facts = [] } = rows[message.type];
  const more = text === undefined || facts.includes(text) ? "" : fieldOf(message, text);
  return [message.content, more].filter((part) => part !== "").join("\n\n");
}

/** The text that a person reads first: the content, or the type's own text field if it is empty. */
export function previewOf(message: Message): string {
  const { text } = rows[message.type];
  return message.content || (text === undefined ? "" : fieldOf(message, text));
}

/** The fields of its type that decide something, for a model. */
export function attributesOf(message: Message): Record<string, string> {
  return pickFields(message, rows[message.type].facts ?? []);
}

/** The same for a person, who is shown more of some types. */
export function factsOf(message: Message): Record<string, string> {
  const { facts = [], personsFacts = [] } = rows[message.type];
  return pickFields(message, [...facts, ...personsFacts]);
}

function pickFields(message: Message, names: readonly string[]): Record<string, string> {
  const present = names.filter((name) => isPlain(plainOf(message, name)));
  return Object.fromEntries(present.map((name) => [name, fieldOf(message, name)]));
}

function fieldOf(message: Message, name: string): string {
  const value = plainOf(message, name);
  return isPlain(value) ? String(value) : "";
}

/** Of a list, such as that of images, the number. */
function plainOf(message: Message, name: string): unknown {
  const value: unknown = Reflect.get(message, name);
  return Array.isArray(value) ? value.length : value;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
