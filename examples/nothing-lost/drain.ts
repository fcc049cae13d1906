import type { MemberStore } from "troupe";

/** Takes unread mail into the transcript, then acknowledges it. False when there was none. */
export async function drain({
  reader,
  transcript,
}: Pick<MemberStore, "reader" | "transcript">): Promise<boolean> {
  const deliveries = await reader.unread();
  const last = deliveries.at(-1);
  if (!last) return false;
  const at = new Date().toISOString();
  await transcript.append(deliveries.map((delivery) => ({ type: "delivery", at, ...delivery })));
  await reader.acknowledge(last.message.id);
  return true;
}
