import type { SandboxNetwork } from "../protocol/sandbox-network.ts";
import type { AskHost } from "./network/host-questions.ts";

/**
 * Confines the commands of one member: what they may write and read, and whether they reach the network.
 *
 * Every sandbox promises, and src/testing/conformance/sandbox.ts checks, that a command in it changes
 * nothing outside the places it may write, reads none of the hidden places, sees and signals no process
 * outside, and leaves none behind.
 */
export interface Sandbox extends AsyncDisposable {
  /** Prepares one start of a program inside. */
  confine(program: ProgramToConfine): Promise<ConfinedProgram>;
}

export interface ProgramToConfine {
  /** The path of the program, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Where it starts. */
  readonly cwd: string;
  /** Variables that it gets besides those with which the sandbox is started (default: none). */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** True if it is to change nothing and reach nothing, also of what other programs are allowed (default: false). */
  readonly isReadOnly?: boolean | undefined;
  /** The same, and it reads only the workspace, programs and what the system's own directories have (default: false). */
  readonly isTrial?: boolean | undefined;
}

/** How to start a program so that it is confined. */
export interface ConfinedProgram {
  /** The path of the program that confines, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Bytes to be read from further descriptors, the first of which is 3. */
  readonly inputs: readonly Uint8Array[];
  /** On so many descriptors the sandbox reports, after those of `inputs`. */
  readonly reports: number;
  /** What became of the program, by all that was reported on each of them. */
  outcome(reports: readonly string[]): ConfinedOutcome;
  /** The protected files that are there now, and were not before. */
  appeared(): Promise<readonly string[]>;
  /** The hosts that commands tried to reach since, and that the list of hosts does not have. */
  refusedHosts(): readonly string[];
}

/**
 * `started` is false if the program never ran, whatever the exit code of the sandbox was. Without an `exitCode`, it has ended as
 * the sandbox did.
 */
export interface ConfinedOutcome {
  readonly started: boolean;
  readonly exitCode?: number;
}

/** What a sandbox lets commands do. Paths are absolute. */
export interface Confinement {
  /** May be written, each with all that is in it. */
  readonly writable: readonly string[];
  /**
   * Can be read wherever they are, also in a hidden place or in another user's home directory, and never be written. Those
   * that are missing are left out.
   */
  readonly readable: readonly string[];
  /** The files and directories that now exist in writable places and must stay as they are. */
  protected(): Promise<readonly string[]>;
  /** Where programs are that a trial can read, too. Those that are missing are left out. */
  readonly programs?: readonly string[];
  /** Cannot be read: each is empty inside. Those that are missing are left out. */
  readonly hidden: readonly string[];
  /** The member's own directory for temporary files, which is `/tmp` inside. */
  readonly temporary: string;
  /** The home directory of the person, which can be read but for what is hidden. */
  readonly home: string;
  readonly network: SandboxNetwork;
  /** Asks the person about a host that the list of hosts does not have (default: it is refused). */
  readonly askHost?: AskHost | undefined;
}
