/** Reads alice's mail until it is killed, and tells its parent whenever it has read some. */
import { FileTeamStore, MemberName, systemPlace } from "troupe";
import { drain } from "./drain.ts";

const [directory = ""] = process.argv.slice(2);
await using store = await FileTeamStore.open(systemPlace({ directory, onWarning: console.error }));
const alice = await store.openMember(MemberName.parse("alice"), { onSetAside: console.error });

// A store keeps no process alive by itself; the parent's channel does, while somebody listens.
process.on("message", () => undefined);
for (;;) {
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const stopListening = alice.reader.onWake(wake);
  while (await drain(alice)) process.send?.("has read");
  await woken;
  stopListening();
}
