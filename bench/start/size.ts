import type { InstalledPackage } from "../../packaging/install.ts";
import { formatMegabytes } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { atMost } from "../team/at-most.ts";

const maxBytes = 60e6;

export function describeSize({ tarballBytes, installedBytes }: InstalledPackage): Section {
  return {
    title: "Size",
    about:
      "The package with everything that comes with it: one directory `node_modules` in a project that has nothing else. All but ripgrep is bundled.",
    table: {
      head: ["tarball", "installed"],
      rows: [[formatMegabytes(tarballBytes), formatMegabytes(installedBytes)]],
    },
    targets: [
      atMost("installed size", {
        figure: installedBytes,
        target: maxBytes,
        format: formatMegabytes,
      }),
    ],
  };
}
