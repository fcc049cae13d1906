import type { ErrorCode } from "../errors.ts";

/** Three ways to start, for a person without a model or its key. */
export function firstStartLines(code: ErrorCode): string[] {
  return code === "model-missing" || code === "provider-key-missing" ? waysOn : [];
}

const waysOn = `
Three ways to start:

  1. With a provider's API key:
       export ANTHROPIC_API_KEY=<your key>      (or OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY)
       troupe --model anthropic/<model>         (or openai/<model>, google/<model>)

  2. With a model on this machine, or any OpenAI-compatible endpoint:
       export OPENAI_COMPATIBLE_BASE_URL=http://localhost:11434/v1
       troupe --model openai-compatible/<model>

  3. Without any key:
       troupe demo                              (watch a team at work)
       troupe --model rehearsal                 (try it; not a language model)

\`troupe run "<prompt>"\` takes the same options. To choose a model permanently, set TROUPE_MODEL, or
"model" in a settings file. \`troupe doctor\` shows what is set up here.`.split("\n");
