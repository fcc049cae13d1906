import { resolve } from "node:path";
import type { InlineConfig } from "tsdown";

/**
 * The packages of OpenTelemetry as modules: of their CommonJS form, which is the first that Node finds, nothing could be left out.
 */
const openTelemetry = ["api", "core", "resources", "sdk-metrics", "sdk-trace", "otlp-transformer"];

/** What every build of the library's code has in common, that of the benchmarks too. */
export const inputOptions = {
  transform: { inject: { Headers: [resolve("packaging/plain-headers.ts"), "PlainHeaders"] } },
  resolve: {
    alias: Object.fromEntries(
      openTelemetry.map((name) => [
        `@opentelemetry/${name}`,
        resolve(`node_modules/@opentelemetry/${name}/build/esm/index.js`),
      ]),
    ),
  },
} satisfies InlineConfig["inputOptions"];
