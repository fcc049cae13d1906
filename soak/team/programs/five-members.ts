/**
 * A team that may be killed at any moment: `five-members <directory> <provider's url> <prompt>`. It
 * answers for the person, and ends when the team is quiet.
 */
import { Team } from "../../../src/team/team.ts";
import { teamPlace } from "../../../test/support/team.ts";
import { scriptedModels } from "../../../test/support/team-on-wire.ts";

const [directory = "", url = "", prompt = ""] = process.argv.slice(2);
await using team = await Team.open({
  place: teamPlace(directory, { onWarning: console.error }),
  env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: "sk-of-a-soak", ANTHROPIC_BASE_URL: url },
  cwd: directory,
  model: "anthropic/scripted",
  models: scriptedModels,
  allow: ["bash(echo:*)", "bash(tee:*)", "bash(sleep:*)"],
  onRequest: () => ({ decision: "allow-once" }),
});
await team.prompt(prompt);
await team.quiet();
