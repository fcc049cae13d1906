import { reasonOf, TeamError } from "../errors.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { ToolAction, ToolSpec } from "../protocol/tools.ts";
import type { ModelImage, ReceivedMail } from "../protocol/transcript.ts";

/** A tool as the agent loop sees it: it turns any input into a call that can be judged and run. */
export interface Tool {
  /** The tool as it is described to models. */
  readonly spec: ToolSpec;
  /** Checks the input and does nothing yet. */
  prepare(input: unknown): PreparedCall | InvalidCall;
}

/** A call whose input the tool accepts. It runs when `run` is called. */
export interface PreparedCall {
  readonly type: "prepared";
  /** What the call would do, for permissions to judge. */
  readonly action: ToolAction;
  /** Resolves to the output for the model. What an own tool throws is an error for the model too. */
  run(context: ToolContext): Promise<ToolOutput>;
}

/** A call whose input the tool does not accept: it is not run. */
export interface InvalidCall {
  readonly type: "invalid";
  /** What the model is told about its input. */
  readonly output: ToolOutput;
}

/** What a call has led to, for the model. */
export interface ToolOutput {
  /** The text that the model is shown. */
  readonly text: string;
  /** True if the call failed; the model is told so. */
  readonly isError: boolean;
  /** True for a trial that may have failed for want of what it does not have. Then nothing has happened (default: false). */
  readonly isHindered?: boolean;
  /** Images that the model is shown with the text (default: none). */
  readonly images?: readonly ModelImage[] | undefined;
  /** Mail that the text shows. It is settled with the call's result. */
  readonly mail?: readonly ReceivedMail[];
}

/** The context of one call. Everything else is given to the tool when it is created. */
export interface ToolContext {
  /** The id of the call, which is also in events and in the transcript. */
  readonly callId: string;
  /** Who calls. */
  readonly member: MemberName;
  /** The absolute path of the directory that the member works in. */
  readonly cwd: string;
  /** The id of the member's model. */
  readonly model: string;
  /** When the model made the call. If the process was killed in between, it may run much later. */
  readonly madeAt?: Date;
  /** Aborted when the call must stop. It still resolves, with the output so far. */
  readonly signal: AbortSignal;
  /**
   * How a command is to run in the sandbox, if there is one: changing nothing, because it was judged to change nothing; or as
   * a trial, which never runs without one (default: as usual).
   */
  readonly confinement?: "read-only" | "trial";
  /** Called with output as it arrives, for observers. */
  onOutput(text: string): void;
}

/**
 * The input schema of a tool: an object of Zod 4. The type lists only the used parts and not Zod's
 * own types, so that a tool may be defined with another version of Zod than troupe's.
 */
export interface ToolInput<Input> {
  /** Checks an input, and returns the parsed one or what is wrong with it. */
  safeParse(
    input: unknown,
  ): { success: true; data: Input } | { success: false; error: { issues: readonly Issue[] } };
  /** The schema in the form in which a model is shown it. */
  toJSONSchema(options: {
    io: "input";
    override(schema: { jsonSchema: { maximum?: number | undefined } }): void;
  }): object;
}

interface Issue {
  path: readonly PropertyKey[];
  message: string;
}

/**
 * Makes a tool whose `run` gets parsed input; for bad input the model gets an error result. Throws
 * `config-invalid` where `input` is not such a schema.
 */
export function defineTool<Input>(definition: {
  name: string;
  description: string;
  input: ToolInput<Input>;
  /** What a call would do, for permissions to judge. */
  action(input: Input): ToolAction;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}): Tool {
  const { name, description, input: schema } = definition;
  return {
    spec: { name, description, input_schema: inputSchema(name, schema) },
    prepare(given) {
      const parsed = schema.safeParse(given);
      if (!parsed.success) {
        return { type: "invalid", output: failure(wrongInput(name, parsed.error.issues)) };
      }
      const input = parsed.data;
      return {
        type: "prepared",
        action: definition.action(input),
        run: (context) => definition.run(input, context),
      };
    },
  };
}

/** Every member has its own tools with the same input schemas: each JSON Schema is made once. */
const inputSchemas = new WeakMap<ToolInput<unknown>, Record<string, unknown>>();

function inputSchema(tool: string, schema: ToolInput<unknown>): Record<string, unknown> {
  // A program may have an older Zod, or be written in JavaScript.
  const given: Partial<ToolInput<unknown>> | undefined = schema;
  if (!given?.safeParse || !given.toJSONSchema) throw noSchema(tool);
  const known = inputSchemas.get(schema) ?? orUnusable(tool, () => describeInput(schema));
  inputSchemas.set(schema, known);
  return known;
}

function noSchema(tool: string): TeamError {
  return new TeamError("config-invalid", `The input of the tool ${tool} is not a schema of Zod 4`, {
    hint: "Write input: z.object({ … }), with zod 4.2 or newer; `npm ls zod` shows which one is installed.",
  });
}

function orUnusable<T>(tool: string, describe: () => T): T {
  try {
    return describe();
  } catch (cause) {
    throw new TeamError(
      "config-invalid",
      `The input of the tool ${tool} cannot be described to a model: ${reasonOf(cause)}`,
      { cause, hint: "Use types that JSON has." },
    );
  }
}

/** The JSON Schema without parts that say nothing: every byte is sent with every request. */
function describeInput(schema: ToolInput<unknown>): Record<string, unknown> {
  const described = schema.toJSONSchema({
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const silent = new Set(["$schema", "additionalProperties"]);
  return Object.fromEntries(Object.entries(described).filter(([name]) => !silent.has(name)));
}

function wrongInput(name: string, issues: readonly Issue[]): string {
  const problems = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return `Error: Invalid input for ${name}: ${problems.join("; ")}. Nothing was done; call it again with corrected input.`;
}

export function success(text: string): ToolOutput {
  return { text, isError: false };
}

export function failure(text: string): ToolOutput {
  return { text, isError: true };
}
