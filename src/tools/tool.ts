import { z } from "zod";
import type { Action, ToolSpec } from "../protocol/tools.ts";
import type { Image, ReceivedMail } from "../protocol/transcript.ts";

/** A tool as the agent loop sees it: any input in, a call that can be judged and run out. */
export interface Tool {
  readonly spec: ToolSpec;
  /** Checks the input and does nothing yet. */
  prepare(input: unknown): PreparedCall | InvalidCall;
}

export interface PreparedCall {
  readonly type: "prepared";
  readonly action: Action;
  /** Resolves to what the model is shown. A throw means a bug or a broken store. */
  run(context: ToolContext): Promise<ToolOutput>;
}

interface InvalidCall {
  readonly type: "invalid";
  readonly output: ToolOutput;
}

export interface ToolOutput {
  readonly text: string;
  readonly isError: boolean;
  readonly images?: readonly Image[];
  /** Mail that the text shows. It is settled with the call's result. */
  readonly mail?: readonly ReceivedMail[];
}

/** What one call may reach. Everything else is given to the tool when it is made. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the call is to stop. It still resolves, with what it has. */
  readonly signal: AbortSignal;
  /** Output as it comes, for whoever watches. */
  onOutput(text: string): void;
}

/** Makes a tool whose `run` gets parsed input; bad input goes back to the model as an error. */
export function defineTool<Input extends z.ZodObject>(definition: {
  name: string;
  description: string;
  input: Input;
  action(input: z.infer<Input>): Action;
  run(input: z.infer<Input>, context: ToolContext): Promise<ToolOutput>;
}): Tool {
  const { name, description, input: schema } = definition;
  return {
    spec: { name, description, input_schema: inputSchema(schema) },
    prepare(given) {
      const parsed = schema.safeParse(given);
      if (!parsed.success) return { type: "invalid", output: failure(wrongInput(name, parsed)) };
      const input = parsed.data;
      return {
        type: "prepared",
        action: definition.action(input),
        run: (context) => definition.run(input, context),
      };
    },
  };
}

/** Every member has its own tools, made of the same inputs: what those look like is worked out once. */
const inputSchemas = new WeakMap<z.ZodObject, Record<string, unknown>>();

function inputSchema(schema: z.ZodObject): Record<string, unknown> {
  const known = inputSchemas.get(schema) ?? describeInput(schema);
  inputSchemas.set(schema, known);
  return known;
}

/** Every byte of it is sent with every request, so what says nothing is left out. */
function describeInput(schema: z.ZodObject): Record<string, unknown> {
  const {
    $schema: _,
    additionalProperties: __,
    ...rest
  } = z.toJSONSchema(schema, {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return rest;
}

function wrongInput(name: string, { error }: { error: z.ZodError }): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return `Error: Invalid input for ${name}: ${problems.join("; ")}. Nothing was done; call it again with the input set right.`;
}

export function success(text: string): ToolOutput {
  return { text, isError: false };
}

export function failure(text: string): ToolOutput {
  return { text, isError: true };
}
