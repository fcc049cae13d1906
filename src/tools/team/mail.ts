import { z } from "zod";
import { escapeWrapper } from "../../lib/escape-wrapper.ts";
import { isShown } from "../../protocol/message-types.ts";
import { defineTool, type Tool } from "../tool.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText, NoInput } from "./inputs.ts";
import type { LeadAccess, TeamAccess } from "./team-access.ts";

export const sendMessage = coordinationTool({
  name: "send_message",
  description:
    "Message a member; it wakes if idle. A teammate's final text goes to the lead by itself.",
  input: z.object({ to: FilledText, content: FilledText }),
  async answer({ to, content }, { colleagues }: { colleagues: TeamAccess }) {
    const sent = await colleagues.send(to, content);
    return `Sent message to ${sent.to}${sent.note ? `. ${sent.note}` : ""}`;
  },
});

export function readInbox({ colleagues }: { colleagues: TeamAccess }): Tool {
  return defineTool({
    name: "read_inbox",
    description: "Rarely needed: mail comes by itself.",
    input: NoInput,
    action: () => ({ type: "coordinate" }),
    async run() {
      const mail = await colleagues.takeMail();
      const messages = mail.map(({ message }) => message).filter(isShown);
      return { text: escapeWrapper(JSON.stringify(messages)), isError: false, mail };
    },
  });
}

export const broadcast = coordinationTool({
  name: "broadcast",
  description: "Message all teammates.",
  input: z.object({ content: FilledText }),
  answer: async ({ content }, { leadership }: { leadership: LeadAccess }) =>
    `Broadcast to ${await leadership.broadcast(content)} teammates`,
});
