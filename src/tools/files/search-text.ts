import { z } from "zod";

const maxCharacters = 10_000;

/** A search pattern that can be passed to a program as an argument. */
export const SearchText = z
  .string()
  .refine((text) => text.length <= maxCharacters, `More than ${maxCharacters} characters`)
  .refine((text) => !text.includes("\0"), "A NUL byte cannot be searched for");
