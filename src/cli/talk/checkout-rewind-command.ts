import { TeamError } from "../../errors.ts";
import { findMember } from "../../team/find-member.ts";
import type { CheckoutRewindPreview } from "../../team/rewind/checkout-rewind.ts";
import { localTime } from "../render/local-time.ts";
import { oneLine } from "../render/one-line.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** So many states and files are listed. */
const maxListed = 30;

/**
 * `/rewind alice` lists the kept states of alice's checkout, `/rewind alice 2` shows what going back to one would do, and
 * `/rewind alice 2 yes` does it. Nothing else decides it, and only what the person was shown is done.
 */
export async function runCheckoutRewind(argument: string, talk: Talk): Promise<TalkReply> {
  const [named = "", number, yes, ...more] = argument.split(/\s+/);
  const member = findMember(await talk.team.roster(), named);
  if (number === undefined) return { type: "shown", lines: await list(talk, member) };
  const isConfirmed = yes === "yes";
  if (!/^\d{1,9}$/.test(number) || (yes !== undefined && !isConfirmed) || more.length > 0) {
    throw new TeamError("usage-wrong", `Not understood: /rewind ${oneLine(argument, 60)}`, {
      hint: `/rewind ${member} lists the states, /rewind ${member} 2 shows what going back would do, and /rewind ${member} 2 yes does it.`,
    });
  }
  const preview = await talk.team.previewCheckoutRewind(member, Number(number));
  const shown = talk.shownCheckoutRewind;
  talk.shownCheckoutRewind = { member, preview };
  const lines = previewLines(preview, member);
  if (!isConfirmed) return { type: "shown", lines };
  if (JSON.stringify(shown) !== JSON.stringify(talk.shownCheckoutRewind)) {
    const isOther = shown?.member !== member || shown.preview.state.number !== Number(number);
    const why = isOther ? "Look at it first." : "This has changed since you looked.";
    return { type: "shown", lines: [why, ...lines] };
  }
  talk.shownCheckoutRewind = undefined;
  const { state, before } = await talk.team.rewindCheckout(member, Number(number));
  return {
    type: "shown",
    lines: [
      `The files of ${member}'s checkout are ${asOf(state)}. The member is told at its next turn.`,
      `Their previous state is kept: /rewind ${member} ${before.number}`,
    ],
  };
}

async function list(talk: Talk, member: string): Promise<string[]> {
  const states = await talk.team.checkoutStates(member);
  const width = String(states[0]?.number ?? 0).length;
  const rows = states.slice(0, maxListed).map(({ number, at }) => {
    const began = number === 0 ? "  as it began" : "";
    return `  ${String(number).padStart(width)}  ${localTime(new Date(at))}${began}`;
  });
  const more = states.length - rows.length;
  return [
    `Kept states of ${member}'s checkout:`,
    ...rows,
    ...(more > 0 ? [`  … ${more} older ones, with lower numbers`] : []),
    `/rewind ${member} <number> shows what going back to a state would do, and changes nothing.`,
  ];
}

function previewLines(preview: CheckoutRewindPreview, member: string): string[] {
  const { state, files, inTheWay, cannot } = preview;
  const rows = files.slice(0, maxListed).map(({ path, action }) => {
    return `  ${action === "remove" ? "remove " : "restore"}  ${oneLine(path)}`;
  });
  const more = files.length - rows.length;
  const head = `The files of ${member}'s checkout would be ${asOf(state)}.`;
  if (inTheWay.length > 0) {
    return [
      head,
      "This is not possible now. It would overwrite these files, which git ignores and nothing keeps:",
      ...inTheWay.slice(0, maxListed).map((path) => `  ${oneLine(path)}`),
      "Move them out of the checkout, and look again.",
    ];
  }
  return [
    head,
    rows.length > 0 ? "Files that change:" : "No file changes.",
    ...rows,
    ...(more > 0 ? [`  … ${more} more`] : []),
    "What is not taken back:",
    ...cannot.map((each) => `  ${oneLine(each)}`),
    "The current files are kept first, so that you can go back to them.",
    `Nothing has changed yet. Type /rewind ${member} ${state.number} yes to do this.`,
  ];
}

function asOf({ number, at }: CheckoutRewindPreview["state"]): string {
  const when = localTime(new Date(at));
  return number === 0 ? "as they were when it was made" : `as they were kept on ${when}`;
}
