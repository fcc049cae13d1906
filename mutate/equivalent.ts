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
