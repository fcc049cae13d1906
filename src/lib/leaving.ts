/** The reason of an abort because the process ends: the run continues at the next start. */
const leaving = Symbol("leaving");

/**
 * Aborts a run so that calls that have not begun stay open. Any other reason is an interruption.
 */
export function leave(controller: AbortController): void {
  controller.abort(leaving);
}

export function isLeaving({ reason }: AbortSignal): boolean {
  return reason === leaving;
}

/** Aborts a run for good. Without a reason, the person interrupted it. */
export function interrupt(controller: AbortController, reason?: string): void {
  controller.abort(reason);
}

/** Why a run was interrupted; undefined if the person did it. */
export function interruptionReason({ reason }: AbortSignal): string | undefined {
  return typeof reason === "string" ? reason : undefined;
}
