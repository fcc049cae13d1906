import { TeamError } from "../errors.ts";
import { describeIssue } from "../lib/json.ts";
import { parseValue } from "../lib/parse-value.ts";
import { type MemberName, newMessageId } from "../protocol/ids.ts";
import { isContentSize, Message, type MessageDraft, maxContentBytes } from "../protocol/message.ts";

/** Completes a draft to the message it will be in `to`'s mailbox, or says why it cannot be sent. */
export function completeDraft(draft: MessageDraft, to: MemberName, now: Date): Message {
  if (draft.content !== undefined && !isContentSize(draft.content)) {
    throw new TeamError("content-too-large", `The text is larger than ${maxContentBytes} bytes`, {
      hint: "Write it to a file and send the file's path.",
    });
  }
  const { id = newMessageId(now), content = "", timestamp = now.getTime() / 1000 } = draft;
  // V8 is several times slower at a spread whose keys are overridden, and this is the hot path.
  const parsed = parseValue(Message, Object.assign({}, draft, { id, to, content, timestamp }));
  if (parsed.success) return parsed.data;
  throw new TeamError("message-invalid", `Not a message, ${describeIssue(parsed.error)}`, {
    cause: parsed.error,
    hint: "docs/storage.md has the fields of each type.",
  });
}
