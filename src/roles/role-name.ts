import { z } from "zod";

const maxNameCharacters = 64;
const maxDescriptionCharacters = 32_000;

/** By which a role is asked for: on one line, and short enough to be typed. */
export const RoleName = z
  .string()
  .trim()
  .min(1)
  .max(maxNameCharacters)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._/:-]*$/u);

export const RoleDescription = z.string().trim().min(1).max(maxDescriptionCharacters);
