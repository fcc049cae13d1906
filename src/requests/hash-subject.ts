import { createHash } from "node:crypto";
import { canonicalJson } from "../lib/canonical-json.ts";

/** What stands for exactly these bytes of a question: SHA-256 in hex, however its keys are ordered. */
export function hashSubject(subject: Record<string, unknown>): string {
  return createHash("sha256").update(canonicalJson(subject)).digest("hex");
}
