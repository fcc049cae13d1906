/** The abort reason after a signal to the process. */
export class StopRequest extends Error {
  override readonly name = "AbortError";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("The program was asked to end");
    this.exitCode = exitCode;
  }
}

/** The exit code if a signal ends the process. */
export function stopCodeOf({ reason }: AbortSignal): number | undefined {
  return reason instanceof StopRequest ? reason.exitCode : undefined;
}
