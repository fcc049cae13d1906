import type { MemberName } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { Equipment } from "../equipment.ts";
import { refusalOf } from "./team-hooks.ts";

/** Shows prompts of the person to hooks, before their member sees them. The person is told of one that is refused. */
export function reviewPrompts(
  equipment: Pick<Equipment, "hooks" | "place">,
  member: MemberName,
): (mail: Message) => Promise<boolean> {
  const { onWarning } = equipment.place;
  return async (mail) => {
    const { beforePrompt } = equipment.hooks;
    if (!beforePrompt || !("content" in mail) || mail.content === undefined) return false;
    const prompt = { member, text: mail.content };
    const refusal = await refusalOf("beforePrompt", () => beforePrompt(prompt), onWarning);
    if (refusal === undefined) return false;
    onWarning(`A hook refuses your message to '${member}', which it does not see: ${refusal}`);
    return true;
  };
}
