import type { Mutant } from "./mutants.ts";

/**
 * A mutant that no test can detect, identified by its line, since line numbers change with every
 * edit.
 */
interface EquivalentMutant {
  path: string;
  /** The source line, trimmed. */
  line: string;
  /** The change, as in a mutant's id. */
  what: string;
  /** Why the change has no observable effect. */
  why: string;
}

/** Reviewed one by one. A mutant that a test could kill must not be listed here. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    path: "src/mailbox/mail-intake.ts",
    line: 'if (isNew && part?.type === "message" && this.#isPlainlyNew(part.message.id)) {',
    what: "if false",
    why: "The other branch delivers the same message; this one only does not wait.",
  },
  {
    path: "src/mailbox/mail-scanner.ts",
    line: "const littleBytes = 64 * 1024;",
    what: "* to /",
    why: "Both ways of reading give the same lines; this is where the faster one ends.",
  },
  {
    path: "src/mailbox/mail-scanner.ts",
    line: "const length = Number(stats.size) - start;",
    what: "- to +",
    why: "A larger buffer is filled up to the end of the file, too.",
  },
  {
    path: "src/mailbox/mail-source.ts",
    line: "return newSource({ path, generation, isAnother: !mark, againUpTo: mark ? done : 0 }, mark);",
    what: "to 1",
    why: "Only an empty line ends at byte 1, and an empty line is no message.",
  },
  {
    path: "src/mailbox/mail-writer.ts",
    line: "if (this.#latest?.path === path) return this.#latest.log;",
    what: "if false",
    why: "The map of open logs has the same one; this is the shorter way to it.",
  },
  {
    path: "src/mailbox/mail-writer.ts",
    line: "this.#latest = { path, log };",
    what: "drop statement",
    why: "The map of open logs has the same one; this is the shorter way to it.",
  },
  {
    path: "src/agent/call-round.ts",
    line: "if (signal.aborted && isLeaving(signal)) return;",
    what: "drop … &&",
    why: "Only an aborted signal has a reason, and with it that the process leaves.",
  },
  {
    path: "src/agent/compaction.ts",
    line: "return characters > maxCharacters;",
    what: "> to >=",
    why: "The limit is a third of a number that is not a multiple of three.",
  },
  ...["if false", "drop statement"].map((what) => ({
    path: "src/agent/rewind.ts",
    line: 'if (mark.type === "reply" && !hasBegun) marks.splice(0, marks.length - 1);',
    what,
    why: "What is forgotten here is never looked at; it only takes memory.",
  })),
  {
    path: "src/agent/run-agent.ts",
    line: "if (this.#agent.conversation.openCalls.length === 0) return;",
    what: "if false",
    why: "A round without calls does nothing; this is the shorter way to it.",
  },
  {
    path: "src/agent/run-agent.ts",
    line: 'await this.#agent.record({ type: "note", text: note, wakes: false });',
    what: "to true",
    why: "It is written only where a reply is awaited already.",
  },
  {
    path: "src/agent/run-agent.ts",
    line: 'const isCut = reply.type === "reply" && reply.stop === "length";',
    what: "drop … &&",
    why: "Only replies have a `stop`; the other half is for the types.",
  },
  {
    path: "src/team/take-over.ts",
    line: 'case "thinking":',
    what: 'to ""',
    why: "No text is left out like an empty one.",
  },
  {
    path: "src/team/view/file-team-changes.ts",
    line: "this.#timers.clear();",
    what: "drop statement",
    why: "All of them are cancelled, and to cancel one again does nothing.",
  },
  {
    path: "src/team/withdraw.ts",
    line: 'if (!(error instanceof TeamError) || error.code !== "member-ended") throw error;',
    what: "drop … ||",
    why: "No other error has this code; the other half is for the types.",
  },
  ...["drop ?? …", 'to ""'].map((what) => ({
    path: "src/model/governor.ts",
    line: 'kind: this.#pause?.failure.kind ?? "rate-limited",',
    what,
    why: "This is called during a pause only, so that there is one.",
  })),
  {
    path: "src/mailbox/seen-ids.ts",
    line: "if (generation < oldest || logs.has(generation)) continue;",
    what: "< to <=",
    why: "The oldest generation is one of `logs`, so that the other half holds.",
  },
  {
    path: "src/mailbox/unread-count.ts",
    line: "const settled = cursor?.generation === generation ? cursor.offset : 0;",
    what: "if false",
    why: "What is settled is read then, and dropped from the count again.",
  },
];

export function isEquivalent({ id, start }: Mutant, source: string): boolean {
  const line = source
    .slice(source.lastIndexOf("\n", start - 1) + 1)
    .split("\n", 1)[0]
    ?.trim();
  return equivalentMutants.some(
    (known) =>
      id.startsWith(`${known.path}:`) && known.line === line && id.endsWith(` ${known.what}`),
  );
}
