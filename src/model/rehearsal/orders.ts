import { readSpawn } from "./spawn-order.ts";
import {
  type Clause,
  clausesOf,
  countOf,
  namePattern,
  namesIn,
  namesPattern,
  withQuotes,
} from "./words.ts";
import { type Work, workIn } from "./work.ts";

/** A teammate that is to be spawned. */
export interface Newcomer {
  name: string;
  role: string;
}

/** One thing that the person wants of the lead. */
export type Order =
  /** `work` is what all of them are to do, if that was said. */
  | { type: "spawn"; newcomers: readonly Newcomer[]; work: string | undefined }
  | { type: "instruct"; names: readonly string[]; work: string }
  | { type: "broadcast"; text: string }
  /** Of everybody where no name is given; only the last result where that is asked for. */
  | { type: "read-inbox"; from: string | undefined; isForResult: boolean }
  | { type: "list-teammates" }
  | { type: "list-tasks" }
  /** Everybody, where no name is given. */
  | { type: "shut-down"; names: readonly string[] }
  | {
      type: "decide-plan";
      name: string | undefined;
      approve: boolean;
      feedback: string | undefined;
    }
  | { type: "create-tasks"; subjects: readonly string[]; count: number; isChain: boolean }
  | { type: "wait" }
  | { type: "work"; work: readonly Work[] }
  | { type: "unknown"; text: string };

/** What a prompt wants, in its order. `lastNamed` is who a pronoun means before anybody is named. */
export function parseOrders(text: string, lastNamed: readonly string[] = []): Order[] {
  const orders: Order[] = [];
  let named = lastNamed;
  for (const clause of clausesOf(text)) {
    const order = readOrder(clause, named);
    orders.push(order);
    named = namedBy(order) ?? named;
  }
  return orders;
}

/** Whom later pronouns mean. */
export function namedBy(order: Order): readonly string[] | undefined {
  switch (order.type) {
    case "spawn":
      return order.newcomers.map(({ name }) => name);
    case "instruct":
    case "shut-down":
      return order.names.length > 0 ? order.names : undefined;
    case "decide-plan":
      return order.name === undefined ? undefined : [order.name];
    case "broadcast":
    case "read-inbox":
    case "list-teammates":
    case "list-tasks":
    case "create-tasks":
    case "wait":
    case "work":
    case "unknown":
      return undefined;
  }
}

type Reader = (clause: Clause, named: readonly string[]) => Order | undefined;

function readOrder(clause: Clause, named: readonly string[]): Order {
  for (const reader of readers) {
    const order = reader(clause, named);
    if (order) return order;
  }
  return { type: "unknown", text: clause.original };
}

const readers: readonly Reader[] = [
  readBroadcast,
  readInbox,
  readList,
  readTasks,
  (clause) => readSpawn(clause),
  readShutdown,
  readDecision,
  readInstruction,
  readOwnWork,
  readWaiting,
];

function readBroadcast({ words, quotes: [quote] }: Clause): Order | undefined {
  const pattern =
    /^(?:broadcast|announce|(?:tell|message|inform|notify|write to)\s+(?:everyone|everybody|all(?:\s+(?:of\s+)?(?:the\s+|your\s+)?teammates)?|the\s+(?:whole\s+)?team)\b)[\s,:]*(?:to\s+(?:all|everyone|everybody|the)[\w\s]*?[:,]\s*|that\s+)?(.*)$/is;
  const [, rest] = pattern.exec(words) ?? [];
  if (rest === undefined) return undefined;
  const text = (quote ?? rest.replace(/\s+to\s+(?:all|everyone|everybody|the)\b.*$/i, "")).trim();
  return text === "" ? undefined : { type: "broadcast", text };
}

function readInbox({ words }: Clause): Order | undefined {
  if (/^\/inbox$/i.test(words)) return { type: "read-inbox", from: undefined, isForResult: false };
  const isLook =
    /^(?:check|read|look|open|show|see|any|is there|are there|do (?:you|we|i) have)\b/i;
  if (!isLook.test(words) || !/\b(?:inbox|mail|mailbox|messages?)\b/i.test(words)) return undefined;
  const possessives = [...words.matchAll(new RegExp(`\\b(${namePattern})['’]s\\b`, "g"))];
  const sender = new RegExp(`\\bfrom\\s+(${namePattern})`, "i").exec(words)?.[1];
  const [from] = namesIn(
    [sender, ...possessives.map(([, name]) => name)].filter(Boolean).join(" "),
  );
  return { type: "read-inbox", from, isForResult: /\bresults?\b/i.test(words) };
}

function readList({ words }: Clause): Order | undefined {
  if (/^\/team$/i.test(words)) return { type: "list-teammates" };
  if (/^\/tasks$/i.test(words)) return { type: "list-tasks" };
  if (!/^(?:list|show|who|which|print|display|tell me)\b/i.test(words)) return undefined;
  if (/\b(?:teammates?|team|roster|members?)\b/i.test(words)) return { type: "list-teammates" };
  return /\b(?:tasks?|board)\b/i.test(words) ? { type: "list-tasks" } : undefined;
}

function readTasks({ words, quotes }: Clause): Order | undefined {
  const isCreate = /^(?:create|add|make|put|set up)\b/i.test(words);
  if (!isCreate || /\bfile\b/i.test(words) || !/\btasks?\b(?![.\w-])/i.test(words))
    return undefined;
  const [, list = ""] = /\btasks?\b[^:]*:\s*(.+)$/is.exec(words) ?? [];
  const named = list.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).filter((item) => /\w/.test(item));
  const subjects = quotes.length > 0 ? quotes : named;
  const isChain = /\b(?:depend\w*|blocked|chain\w*|in order|one after|sequence)\b/i.test(words);
  const count = subjects.length || (countOf(/tasks?\b/, words) ?? 3);
  return { type: "create-tasks", subjects, count: Math.min(Math.max(count, 1), 20), isChain };
}

function readShutdown({ words }: Clause, named: readonly string[]): Order | undefined {
  const asks = /^(?:request|ask for|shut|stop|dismiss|end|demand)\b/i;
  if (!asks.test(words) || !/\b(?:shut|shutdown|shut-down|stop|dismiss|end)\b/i.test(words)) {
    return undefined;
  }
  if (/\b(?:everyone|everybody|all|the team)\b/i.test(words))
    return { type: "shut-down", names: [] };
  const [, rest = ""] = /^\w+\s+(?:down\s+)?(?:for\s+)?(.*)$/is.exec(words) ?? [];
  const names = namesIn(rest.replace(/['’]s\b/g, "").replace(/\bshut[ -]?down\b|\bto\b/gi, " "));
  const meant = names.length > 0 ? names : pronounOf(words, named);
  return meant.length > 0 ? { type: "shut-down", names: meant } : undefined;
}

function readDecision(
  { words, quotes: [quote] }: Clause,
  named: readonly string[],
): Order | undefined {
  const [, verb] =
    /^(?:review\s+and\s+)?(approve|accept|reject|decline|refuse|deny|turn)\b/i.exec(words) ?? [];
  if (!verb || !/\b(?:plans?|it|one|them)\b/i.test(words)) return undefined;
  const [, owner] = new RegExp(`\\b(${namePattern})['’]s\\b`).exec(words) ?? [];
  const [, reason] = /\bbecause\s+(.+)$/i.exec(words) ?? [];
  const name = owner?.toLowerCase() ?? named.at(-1);
  return { type: "decide-plan", name, approve: /^a/i.test(verb), feedback: quote ?? reason };
}

const instruction = new RegExp(
  `^(?:have|ask|tell|let|get|instruct|order)\\s+(${namesPattern})\\s+(?:should\\s+)?(?:to\\s+)?(.+)$`,
  "is",
);

function readInstruction(clause: Clause, named: readonly string[]): Order | undefined {
  const [, subject, rest] = instruction.exec(clause.words) ?? [];
  if (!subject || !rest) return undefined;
  const names = namesIn(subject);
  const meant = names.length > 0 ? names : pronounOf(subject, named);
  if (meant.length === 0) return undefined;
  if (/^shut(?:\s*down)?\b/i.test(rest)) return { type: "shut-down", names: meant };
  return { type: "instruct", names: meant, work: withQuotes(rest, clause) };
}

function readOwnWork(clause: Clause): Order | undefined {
  const work = workIn(clause).filter(({ type }) => type !== "plan" && type !== "wait");
  return work.length > 0 ? { type: "work", work } : undefined;
}

function readWaiting({ words }: Clause): Order | undefined {
  return /^(?:wait|watch|observe|see|review|let them)\b/i.test(words)
    ? { type: "wait" }
    : undefined;
}

function pronounOf(words: string, named: readonly string[]): readonly string[] {
  if (/\b(?:them|they|their|both)\b/i.test(words)) return named;
  return /\b(?:him|her|his|hers|he|she|it|its)\b/i.test(words) ? named.slice(-1) : [];
}
