import { type Command, lookOptions } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";

export const send: Command = {
  name: "send",
  group: "act",
  summary: "Send a message to a member, as yourself",
  parameters: ["<name>", '"<text>"'],
  options: lookOptions,
  examples: [
    { call: 'troupe send alice "Skip the Windows tests"', does: "alice reads it in her next turn" },
    { call: 'troupe send lead -- "--force is fine"', does: "everything after -- is text" },
  ],
  notes: ["If the team is not running, the message waits until it runs again."],

  async run({ positionals, json, teamDir }, io) {
    const [name = "", text = ""] = positionals;
    if (text.trim() === "") throw wrongUsage("The text is empty", send);

    const view = await io.viewTeam(teamDir);
    const message = await view.send(name, text);
    if (json) io.out(jsonText(message, 2));
    else io.out(`Sent message to ${message.to}`);
    return 0;
  },
};
