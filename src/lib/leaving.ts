/** Why a run is stopped when its process is about to end: it goes on at the next start. */
const leaving = Symbol("leaving");

/** Aborts a run so that what has not begun stays open. Any other reason is an interruption. */
export function leave(controller: AbortController): void {
  controller.abort(leaving);
}

export function isLeaving({ reason }: AbortSignal): boolean {
  return reason === leaving;
}
