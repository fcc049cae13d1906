import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import type { Errno, Fault, FaultyFileSystem } from "../test/support/faulty-file-system.ts";
import { openDescriptors } from "./open-descriptors.ts";

/** One operation on one store, to be tested with one fault. */
export interface Trial extends AsyncDisposable {
  /** The operation. It continues after errors, but not after a crash. */
  act(): Promise<void>;
  /** The next process: opens the store with new objects and finishes the rest. */
  recover(): Promise<void>;
  /** Uses the same objects again, like a process that has survived an error. */
  goOn(): Promise<void>;
  /** The faults of the store at the end. */
  violations(): Promise<string[]>;
}

export interface SweepOptions {
  faulty: FaultyFileSystem;
  prepare(directory: string): Promise<Trial>;
  /** How much of a write is done when the process dies. */
  writtenShares?: readonly number[];
  /** Tests the recovery from each crash only at every n-th change, with varying start. */
  recoveryStride?: number;
}

export interface SweepResult {
  /** How often the fault occurred, in the operation or in the recovery. */
  hits: number;
  violations: string[];
}

/**
 * Dies at the k-th change of the disk, for every k until the operation gets by, and then at every
 * change of the recovery from that too.
 */
export async function sweepCrashes(options: SweepOptions): Promise<SweepResult> {
  const result: SweepResult = { hits: 0, violations: [] };
  for (const writtenShare of options.writtenShares ?? [0, 0.5]) {
    for (let at = 1; await sweepRecovery({ ...options, result }, { at, writtenShare }); at++);
  }
  return result;
}

type Place = { at: number; writtenShare: number };

/** False if the operation has no change at that position. */
async function sweepRecovery(
  { faulty, prepare, recoveryStride = 1, result }: SweepOptions & { result: SweepResult },
  { at, writtenShare }: Place,
): Promise<boolean> {
  const firstAgain = 1 + (at % recoveryStride);
  for (let again = 0; ; again = again === 0 ? firstAgain : again + recoveryStride) {
    await using directory = await temporaryDirectory();
    await using trial = await prepare(directory.path);
    const first = await faulty.run({ type: "crash", at, writtenShare }, () => trial.act());
    if (!first.hit) return false;
    // A crash that writes nothing has been tested at this position before.
    if (!first.isWriteHit && writtenShare > 0) return true;

    const crash: Fault = { type: "crash", at: again, writtenShare };
    const second = again > 0 ? await faulty.run(crash, () => trial.recover()) : undefined;
    await trial.recover();
    result.hits += second?.hit ? 1 : again === 0 ? 1 : 0;
    const place = `died at change ${at} (${first.hit}, ${writtenShare} written)${second?.hit ? `, then at ${again} (${second.hit})` : ""}`;
    result.violations.push(...(await trial.violations()).map((it) => `${place}: ${it}`));
    if (second && !second.hit) return true;
  }
}

/** Fails the k-th call of the operation once, for every k until it succeeds. */
export async function sweepErrors(
  { faulty, prepare }: SweepOptions,
  kind: Errno | "short-write",
): Promise<SweepResult> {
  const result: SweepResult = { hits: 0, violations: [] };
  for (let at = 1; ; at++) {
    await using directory = await temporaryDirectory();
    const trial = await prepare(directory.path);
    const fault: Fault =
      kind === "short-write" ? { type: kind, at } : { type: "error", at, code: kind };
    const { hit, error } = await faulty.run(fault, () => trial.act());
    if (!hit) {
      await trial[Symbol.asyncDispose]();
      return result;
    }
    result.hits++;
    await trial.goOn();
    const found = await trial.violations();
    if (error) found.push(`the operation itself threw ${error}`);
    await trial[Symbol.asyncDispose]();
    const leaked = openDescriptors(directory.path);
    await trial.recover();
    found.push(...(await trial.violations()).map((it) => `${it} after opening again`));
    if (leaked !== 0) found.push(`${leaked} descriptors leaked`);
    result.violations.push(...found.map((it) => `${kind} at call ${at} (${hit}): ${it}`));
  }
}
