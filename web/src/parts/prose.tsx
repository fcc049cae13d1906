import type { ComponentChildren, VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  type Block,
  type Inline,
  readSection,
  safeUrl,
  targetOf,
} from "../../../src/lib/markdown.ts";
import { Code, Marked } from "../views/transcript/text.tsx";
import { GrowingText } from "./growing-text.ts";
import "../styles/prose.css";

/** A text in Markdown. HTML in it is shown as text. */
export function Prose({ text }: { text: string }) {
  const [growing] = useState(() => new GrowingText());
  const { sections, rest } = growing.read(text);
  return (
    <div class="prose">
      {sections.map((source, index) => (
        <Section key={index} source={source} />
      ))}
      {rest !== "" && (
        <p>
          <Marked text={rest} />
        </p>
      )}
    </div>
  );
}

/** A section is parsed only once, even if the text grows. */
function Section({ source }: { source: string }) {
  return useMemo(() => <>{readSection(source).map(blockElement)}</>, [source]);
}

export function blockElement(block: Block): VNode {
  switch (block.type) {
    case "paragraph":
      return <p>{inlineElements(block.content)}</p>;
    case "heading":
      return headingElement(block.level, inlineElements(block.content));
    case "code":
      return <Code text={block.text} label={`Code ${block.language}`.trim()} />;
    case "quote":
      return <blockquote>{block.blocks.map(blockElement)}</blockquote>;
    case "list":
      return listElement(block);
    case "table":
      return tableElement(block);
    case "rule":
      return <hr />;
  }
}

/** Headings in a text rank below the headings of the page. */
function headingElement(level: number, children: ComponentChildren): VNode {
  if (level <= 1) return <h4>{children}</h4>;
  return level === 2 ? <h5>{children}</h5> : <h6>{children}</h6>;
}

function listElement({ start, items }: Extract<Block, { type: "list" }>): VNode {
  const elements = items.map(({ isDone, blocks }) => (
    <li class={isDone === undefined ? undefined : "box"}>
      {isDone !== undefined && <span class="sign">{isDone ? "☑" : "☐"}</span>}
      {blocks.map(blockElement)}
    </li>
  ));
  return start === undefined ? <ul>{elements}</ul> : <ol start={start}>{elements}</ol>;
}

function tableElement({ alignments, rows }: Extract<Block, { type: "table" }>): VNode {
  const [head = [], ...body] = rows;
  const alignment = (column: number) => `align-${alignments[column] ?? "left"}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable without a mouse.
    <section class="table" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th class={alignment(column)}>{inlineElements(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr>
              {row.map((cell, column) => (
                <td class={alignment(column)}>{inlineElements(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function inlineElements(content: readonly Inline[]): VNode[] {
  return content.map(inlineElement);
}

function inlineElement(inline: Inline): VNode {
  switch (inline.type) {
    case "text":
      return <Marked text={inline.text} />;
    case "break":
      return <br />;
    case "code":
      return (
        <code>
          <Marked text={inline.text} />
        </code>
      );
    case "bold":
      return <strong>{inlineElements(inline.content)}</strong>;
    case "italic":
      return <em>{inlineElements(inline.content)}</em>;
    case "strike":
      return <del>{inlineElements(inline.content)}</del>;
    case "link":
      return linkElement(inline);
  }
}

/** Only web and mail addresses can be opened; the target of a link is always shown. */
function linkElement(link: Extract<Inline, { type: "link" }>): VNode {
  const words = inlineElements(link.content);
  const url = safeUrl(link.url);
  const target = targetOf(link);
  return (
    <>
      {url === undefined ? (
        words
      ) : (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {words}
        </a>
      )}
      {target !== undefined && (
        <span class="target">
          {" ("}
          <Marked text={target} />)
        </span>
      )}
    </>
  );
}
