import { ArraySender } from "./array.ts";
import { BareSender } from "./bare.ts";
import type { DesignName, Sender, SenderPlace } from "./design.ts";
import { TeachingSender } from "./teaching.ts";
import { TroupeSender } from "./troupe.ts";

export async function openSender(design: DesignName, place: SenderPlace): Promise<Sender> {
  switch (design) {
    case "troupe":
      return TroupeSender.open(place);
    case "teaching":
      return new TeachingSender(place);
    case "array":
      return new ArraySender(place);
    case "bare":
      return new BareSender(place);
  }
}
