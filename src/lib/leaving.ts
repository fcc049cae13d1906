/** Why a run is stopped when its process is about to end: it goes on at the next start. */
const leaving = Symbol("leaving");

/** Aborts a run so that what has not begun stays open. Any other reason is an interruption. */
export function leave(controller: AbortController): void {
  controller.abort(leaving);
}

export function isLeaving({ reason }: AbortSignal): boolean {
  return reason === leaving;
}

/** Aborts a run for good. Without a reason it was the person. */
export function interrupt(controller: AbortController, reason?: string): void {
  controller.abort(reason);
}

/** Why a run was interrupted, where it was not the person. */
export function interruptionReason({ reason }: AbortSignal): string | undefined {
  return typeof reason === "string" ? reason : undefined;
}
