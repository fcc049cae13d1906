/**
 * A process that runs a team, and that a test kills:
 * `team-process.ts <root> <provider's URL> [before|after <sender> <type of message>]`.
 *
 * It says each event of the team on a line of its own, and carries out orders, one a line, until
 * there are no more; then it leaves. Where such a message is about to be sent, or has just been, it
 * stays for ever, and says so by the line `holding`.
 */
import { createInterface } from "node:readline";
import { z } from "zod";
import { parseJson } from "../../../../src/lib/json.ts";
import type { MessageId } from "../../../../src/protocol/ids.ts";
import { PermissionMode } from "../../../../src/protocol/message.ts";
import { RoleFiles } from "../../../../src/roles/role-files.ts";
import { FileTeamStore } from "../../../../src/team/file-team-store.ts";
import { Team } from "../../../../src/team/team.ts";
import { providerEnvironment } from "../../../support/agent-on-wire.ts";
import { teamPlace } from "../../../support/team.ts";
import { scriptedModels } from "../../../support/team-on-wire.ts";

const Order = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("spawn"),
    name: z.string(),
    role: z.string().optional(),
    agent: z.string().optional(),
    prompt: z.string(),
    model: z.string().optional(),
    mode: PermissionMode.optional(),
    planRequired: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("message"),
    to: z.string(),
    content: z.string(),
    /** The paths of its images. */
    images: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal("set-model"), name: z.string(), model: z.string() }),
  /** Takes the last message back, and says whether it came in time. */
  z.object({ type: z.literal("withdraw") }),
  z.object({ type: z.literal("compact"), name: z.string() }),
]);
export type Order = z.input<typeof Order>;

const [root = "", url = "", moment, sender, heldType] = process.argv.slice(2);
const place = teamPlace(root, {
  onWarning: (text) => console.log(JSON.stringify({ type: "told", text })),
});
const store = await FileTeamStore.open(place);
const send = store.send.bind(store);
store.send = async (to, draft) => {
  if (draft.type !== heldType || draft.from !== sender) return send(to, draft);
  if (moment === "after") await send(to, draft);
  console.log(JSON.stringify({ type: "holding" }));
  return new Promise(() => undefined);
};
const team = await Team.open({
  store,
  place,
  env: { PATH: process.env.PATH, ...providerEnvironment({ url }) },
  cwd: root,
  model: "anthropic/scripted",
  models: scriptedModels,
  mode: "bypassPermissions",
  roles: new RoleFiles({ workspace: root, own: [] }),
  approvals: "wait",
});
const telling = tell();
const sent: MessageId[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const order = parseJson(line, Order, "The order");
  if (order.type === "spawn") {
    const { type: _, ...request } = order;
    await team.spawn(request);
  } else if (order.type === "set-model") {
    await team.setModel(order.name, { model: order.model });
  } else if (order.type === "message") {
    const { id } = await team.message(order.to, { text: order.content, images: order.images });
    sent.push(id);
  } else if (order.type === "compact") {
    await team.compact(order.name);
  } else {
    const [last] = sent.slice(-1);
    if (last) console.log(JSON.stringify({ type: "withdrawn", inTime: await team.withdraw(last) }));
  }
}
await team.close();
await telling;

async function tell(): Promise<void> {
  for await (const event of team.events()) console.log(JSON.stringify(event));
}
