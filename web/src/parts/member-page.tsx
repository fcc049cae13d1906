import { useDesk, useRoom } from "../state/desk.ts";
import { standingOf } from "../state/members.ts";
import { MemberActions } from "../views/room/member-card.tsx";
import { TranscriptView } from "../views/transcript/transcript-view.tsx";

/** A member's transcript, with what can be done about the member. */
export function MemberPage({ name }: { name: string }) {
  const { page } = useDesk();
  const standing = useRoom(({ members, running }) => {
    const member = members.get(name);
    return member ? standingOf(member.status, running !== null) : null;
  });
  const actions = standing && <MemberActions name={name} standing={standing} />;
  return <TranscriptView page={page} name={name} actions={actions} />;
}
