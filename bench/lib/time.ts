/** Nanoseconds on a clock that all processes of one machine share. */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}

export const nsPerMs = 1e6;
export const nsPerSecond = 1e9;
