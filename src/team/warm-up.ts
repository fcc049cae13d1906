import { setImmediate } from "node:timers/promises";
import type { AgentEvent } from "../protocol/events.ts";
import type { Equipment } from "./equipment.ts";
import type { LeadSettings } from "./members/member-definition.ts";
import { permissionsFor } from "./open-member.ts";

interface ColdParts {
  equipment: Equipment;
  lead: LeadSettings;
}

/**
 * Makes ready what the first answer and the first command need, while the first request of the team
 * is on its way: the provider's schemas, the parser of command lines, pipes. All of it is slow when
 * it is used for the first time, and no model answers as fast as that.
 */
export function warmUp(events: AsyncIterable<AgentEvent>, parts: ColdParts): void {
  const { onWarning } = parts.equipment.place;
  warmUpAfter(events, parts).catch((error: unknown) =>
    onWarning(`The first command could not be prepared: ${String(error)}`),
  );
}

async function warmUpAfter(
  events: AsyncIterable<AgentEvent>,
  { equipment, lead }: ColdParts,
): Promise<void> {
  if (!(await hasBegun(events))) return;
  await equipment.models.firstSent(lead.model);
  // A model without a provider begins to answer before that.
  await setImmediate();
  await equipment.warmUp(lead);
  const permissions = await permissionsFor(equipment, lead);
  await permissions.judge({ tool: "", action: { type: "command", command: "true" } });
}

/** False when the team is closed before it has made a request. */
async function hasBegun(events: AsyncIterable<AgentEvent>): Promise<boolean> {
  for await (const { type } of events) if (type === "turn-start") return true;
  return false;
}
