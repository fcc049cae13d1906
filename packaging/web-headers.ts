import type { Rolldown } from "tsdown";

/**
 * Leaves Node's own `Headers` to the web server, which is loaded only where the dashboard is wanted:
 * it needs what `PlainHeaders` does without.
 */
export function webHeaders(): Rolldown.Plugin {
  return {
    name: "web-headers",
    transform: {
      filter: { id: /node_modules\/(hono|@hono)\// },
      // What a module declares itself is not replaced in it.
      handler: (code) =>
        /\bHeaders\b/.test(code) ? `const Headers = globalThis.Headers;\n${code}` : undefined,
    },
  };
}
