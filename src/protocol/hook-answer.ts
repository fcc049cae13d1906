import { z } from "zod";

const text = z.string().optional();

/** What a hook may print as JSON. Named as Claude Code and Codex name it; other fields are passed over. */
export const HookAnswer = z.looseObject({
  /** False: the member's run ends. */
  continue: z.boolean().optional(),
  stopReason: text,
  /** `approve` and `block` are what `allow` and `deny` are in `permissionDecision`. */
  decision: z.enum(["approve", "block", "allow", "deny"]).optional(),
  reason: text,
  /** For the person. */
  systemMessage: text,
  /** For the model. */
  additionalContext: text,
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.enum(["allow", "deny", "ask"]).optional(),
      permissionDecisionReason: text,
      additionalContext: text,
      /** Replaces the input of the call. */
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      /** The answer to a `PermissionRequest`. */
      decision: z.looseObject({ behavior: z.enum(["allow", "deny"]), message: text }).optional(),
    })
    .optional(),
});
export type HookAnswer = z.infer<typeof HookAnswer>;
