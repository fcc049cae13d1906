/** Formats a number with three significant digits and separators. */
export function formatNumber(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

export function formatMs(ms: number): string {
  return `${formatNumber(ms)} ms`;
}

export function formatMicroseconds(microseconds: number): string {
  return `${formatNumber(microseconds)} µs`;
}

export function formatRate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en-US")}/s`;
}

export function formatMegabytes(bytes: number): string {
  return `${formatNumber(bytes / 1e6)} MB`;
}

export function formatKilobytes(bytes: number): string {
  return `${formatNumber(bytes / 1e3)} kB`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
