import { maxOutputCharacters } from "../../processes/output-capture.ts";

/** The longest output of a tool, minus a line about omitted text. In characters. */
export const outputRoom = maxOutputCharacters - 500;
