import { resolve } from "node:path";
import type { InlineConfig } from "tsdown";

/** What every build of the library's code has in common, that of the benchmarks too. */
export const inputOptions = {
  transform: { inject: { Headers: [resolve("packaging/plain-headers.ts"), "PlainHeaders"] } },
} satisfies InlineConfig["inputOptions"];
