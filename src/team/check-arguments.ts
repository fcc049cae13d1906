import { z } from "zod";
import { TeamError } from "../errors.ts";
import { parseValue } from "../lib/parse-value.ts";
import { EffortChoice } from "../protocol/effort.ts";
import { MessageId } from "../protocol/ids.ts";
import { PermissionMode } from "../protocol/message.ts";
import type { TeamPrompt } from "./prompt-images.ts";

// A program in JavaScript may give anything: each of these throws where it is not what the types say.

/** Throws `message-invalid` for a message without a text. */
export function requireText(content: unknown): asserts content is string {
  const hint = "Say what the member should do or know.";
  if (typeof content !== "string") {
    throw new TeamError("message-invalid", "A message must be a text", { hint });
  }
  if (content.trim() === "") {
    throw new TeamError("message-invalid", "The message is empty", { hint });
  }
}

const Image = z.union([
  z.string(),
  z.strictObject({ data: z.instanceof(Uint8Array), mediaType: z.string() }),
]);
const Prompt = z.strictObject({ text: z.unknown(), images: z.array(Image).optional() });

/** Throws `message-invalid` for a prompt that is neither a text nor a text with images. */
export function requirePrompt(prompt: unknown): asserts prompt is string | TeamPrompt {
  if (typeof prompt !== "object" || prompt === null) return requireText(prompt);
  const { success, data } = parseValue(Prompt, prompt);
  if (success) return requireText(data.text);
  throw new TeamError("message-invalid", "The prompt is wrong", {
    hint: "Write { text, images }: an image is a path, or { data, mediaType } with its bytes.",
  });
}

/** Throws `message-unknown` for what is not the id of a message. */
export function requireMessageId(id: unknown): MessageId {
  const { data } = parseValue(MessageId, id);
  if (data) return data;
  throw new TeamError("message-unknown", `${shown(id)} is not the id of a message`, {
    hint: "Take the id from what `message` or `prompt` resolved to.",
  });
}

export function requireMode(mode: unknown): asserts mode is PermissionMode {
  if (parseValue(PermissionMode, mode).success) return;
  const hint = `The modes are ${PermissionMode.options.join(", ")}.`;
  throw new TeamError("config-invalid", `${shown(mode)} is not a permission mode`, { hint });
}

const ModelSetting = z
  .strictObject({ model: z.string().min(1).optional(), effort: EffortChoice.optional() })
  .refine(({ model, effort }) => model !== undefined || effort !== undefined);

/** Throws for what sets neither a model nor an effort. */
export function requireModelSetting(setting: unknown): void {
  if (parseValue(ModelSetting, setting).success) return;
  throw new TeamError("config-invalid", "setModel needs a model, an effort or both", {
    hint: `Write setModel(name, { model: "<provider>/<model>", effort }); efforts are ${EffortChoice.options.join(", ")}.`,
  });
}

const OpenedModel = z.object({
  id: z.string().min(1),
  stream: z.custom((value) => typeof value === "function"),
});

/** Throws where the program's `openModel` has returned something else. */
export function requireModel(opened: unknown): void {
  if (parseValue(OpenedModel, opened).success) return;
  throw new TeamError("config-invalid", "openModel has not returned a model", {
    hint: "Return an object with an id and a method stream, such as aiSdkModel makes one.",
  });
}

const RuleDraft = z.object({ decision: z.enum(["allow", "ask", "deny"]), rule: z.string() });

export function requireRule(draft: unknown): void {
  if (parseValue(RuleDraft, draft).success) return;
  throw new TeamError("config-invalid", "A rule must have a decision and a rule", {
    hint: 'Write { decision: "allow", rule: "bash(npm test:*)" }; decisions are allow, ask and deny.',
  });
}

const AskOptions = z.strictObject({
  schema: z.custom((value) => typeof value === "object" && value !== null),
  id: z.string().min(1).optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

export function requireAskOptions(options: unknown): void {
  const { error } = parseValue(AskOptions, options);
  const [issue] = error?.issues ?? [];
  if (!issue) return;
  const field = issue.code === "unrecognized_keys" ? issue.keys[0] : issue.path[0];
  const problem =
    field === undefined || field === "schema"
      ? "ask needs a schema"
      : `The option ${String(field)} of ask is wrong`;
  throw new TeamError("config-invalid", problem, {
    hint: "Write ask(text, { schema }), with a schema of Zod or a JSON Schema; id (a text) and signal are optional.",
  });
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : `A value of type ${typeof value}`;
}
