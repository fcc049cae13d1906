import { availableParallelism } from "node:os";

/** What one part of a benchmark has found. */
export interface Section {
  title: string;
  /** What was measured, and how. */
  about: string;
  /** The figures as they are: a head and rows of cells. */
  table: { head: readonly string[]; rows: readonly (readonly string[])[] };
  /** What is promised of them. */
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

/** The whole report as Markdown: first what is promised and whether it holds, then the figures. */
export function renderReport({ title, command, about, date, sections }: ReportOptions): string {
  const machine = `${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.version}`;
  const targets = sections.flatMap((section) => section.targets);
  const met = targets.filter(({ isMet }) => isMet).length;
  return [
    `# ${title}`,
    `Written by \`${command}\` on ${date.toISOString().slice(0, 10)}; ${machine}. ${about}`,
    `**${met} of ${targets.length} targets are met.**`,
    renderTable(
      ["", "figure", "target", ""],
      targets.map(({ what, figure, target, isMet }) => {
        return [what, figure, target, isMet ? "met" : "**missed**"];
      }),
    ),
    ...sections.map(renderSection),
  ]
    .join("\n\n")
    .concat("\n");
}

function renderSection({ title, about, table }: Section): string {
  return [`## ${title}`, about, renderTable(table.head, table.rows)].join("\n\n");
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
