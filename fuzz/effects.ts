import { z } from "zod";

/** What the driver is given. */
export const Line = z.object({ line: z.string() });

/** What a line did, as the sandbox saw it. Paths begin at the world's root. */
export const Effects = z.object({
  /** Created, changed or removed, and folders in which something was for a while. */
  written: z.array(z.string()),
  /** Outside the workspace. */
  read: z.array(z.string()),
  processes: z.array(z.string()),
  calls: z.array(z.string()),
  output: z.string(),
  end: z.string(),
});
export type Effects = z.infer<typeof Effects>;

/** Where the sandbox listens: for any connection, and for questions about names. */
export const ports = { tcp: 4711, udp: [53, 4711] } as const;
