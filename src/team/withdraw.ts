import { TeamError } from "../errors.ts";
import type { MailState } from "../mailbox/mailbox.ts";
import { lead, type MemberName, type MessageId, user } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";
import { isWithdrawable } from "../protocol/message-types.ts";
import { messageIdFor } from "./message-id-for.ts";
import type { Supervisor } from "./supervisor.ts";
import type { TeamView } from "./view/team-view.ts";

interface SentMail {
  to: MemberName;
  message: Message;
  state: MailState;
}

/**
 * Takes back a message of the person. Resolves to whether its member will never see it, once that is
 * certain: the order is in the member's mailbox, and has been carried out.
 */
export async function withdraw(
  supervisor: Supervisor,
  id: MessageId,
  closing: AbortSignal,
): Promise<boolean> {
  const view = supervisor.options.store.view();
  const { to, message, state } = await requireSent(supervisor, view, id);
  if (state !== "queued") return state === "withdrawn";
  if (message.from !== user || !isWithdrawable(message)) throw notThePersons(id);
  supervisor.members.require(to);
  try {
    await supervisor.protocols.post.send(to, {
      // The same one each time: to ask twice changes nothing.
      id: messageIdFor(`withdraw ${id}`, new Date(message.timestamp * 1000)),
      type: "withdraw_request",
      from: user,
      message_id: id,
    });
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "member-ended") throw error;
  }
  return (await settledState(supervisor, { view, to, id, closing })) === "withdrawn";
}

/** The state of the message once it waits no longer. */
async function settledState(
  { members, protocols }: Supervisor,
  sent: { view: TeamView; to: MemberName; id: MessageId; closing: AbortSignal },
): Promise<MailState | undefined> {
  const { view, to, id, closing } = sent;
  while (!closing.aborted) {
    // Before looking, so that no change is missed.
    const changed = nextChange(members, closing);
    await members.get(to)?.order({ type: "settle-orders" });
    if (members.get(to)?.state.hasEnded) await protocols.removals.settled(to);
    const mail = await view.message(to, id);
    if (mail?.state !== "queued") return mail?.state === "set aside" ? undefined : mail?.state;
    await changed;
  }
  throw new TeamError("team-closed", "The team was closed before the message was taken back", {
    hint: "The order is in the mailbox, and is carried out when the team is opened again.",
  });
}

function nextChange(members: Supervisor["members"], closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop();
      closing.removeEventListener("abort", end);
      resolve();
    };
    const stop = members.onChange(end);
    closing.addEventListener("abort", end, { once: true });
  });
}

async function requireSent(
  { protocols }: Supervisor,
  view: TeamView,
  id: MessageId,
): Promise<SentMail> {
  const known = protocols.post.recipientOf(id);
  const all = (await view.team()).members.map(({ name }) => name);
  for (const to of known ? [known] : [lead, ...all]) {
    const mail = await view.message(to, id);
    if (mail && mail.state !== "set aside") return { to, message: mail.message, state: mail.state };
  }
  throw new TeamError("message-unknown", `There is no message ${id}`, {
    hint: "Take the id from what `message` or `prompt` resolved to.",
  });
}

function notThePersons(id: MessageId): TeamError {
  return new TeamError("message-invalid", `Message ${id} is not a text of the person`, {
    hint: "Only what `message`, `prompt` and `broadcast` have sent can be withdrawn.",
  });
}
