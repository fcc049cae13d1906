import { z } from "zod";

/** The input of the driver. */
export const Line = z.object({ line: z.string() });

/** The effects of a line, as the sandbox saw them. Paths start at the world's root. */
export const Effects = z.object({
  /** Created, changed or removed files, and folders in which something existed for a while. */
  written: z.array(z.string()),
  /** Reads outside the workspace. */
  read: z.array(z.string()),
  processes: z.array(z.string()),
  calls: z.array(z.string()),
  output: z.string(),
  end: z.string(),
});
export type Effects = z.infer<typeof Effects>;

/** The ports at which the sandbox listens: for any connection, and for name lookups. */
export const ports = { tcp: 4711, udp: [53, 4711] } as const;
