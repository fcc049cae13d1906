/** Stable codes of expected errors. Programs branch on them; people read the message. */
export type ErrorCode =
  | "name-invalid"
  | "usage-wrong"
  | "command-unknown"
  | "command-refused"
  | "team-missing"
  | "team-unusable"
  | "team-foreign"
  | "format-newer"
  | "config-invalid"
  | "member-unknown"
  | "member-ended"
  | "content-too-large"
  | "message-invalid"
  | "message-unknown"
  | "image-refused"
  | "write-failed"
  | "record-corrupt"
  | "key-unavailable"
  | "model-missing"
  | "provider-key-missing"
  | "lead-alive"
  | "fence-lost"
  | "task-unknown"
  | "task-conflict"
  | "task-refused"
  | "request-unknown"
  | "request-refused"
  | "cron-unknown"
  | "path-refused"
  | "spawn-refused"
  | "observer-slow"
  | "dashboard-failed"
  | "team-closed"
  | "team-busy"
  | "result-missing"
  | "compaction-failed"
  | "conversation-short"
  | "sandbox-missing"
  | "mcp-failed"
  | "git-missing"
  | "git-too-old"
  | "git-failed"
  | "repository-unusable"
  | "checkout-failed"
  | "landing-unknown"
  | "landing-changed"
  | "landing-refused"
  | "check-failed"
  | "target-refused";

/**
 * The only error this package throws on purpose. `code` is for programs and stays stable;
 * `message` is for people and may be reworded; `hint` tells the person what to do next.
 */
export class TeamError extends Error {
  /** `TeamError`, by which it is known where `instanceof` does not work. */
  override readonly name = "TeamError";
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** What the person can do next; undefined where nothing helps in general. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; hint?: string } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/** True for a Node error with this errno code, such as `"ENOENT"`. */
export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    codes.includes(error.code)
  );
}

/** For `promise.catch`: `value` in place of an error with one of these codes. */
export function onErrno<T>(value: T, ...codes: readonly string[]): (error: unknown) => T {
  return (error) => {
    if (hasErrno(error, ...codes)) return value;
    throw error;
  };
}

/** The message of an error, whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error, followed by its hint if it has one. */
export function describeError(error: unknown): string {
  if (error instanceof TeamError && error.hint) return `${error.message}. ${error.hint}`;
  return reasonOf(error);
}
