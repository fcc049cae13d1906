import type { Command } from "../command.ts";
import { parseTeamArguments, wrongUsage } from "../parse-arguments.ts";

export const send: Command = {
  name: "send",
  summary: "Leave a message for a member, as yourself",
  usage: 'send <name> "<text>" [--json] [--team-dir <directory>]',

  async run(argv, io) {
    const limits = { usage: send.usage, positionals: { min: 2, max: 2 } };
    const { positionals, json, teamDir } = parseTeamArguments(argv, limits);
    const [name = "", text = ""] = positionals;
    if (text.trim() === "") throw wrongUsage("The text is empty", send.usage);

    const observer = await io.observeTeam(teamDir);
    const message = await observer.send(name, text);
    if (json) io.out(JSON.stringify(message, null, 2));
    else io.out(`Sent message to ${message.to}`);
    return 0;
  },
};
