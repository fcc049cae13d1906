import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";

/** The result of one part of a benchmark. */
export interface Section {
  title: string;
  /** What was measured, and how. */
  about: string;
  /** The figures: a header and rows of cells. */
  table: { head: readonly string[]; rows: readonly (readonly string[])[] };
  /** The targets. */
  targets: readonly Target[];
}

interface Target {
  what: string;
  figure: string;
  target: string;
  isMet: boolean;
}

export interface ReportOptions {
  title: string;
  command: string;
  about: string;
  date: Date;
  sections: readonly Section[];
}

const reportsFile = "docs/benchmarks.md";

/** Prints which targets are met, and replaces the previous report. */
export async function publish(options: ReportOptions): Promise<void> {
  for (const { what, figure, target, isMet } of options.sections.flatMap((it) => it.targets)) {
    console.log(`${isMet ? "met   " : "MISSED"} ${what}: ${figure} (${target})`);
  }
  const [preface = "", ...reports] = (await readFile(reportsFile, "utf8")).split(/^(?=## )/m);
  const others = reports.filter((report) => !report.startsWith(`## ${options.title}\n`));
  const sorted = [...others.map((report) => report.trimEnd()), renderReport(options)].sort();
  await writeFile(reportsFile, [preface.trimEnd(), ...sorted].join("\n\n").concat("\n"));
}

/** The report that `publish` would replace; undefined when there is none. */
export async function publishedReport(title: string): Promise<string | undefined> {
  const reports = (await readFile(reportsFile, "utf8")).split(/^(?=## )/m);
  return reports.find((report) => report.startsWith(`## ${title}\n`));
}

/** The whole report as Markdown: first the targets, then the figures. */
function renderReport({ title, command, about, date, sections }: ReportOptions): string {
  const machine = `${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.version}`;
  const targets = sections.flatMap((section) => section.targets);
  const met = targets.filter(({ isMet }) => isMet).length;
  return [
    `## ${title}`,
    `Written by \`${command}\` on ${date.toISOString().slice(0, 10)}; ${machine}. ${about}`,
    `**${met} of ${targets.length} targets are met.**`,
    renderTable(
      ["", "figure", "target", ""],
      targets.map(({ what, figure, target, isMet }) => {
        return [what, figure, target, isMet ? "met" : "**missed**"];
      }),
    ),
    ...sections.map(renderSection),
  ].join("\n\n");
}

function renderSection({ title, about, table }: Section): string {
  return [`### ${title}`, about, renderTable(table.head, table.rows)].join("\n\n");
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
