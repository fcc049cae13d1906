/** The fields of the summary of `--output json`. A test compares them with those of a real run. */
export const summaryFields: Readonly<Record<string, string>> = {
  result: "the lead's last text",
  exit_code: "what the program exits with",
  members:
    "everybody with `name`, `role`, `status`, `model`, `answered_by` (the model that answers: another one of its list, while the first is not available), `outcome` of the last run, `usage` and `cost_usd`",
  tasks: "the task board, as `troupe tasks --json` shows it",
  landings:
    "the work of members with checkouts that is not in its target, or got there in this run: `id`, `member`, `state`, `target`, `commit`, `reason`, `files` in conflict, and the `check` that did not pass",
  denied:
    "calls that needed approval in this run and did not get it: `id`, `from` and, as `subject`, what was asked; what a rule or a hook denies is not asked",
  undecided: "questions that nobody has answered: `id`, `type` and `from`",
  background: "commands that still ran in the end: `member` and how many `commands`",
  usage:
    "all tokens of the team, those of earlier runs too: `input_tokens`, `output_tokens`, `cache_read_tokens`, `cache_write_tokens`",
  cost_usd:
    "dollars of the team so far, of the calls whose model has a known price; `null`, and never 0, if no such call cost anything and there are others",
  unpriced_calls: "how many calls have no known price and are not in `cost_usd`",
  duration_ms: "how long this run took",
  undelivered: "ids of messages that came back, because their recipient had ended",
};

export const summaryExample = {
  result: "All tests pass.",
  exit_code: 0,
  members: [
    {
      name: "lead",
      role: "lead",
      status: "idle",
      model: "anthropic/claude-opus-4-5",
      answered_by: "anthropic/claude-opus-4-5",
      outcome: "done",
      usage: {
        calls: 2,
        input_tokens: 1200,
        output_tokens: 150,
        cache_read_tokens: 20480,
        cache_write_tokens: 0,
        unpriced_calls: 0,
        cost_usd: 0.01999,
      },
      cost_usd: 0.01999,
    },
  ],
  tasks: [],
  landings: [],
  denied: [
    {
      id: "019b78c9-21f0-76d7-8d12-40995e98012d",
      from: "lead",
      subject: {
        call_id: "call_85e8cc1f9438d0df154aec4c",
        tool: "bash",
        input: { command: "git push" },
        reason: "it changes what is not in the workspace",
        rule: "bash(git push:*)",
      },
    },
  ],
  background: [],
  usage: {
    input_tokens: 1200,
    output_tokens: 150,
    cache_read_tokens: 20480,
    cache_write_tokens: 0,
  },
  cost_usd: 0.01999,
  unpriced_calls: 0,
  duration_ms: 48210,
  undelivered: [],
  undecided: [],
};
