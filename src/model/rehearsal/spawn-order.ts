import type { Newcomer, Order } from "./orders.ts";
import { type Clause, namePattern, namesIn, namesPattern, withQuotes } from "./words.ts";

/** `Spawn alice (coder) and bob (tester)`, `spawn alice as a coder`, `hire a tester named bob`, … */
export function readSpawn(clause: Clause): Order | undefined {
  const { words } = clause;
  const [, verb = "", rest] = spawning.exec(words) ?? [];
  if (!rest || (/^(?:start|add|create)$/i.test(verb) && !isOfPeople.test(rest))) return undefined;
  const mark = workMark.exec(rest);
  const people = mark ? rest.slice(0, mark.index) : rest;
  const work = mark ? withQuotes(rest.slice(mark.index + mark[0].length), clause) : undefined;
  const newcomers = newcomersIn(people);
  if (newcomers.length > 0) return { type: "spawn", newcomers, work };
  const listedBehind = mark ? newcomersIn(rest) : [];
  return listedBehind.length > 0
    ? { type: "spawn", newcomers: listedBehind, work: undefined }
    : undefined;
}

const spawning = /^(spawn|start|hire|launch|recruit|bring in|add|create)\s+(.+)$/is;

/** What tells a teammate from anything else that can be started, added or created. */
const isOfPeople = /\b(?:teammates?|members?)\b|\bas an?\b|\(\w/i;

/** Where what they are to do begins. */
const workMark =
  /\s+(?:with|for)\s+(?:an?\s+|the\s+|this\s+)?(?=.*\btask\b)|\s+(?:to|who should|who shall)\s+|:\s+/i;

function newcomersIn(people: string): Newcomer[] {
  const inParentheses = [
    ...people.matchAll(new RegExp(`\\b(${namePattern})\\s*\\(([^)]+)\\)`, "g")),
  ];
  if (inParentheses.length > 0) {
    return inParentheses.map(([, name = "", role = ""]) => newcomer(name, role));
  }
  const named = [
    ...people.matchAll(new RegExp(`([\\w\\s-]+?)\\s+(?:named|called)\\s+(${namesPattern})`, "gi")),
  ];
  if (named.length > 0) {
    return named.flatMap(([, role = "", names = ""]) =>
      namesIn(names).map((name) => newcomer(name, role)),
    );
  }
  const roles = people.match(/\s+as\s+/gi) ?? [];
  const each = roles.length > 1 ? people.split(/\s*,?\s+and\s+(?=\S+\s+as\b)/i) : [people];
  return each.flatMap(withRole);
}

/** `alice and bob as testers`, or names alone. */
function withRole(people: string): Newcomer[] {
  const [names = "", role = ""] = people
    .split(/\s+(?:with|for|on|in|who|that)\s/i, 1)
    .join("")
    .split(/\s+as\s+/i);
  const found = namesIn(names);
  const ofEach = found.length > 1 ? role.replace(/(?<=[^s])s$/i, "") : role;
  return found.map((name) => newcomer(name, ofEach));
}

function newcomer(name: string, role: string): Newcomer {
  const plain = role
    .trim()
    .replace(/^(?:and\s+)?(?:an?|the|our|my|\d+|new)\s+/i, "")
    .replace(/^(?:teammates?|members?)$/i, "");
  return { name: name.toLowerCase(), role: plain.trim() || "teammate" };
}
