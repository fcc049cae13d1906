/** A short count: `950`, `12.3k`, `4.56M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  const [unit, size] = count < 999_950 ? ["k", 1_000] : ["M", 1_000_000];
  return `${Number((count / size).toPrecision(3))}${unit}`;
}

/** `1 task`, `3 tasks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What calls cost, as far as that is known: `$0.0123`, `$4.56`, `≥ $4.56`, `no price`. */
export function costText(cost: number | null, unpricedCalls: number): string {
  const usd = cost ?? 0;
  const isPartial = unpricedCalls > 0;
  if (usd === 0) return isPartial ? "no price" : "$0.00";
  if (usd < 0.0001) return isPartial ? "> $0.00" : "< $0.0001";
  return `${isPartial ? "≥ " : ""}$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** `940 B`, `12.3 kB`, `1.2 GB`. */
export function sizeText(bytes: number): string {
  let rest = bytes;
  for (const unit of ["B", "kB", "MB"]) {
    if (rest < 1_000)
      return `${rest < 100 && unit !== "B" ? rest.toFixed(1) : Math.round(rest)} ${unit}`;
    rest /= 1_000;
  }
  return `${rest.toFixed(1)} GB`;
}
