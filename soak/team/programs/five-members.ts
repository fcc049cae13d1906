/**
 * A team that may be killed at any moment: `five-members <directory> <provider's url> <prompt>`. It
 * answers for the person, and ends when the team is quiet.
 */
import { TeamError } from "../../../src/errors.ts";
import { Team } from "../../../src/team/team.ts";
import { teamPlace } from "../../../test/support/team.ts";

const [directory = "", url = "", prompt = ""] = process.argv.slice(2);
await using team = await Team.open({
  place: teamPlace(directory, { onWarning: console.error }),
  env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: "sk-of-a-soak", ANTHROPIC_BASE_URL: url },
  cwd: directory,
  model: "anthropic/scripted",
  allow: ["bash(echo:*)", "bash(tee:*)", "bash(sleep:*)"],
});
const events = team.events();
const answered = new Set<string>();

async function answerQuestions(): Promise<void> {
  for (const { id, to } of await team.openRequests()) {
    if (to !== "user" || answered.has(id)) continue;
    answered.add(id);
    await team.answer(id, { decision: "allow-once" }).catch(ignoreDecided);
  }
}

/** A question may be decided by an answer from an earlier process. */
function ignoreDecided(error: unknown): void {
  if (!(error instanceof TeamError) || error.code !== "request-refused") throw error;
}

async function answerAll(): Promise<void> {
  await answerQuestions();
  for await (const event of events) if (event.type === "request-change") await answerQuestions();
}

answerAll().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
await team.prompt(prompt);
await team.quiet();
