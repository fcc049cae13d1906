import { z } from "zod";

/** Whether a member's commands run in a sandbox: never, where the machine has one, or never without. */
export type SandboxMode = "off" | "auto" | "required";
/** From the weakest to the strictest. */
export const SandboxMode = z.enum(["off", "auto", "required"]) satisfies z.ZodType<SandboxMode>;

export function isWeakerSandbox(mode: SandboxMode, other: SandboxMode): boolean {
  return SandboxMode.options.indexOf(mode) < SandboxMode.options.indexOf(other);
}

/** The stricter one of two; undefined is no demand. */
export function strictestSandbox(mode: SandboxMode, other: SandboxMode | undefined): SandboxMode {
  return other !== undefined && isWeakerSandbox(mode, other) ? other : mode;
}
