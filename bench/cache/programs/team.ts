import { Team } from "../../../src/team/team.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { placeBelow } from "../../team/place.ts";
import { type TeamAnswer, TeamOptions, TeamQuestion } from "../contract.ts";

const { directory, url, model, contextWindow } = childOptions(TeamOptions);
const key = "sk-of-a-benchmark";

const opened = Team.open({
  place: placeBelow(directory),
  env: {
    PATH: process.env.PATH,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    GOOGLE_GENERATIVE_AI_API_KEY: key,
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
  },
  cwd: directory,
  model,
  models: { [model]: { contextWindow } },
});

serve(TeamQuestion, async ({ prompt }): Promise<TeamAnswer> => {
  const team = await opened;
  await team.prompt(prompt);
  return { result: (await team.quiet()).result };
});
