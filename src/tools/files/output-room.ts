import { maxOutputCharacters } from "../../processes/output-capture.ts";

/** What a tool may put out, less a line about what is left out. In characters. */
export const outputRoom = maxOutputCharacters - 500;
