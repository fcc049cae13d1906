import { z } from "zod";
import { AgentEvent } from "../../../src/protocol/events.ts";
import { eventDocs } from "./event-docs.ts";
import { eventExamples } from "./event-examples.ts";
import { exitCodeTable } from "./exit-codes.ts";
import { summaryExample, summaryFields } from "./summary-example.ts";

/** As much of JSON Schema as the schema of events uses. */
const JsonType = z.looseObject({
  type: z.string().optional(),
  const: z.string().optional(),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
});
type JsonType = z.infer<typeof JsonType>;

const EventSchema = z.looseObject({ oneOf: z.array(JsonType).min(1) });

const docs = eventDocs();

/** docs/events.md, as the schema of events and the comments of its types have it. */
export function eventsPage(): string {
  const { oneOf } = EventSchema.parse(z.toJSONSchema(AgentEvent));
  return [
    intro,
    ...oneOf.map(eventSection),
    summarySection(),
    "## Exit codes of `troupe run`\n",
    `${exitCodeTable}\n`,
    scripts,
  ].join("\n");
}

function eventSection({ properties = {}, required }: JsonType): string {
  const fields = Object.entries(properties).map(
    ([name, raw]) => [name, JsonType.parse(raw)] as const,
  );
  const type = fields.find(([name]) => name === "type")?.[1].const ?? "";
  const { meaning = "", fields: texts } = docs.get(type) ?? {};
  const rows = fields
    .filter(([name]) => !["type", "at", "member"].includes(name))
    .map(([name, field]) => {
      const optional = required.includes(name) ? "" : " (may be missing)";
      return `| \`${name}\` | ${typeText(field)}${optional} | ${texts?.get(name) ?? ""} |`;
    });
  const example = Object.entries(eventExamples).find(([name]) => name === type)?.[1];
  return [
    `### ${type}\n`,
    `${meaning}\n`,
    ...(rows.length > 0 ? ["| field | type | meaning |", "|---|---|---|", ...rows, ""] : []),
    "```json",
    JSON.stringify(example),
    "```\n",
  ].join("\n");
}

function typeText({ type, enum: values, format, properties }: JsonType): string {
  if (values) return values.map((value) => `\`${value}\``).join(", ");
  if (properties)
    return `object: ${Object.keys(properties)
      .map((name) => `\`${name}\``)
      .join(", ")}`;
  return format === "date-time" ? "time" : (type ?? "any JSON");
}

function summarySection(): string {
  const rows = Object.entries(summaryFields).map(
    ([name, meaning]) => `| \`${name}\` | ${meaning} |`,
  );
  return [
    "## The summary of `--output json`\n",
    'One object on one line, when the run is over. With `--output stream-json` it is the last line, with `"type":"summary"`:\n',
    "| field | meaning |",
    "|---|---|",
    ...rows,
    "",
    "With `--schema`, it also has `structured`: the value that the lead handed in, or null if there is none. Where the lead's last run did not end well, `reason` says why, and `hint` what to do, if that is known.\n",
    "```json",
    JSON.stringify(summaryExample, null, 2),
    "```\n",
  ].join("\n");
}

const intro = `# Events

What happens in a team, as it happens: \`troupe run --output stream-json\` prints one event a line on standard output and, at the end, [the summary](#the-summary-of---output-json);
\`.team/events.jsonl\` keeps the newest for other processes (there each line has a number \`seq\` too, as its last
key). The screen and the library (\`team.events()\`) see the same events.

Events may be lost and texts may come in larger pieces: they are for watching. What must not be lost is in the transcripts,
the mailboxes, the tasks and the requests ([storage.md](storage.md)). New types and new fields may be added; ignore what you do not know.
The order of the keys has no meaning.

Every event has these fields:

| field | type | meaning |
|---|---|---|
| \`type\` | string | One of those below. |
| \`at\` | time | When it happened: ISO 8601, in UTC. |
| \`member\` | string (may be missing) | The member it is about; absent for an event of the whole team. |

This page is made from the schema and the types in \`src/protocol/events.ts\` by \`npm run docs:update\`.

## Types
`;

const scripts = `## In scripts

Only results are on standard output; progress, warnings and errors are on standard error.

\`\`\`bash
# The lead's last text, or nothing and the exit code.
troupe run "Review src/" --output json | jq -r .result

# What it has cost, whether the run succeeded or not.
troupe run "Fix the test" --output json > summary.json; code=$?
jq .cost_usd summary.json

# Why it ended with 3: failed members, open tasks, undecided questions.
jq -r '.members[] | select(.status=="failed").name' summary.json
jq -r '.tasks[] | select(.status!="completed" and .status!="cancelled").subject' summary.json
jq -r '.undecided[].id' summary.json

# What was denied, and the rule that would allow it next time.
jq -r '.denied[].subject | select(.rule) | "--allow \\"\\(.rule)\\""' summary.json

# Every tool call, as it is made.
troupe run "Fix the test" --output stream-json | jq -r 'select(.type=="tool-call") | "\\(.member): \\(.name)"'

# Follow a team that runs elsewhere.
tail -F .team/events.jsonl | jq -r 'select(.type=="warning").message'
\`\`\`
`;
