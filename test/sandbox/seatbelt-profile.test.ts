import { describe, expect, test } from "vitest";
import { type SeatbeltReach, seatbeltProfile } from "../../src/sandbox/seatbelt-profile.ts";
import type { SpecialPlace } from "../../src/sandbox/special-places.ts";

type Expression = string | readonly Expression[];

/** A profile as its language has it: lists, words and texts. Fails on what is not one. */
function parse(profile: string): readonly Expression[] {
  const tokens = profile.match(/\(|\)|#?"(?:[^"\\]|\\.)*"|[^\s()"]+/gs) ?? [];
  let at = 0;
  const read = (): Expression => {
    const token = tokens[at++];
    if (token === undefined || token === ")") throw new Error(`Unbalanced at ${at}`);
    if (token !== "(") return token;
    const list: Expression[] = [];
    while (tokens[at] !== ")") list.push(read());
    at++;
    return list;
  };
  const rules: Expression[] = [];
  while (at < tokens.length) rules.push(read());
  return rules;
}

/** What the last rule about it says, as macOS decides. */
function decide(profile: string, operation: string, subject: string): string {
  const decisions = parse(profile).flatMap((rule) => {
    const [decision, ...parts] = rule;
    const operations = parts.filter((part) => typeof part === "string");
    const filters = parts.filter((part) => typeof part !== "string");
    const isMeant = operations.some(
      (each) =>
        each === "default" || each === operation || operation.startsWith(each.replace(/\*$/, "")),
    );
    const isMatching = filters.length === 0 || filters.some((filter) => matches(filter, subject));
    return isMeant && isMatching && typeof decision === "string" ? [decision] : [];
  });
  return decisions.at(-1) ?? "none";
}

function matches([name, ...given]: readonly Expression[], subject: string): boolean {
  const [text = ""] = given.flat(3).filter((each) => typeof each === "string" && /^"/.test(each));
  const value = String(text).slice(1, -1).replace(/\\(.)/g, "$1");
  if (name === "literal") return subject === value;
  if (name === "subpath") return subject === value || subject.startsWith(`${value}/`);
  if (name === "remote" || name === "local") {
    if (given.includes("ip")) return subject === value;
    const [, place] = given;
    return Array.isArray(place) && matches(place, subject);
  }
  return false;
}

const place = (kind: SpecialPlace["kind"], path: string): SpecialPlace => ({ kind, path });

const reach: SeatbeltReach = {
  places: [
    place("hidden", "/Users"),
    place("read-only", "/Users/ada"),
    place("hidden", "/Users/ada/.ssh"),
    place("writable", "/Users/ada/project"),
    place("read-only", "/Users/ada/project/.git"),
    place("hidden", "/Users/ada/project/a/secrets"),
  ],
  temporary: "/Users/ada/state/tmp/alice",
  isReadOnly: false,
  network: "off",
};

describe("the profile for macOS", () => {
  test.each([
    ["file-write-data", "/Users/ada/project/src/a.ts", "allow"],
    ["file-write-create", "/Users/ada/project/new", "allow"],
    ["file-write-data", "/Users/ada/state/tmp/alice/x", "allow"],
    ["file-write-data", "/dev/null", "allow"],
    ["file-write-data", "/Users/ada/other/x", "deny"],
    ["file-write-data", "/Users/ada/work2/x", "deny"],
    ["file-write-data", "/etc/hosts", "deny"],
    ["file-write-data", "/Users/ada/project/.git/config", "deny"],
    ["file-write-create", "/Users/ada/project/.git/commondir", "deny"],
    ["file-write-unlink", "/Users/ada/project/.git", "deny"],
    // With these, what is hidden or kept could be moved away.
    ["file-write-unlink", "/Users/ada/project/a", "deny"],
    ["file-write-create", "/Users/ada/project/a/new", "allow"],
    ["file-write-unlink", "/Users/ada/project/b", "allow"],
    ["file-read-data", "/usr/lib/x", "allow"],
    ["file-read-data", "/Users/ada/notes", "allow"],
    ["file-read-data", "/Users/ada/.ssh/id", "deny"],
    ["file-read-data", "/Users/ada/project/a/secrets/key", "deny"],
    ["file-read-data", "/Users/eve/notes", "deny"],
    ["file-read-metadata", "/Users", "allow"],
    ["mach-lookup", "com.apple.anything", "deny"],
    ["network-outbound", "localhost:443", "deny"],
    ["network-outbound", "/Users/ada/project/socket", "allow"],
    ["network-outbound", "/private/tmp/socket", "deny"],
    ["process-exec", "/bin/ls", "allow"],
    ["process-exec-interpreter", "/bin/ls", "allow"],
  ])("%s of %s: %s", (operation, subject, decision) => {
    expect(decide(seatbeltProfile(reach), operation, subject)).toBe(decision);
  });

  test("nothing is written where a command is to change nothing", () => {
    const profile = seatbeltProfile({ ...reach, isReadOnly: true });

    for (const path of ["/Users/ada/project/a.ts", "/Users/ada/state/tmp/alice/x"]) {
      expect(decide(profile, "file-write-data", path)).toBe("deny");
      expect(decide(profile, "file-read-data", path)).toBe("allow");
      expect(decide(profile, "network-outbound", path)).toBe("deny");
    }
  });

  test("the network is the proxy's port alone, or all of it", () => {
    const listed = seatbeltProfile({ ...reach, network: { proxyPort: 4567 } });
    const open = seatbeltProfile({ ...reach, network: "open" });

    expect(decide(listed, "network-outbound", "localhost:4567")).toBe("allow");
    expect(decide(listed, "network-outbound", "localhost:4568")).toBe("deny");
    expect(decide(listed, "network-inbound", "localhost:4567")).toBe("deny");
    expect(decide(open, "network-outbound", "example.com:443")).toBe("allow");
  });

  test("a path cannot say anything in the profile", () => {
    const path = '/Users/ada/project/x") (allow default) ("\\';
    const places = [...reach.places, place("read-only", path)];

    const profile = seatbeltProfile({ ...reach, places });

    expect(decide(profile, "file-write-data", `${path}/x`)).toBe("deny");
    expect(decide(profile, "file-write-data", "/etc/hosts")).toBe("deny");
    expect(parse(profile).filter((rule) => rule[0] === "allow" && rule[1] === "default")).toEqual(
      [],
    );
  });
});
