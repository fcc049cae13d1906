import { type Clause, clausesOf, fileIn, isName, namePattern } from "./words.ts";

/** Something that a member can do with its own hands. */
export type Work =
  /** `about` is what the file is to have in it, in words; `text` is it, letter by letter. */
  | { type: "create-file"; path: string; about: string; text?: string }
  | { type: "check-file"; path: string }
  | { type: "list-files" }
  | { type: "count-files" }
  | { type: "search"; text: string }
  | { type: "run"; command: string }
  | { type: "send"; to: string; text?: string }
  | { type: "plan" }
  /** There is nothing to do yet. */
  | { type: "wait" };

/** What a text asks for, in its order; nothing where it is not understood. */
export function understandWork(text: string): Work[] {
  return clausesOf(text).flatMap(workIn);
}

/** What one clause asks for. */
export function workIn(clause: Clause): Work[] {
  for (const understand of readers) {
    const work = understand(clause);
    if (work.length > 0) return work;
  }
  return [];
}

const readers = [readPlan, readWait, readRun, readSend, readCreate, readCheck, readLook];

function readPlan({ words }: Clause): Work[] {
  const asks = /\b(?:submit|hand|make|write|prepare|propose|draft|present|give|show)\b.*\bplan\b/i;
  return asks.test(words) || /\bplan\b.*\bfirst\b/i.test(words) ? [{ type: "plan" }] : [];
}

function readWait({ words }: Clause): Work[] {
  const waits = /^(?:wait|stand by|be ready|you have no work yet|take tasks|work on tasks)\b/i;
  return waits.test(words) ? [{ type: "wait" }] : [];
}

function readRun({ words, quotes: [command] }: Clause): Work[] {
  return command && /\b(?:run|execute)\b/i.test(words) ? [{ type: "run", command }] : [];
}

const sends = [
  `\\b(?:send|write|give|drop)\\s+(?:an?\\s+)?(?:\\w+\\s+)?(?:message|note|mail|greeting|word)s?\\s+to\\s+(${namePattern})(.*)`,
  `\\b(?:send|write|give|drop)\\s+(${namePattern})\\s+(?:an?|the|some)?\\s*(?:\\w+\\s+)?(?:message|note|mail|greeting|line|word)s?\\b(.*)`,
  `^(?:tell|greet|message|inform|notify|ask|say\\s+hello\\s+to)\\s+(${namePattern})\\b(.*)`,
].map((source) => new RegExp(source, "is"));

function readSend({ words, quotes: [quote] }: Clause): Work[] {
  for (const pattern of sends) {
    const [, to, rest = ""] = pattern.exec(words) ?? [];
    if (!to || !isName(to)) continue;
    const text = quote ?? saying(rest);
    return [{ type: "send", to: to.toLowerCase(), ...(text && { text }) }];
  }
  return [];
}

/** What is to be said, where it stands behind the recipient without quotes. */
function saying(rest: string): string | undefined {
  const [, text] =
    /^[\s,:]*(?:saying|that|to say|with the text|:)\s*(?:that\s+)?(.+)$/is.exec(rest) ?? [];
  const [, request] = /^\s+to\s+(.+)$/is.exec(rest) ?? [];
  return text ?? (request && `Please ${request}.`);
}

function readCreate({ words, quotes: [quote] }: Clause): Work[] {
  if (!/\b(?:create|write|make|add|produce|draft|put)\b/i.test(words)) return [];
  const file = fileIn(words);
  if (!file) return [];
  const about = file.rest.replace(/(?:^|\s+)and\s+(?:check|verify|read)\b.*$/i, "");
  const isChecked = about !== file.rest;
  return [
    {
      type: "create-file",
      path: file.path,
      about: about
        .replace(/\uE000\d+\uE001/g, "")
        .replace(/^(?:with|containing|for|that has|:)\s+/i, "")
        .trim(),
      ...(quote !== undefined && { text: quote }),
    },
    ...(isChecked ? [{ type: "check-file", path: file.path } as const] : []),
  ];
}

function readCheck({ words }: Clause): Work[] {
  const looks =
    /\b(?:check|verify|see|look|test|read|show|print|display|list|inspect|confirm|find|does|is)\b/i;
  const file = looks.test(words) ? fileIn(words) : undefined;
  return file ? [{ type: "check-file", path: file.path }] : [];
}

function readLook({ words, quotes: [quote] }: Clause): Work[] {
  const files = /\b(?:files?|directory|folder|workspace|project)\b/i.test(words);
  const [, sought] = /\b(?:search|grep|look|find)\b.*?\bfor\s+(\S+)/i.exec(words) ?? [];
  if (sought) return [{ type: "search", text: quote ?? sought }];
  if (files && /\bcount\b|\bhow many\b/i.test(words)) return [{ type: "count-files" }];
  return files && /\b(?:list|show|which|what|look)\b/i.test(words) ? [{ type: "list-files" }] : [];
}
