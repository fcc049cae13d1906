/**
 * Reads older spellings as today's: `ts`, `shutdown_approved` and `shutdown_rejected`, and a
 * `plan_approval_response` that carries a plan and decides nothing.
 */
export function modernize(record: Record<string, unknown>): Record<string, unknown> {
  if ("ts" in record && !("timestamp" in record)) {
    const { ts: timestamp, ...rest } = record;
    return modernize({ ...rest, timestamp });
  }
  switch (record.type) {
    case "shutdown_approved":
      return { ...record, type: "shutdown_response", approve: true };
    case "shutdown_rejected":
      return { ...record, type: "shutdown_response", approve: false };
    case "plan_approval_response":
      if ("plan" in record && !("approve" in record)) {
        return { ...record, type: "plan_approval_request" };
      }
  }
  return record;
}
