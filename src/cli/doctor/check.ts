import { orLate } from "../../lib/wait.ts";
import type { Io } from "../command.ts";

/** The result of a check. */
export interface Finding {
  readonly state: "ok" | "note" | "problem";
  /** One line. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** A check that is independent of the others. It gives up when its signal aborts. */
export interface Check {
  readonly name: string;
  look(signal: AbortSignal): Promise<readonly Finding[]>;
}

export interface NamedFinding extends Finding {
  readonly name: string;
}

/** Runs all checks in parallel. A check that takes too long counts as a problem. */
export async function runChecks(
  checks: readonly Check[],
  io: Pick<Io, "schedule" | "signal">,
): Promise<NamedFinding[]> {
  const findings = await Promise.all(
    checks.map(async ({ name, look }) => {
      const found = await withinLimit(look, io);
      return found.map((finding) => ({ name, ...finding }));
    }),
  );
  return findings.flat();
}

const limitMs = 5_000;

function withinLimit(
  look: Check["look"],
  io: Pick<Io, "schedule" | "signal">,
): Promise<readonly Finding[]> {
  const limit = new AbortController();
  const looking = look(AbortSignal.any([io.signal, limit.signal])).catch(unexpected);
  const late = (): Finding[] => {
    limit.abort();
    return [{ state: "problem", text: `did not answer within ${limitMs / 1000} s` }];
  };
  return orLate(looking, late, { clock: io, limitMs });
}

/** The system may refuse access; any other error is a bug. */
function unexpected(error: unknown): readonly Finding[] {
  if (!(error instanceof Error)) throw error;
  const isRefusal = "errno" in error || error.name === "AbortError";
  if (!isRefusal) throw error;
  return [{ state: "problem", text: `cannot be checked: ${error.message}` }];
}
