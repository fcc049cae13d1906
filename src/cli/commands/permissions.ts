import { type Command, lookOptions } from "../command.ts";
import { jsonText } from "../render/json-text.ts";
import { changeRule, ruleLines } from "../rule-orders.ts";

export const permissions: Command = {
  name: "permissions",
  group: "act",
  summary: "List the permission rules that were added to the team, add one, or remove one",
  parameters: ["[allow|ask|deny|remove]", "[<rule>]"],
  options: lookOptions,
  examples: [
    {
      call: "troupe permissions",
      does: "the rules, where they come from, and since when they apply",
    },
    { call: 'troupe permissions deny "read_file(.env)"', does: "for all members, from now on" },
    {
      call: 'troupe permissions remove "bash(npm test:*)"',
      does: 'take back an "always", or a rule that was added',
    },
  ],
  notes: [
    "The process that runs the team carries this out; if the team is not running, it happens when the team runs again.",
    "Rules from settings files and flags apply only in the process that was started with them: `/permissions` lists them there.",
  ],

  async run({ positionals: [verb, rule = ""], json, teamDir }, io) {
    const view = await io.viewTeam(teamDir);
    const known = await view.rules();
    const lead = await view.lead();
    const running = lead ? { pid: lead.pid, host: lead.host } : null;
    if (verb !== undefined) {
      const done = await changeRule({ verb, text: rule.trim(), known }, view);
      if (json) io.out(jsonText({ change: done, running }, 2));
      else io.out(`Rule ${done}${lead ? "" : ", when the team runs again"}.`);
      return 0;
    }
    if (json) io.out(jsonText({ rules: known, running }, 2));
    else if (known.length === 0) io.out("No rule was added to this team.");
    else for (const line of ruleLines(known)) io.out(line);
    return 0;
  },
};
