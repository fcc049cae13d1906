/** Why the program ends before its work does: somebody sent its process a signal. */
export class StopRequest extends Error {
  override readonly name = "AbortError";
  /** What the process exits with. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("The program was asked to end");
    this.exitCode = exitCode;
  }
}

/** What the process exits with where a signal ends it. */
export function stopCodeOf({ reason }: AbortSignal): number | undefined {
  return reason instanceof StopRequest ? reason.exitCode : undefined;
}
