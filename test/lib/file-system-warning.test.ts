import { expect, test } from "vitest";
import { fileSystemWarning, sharedFileSystemWarning } from "../../src/lib/file-system-warning.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("a directory on a local disk causes no warning", async () => {
  await using directory = await temporaryDirectory();

  expect(await fileSystemWarning(directory.path)).toBeUndefined();
});

test.each([
  [0x6969, "NFS"],
  [0x01021997, "9p"],
  [0xff534d42, "CIFS"],
  [0xff534d42 | 0, "CIFS"],
])("a file system of type %d is reported with its name", (type, name) => {
  expect(sharedFileSystemWarning("/team", type)).toMatch(new RegExp(`/team .*${name}.*--team-dir`));
});

test("ext4, tmpfs and overlayfs are not shared", () => {
  for (const type of [0xef53, 0x01021994, 0x794c7630]) {
    expect(sharedFileSystemWarning("/team", type)).toBeUndefined();
  }
});
