/** The text alternative of an e-mail, from its HTML. */
import { compile, type DomNode, type FormatCallback } from 'html-to-text';

/**
 * At most so much of the HTML goes into the text alternative. It is composed in the thread that answers requests, and
 * each tag costs 5 to 10 µs: docs/decisions/0005-mail-text.md.
 */
const maxTags = 6_000;
const maxTextSource = 256 * 1024;

/** A row is a line. Most tables lay out: what stands alone in its row is a block like any other. */
const row: FormatCallback = ({ children = [] }, walk, builder) => {
  const cells = children.filter(({ type, data = '' }) => type === 'tag' || data.trim() !== '');
  const breaks = { leadingLineBreaks: 1, trailingLineBreaks: 1 };
  if (cells.length < 2) {
    builder.openBlock(breaks);
    walk(cells, builder);
    return builder.closeBlock(breaks);
  }
  builder.openTable();
  builder.openTableRow();
  for (const cell of cells) {
    builder.openTableCell();
    walk([cell], builder);
    builder.closeTableCell();
  }
  builder.closeTableRow();
  builder.closeTable({ ...breaks, tableToString: (rows) => joined(rows.flat().map(({ text }) => text.trim())) });
};

/** Cells of one line stand side by side, larger ones below each other. */
function joined(cells: readonly string[]): string {
  const [first = '', ...others] = cells.filter((text) => text !== '');
  let last = first;
  return others.reduce((text, cell) => {
    const both = last + cell;
    last = cell;
    return text + (both.includes('\n\n') ? '\n\n' : both.includes('\n') ? '\n' : '   ') + cell;
  }, first);
}

/** What an image says to those who do not see it. The library would add its address, and in a link run into that of the link. */
const alt: FormatCallback = ({ attribs }: Image, _walk, builder) => builder.addInline(attribs?.alt ?? '');

interface Image {
  readonly attribs?: { readonly alt?: string };
}

/**
 * Writes the address of a link after its text, with a space before the text that follows. Uses no brackets, because some mail
 * programs take a bracket for part of the address.
 */
const link: FormatCallback = (element: Link, walk, builder) => {
  const href = (element.attribs?.href ?? '').replace(/^mailto:/i, '');
  let text = '';
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  if (href === '' || href.startsWith('#')) return;
  if (href !== text) builder.addInline(text === '' ? href : ` ${href}`, { noWordTransform: true });
  if (!/^[.,;:!?)]/.test(element.next?.data ?? '')) builder.addInline(' ');
};

interface Link extends DomNode {
  readonly attribs?: { readonly href?: string };
  readonly next?: DomNode | null;
}

const toText = compile({
  wordwrap: 78,
  limits: { maxDepth: 100, ellipsis: '…' },
  formatters: { row, alt, link },
  selectors: [
    { selector: 'img', format: 'alt' },
    { selector: 'caption', format: 'block' },
    { selector: 'tr', format: 'row' },
    // For cells without a row: a row takes the space off.
    ...['* + td', '* + th'].map((selector) => ({ selector, format: 'inlineSurround', options: { prefix: ' ' } })),
    { selector: 'a', format: 'link' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The text alternative. Ends in `[…]` where the HTML was too much to be read whole. */
export function plainText(html: string): string {
  const end = readableEnd(html);
  const text = convert(html.slice(0, end));
  return end < html.length ? `${text}\n\n[…]` : text;
}

/** Lists and quotes indent each of their lines, once for each that they stand in: the largest number of indentations. */
const maxIndentations = 200_000;

function convert(html: string): string {
  const nesting = Math.min(100, count(html, /<(?:ul|ol|blockquote)\b/gi));
  if (nesting * count(html, /\n|<(?:br|p|div|li|tr)\b/gi) > maxIndentations) return stripped(html);
  try {
    return toText(html);
  } catch {
    // The text is an extra: no oddity in the HTML may keep the e-mail from being sent.
    return stripped(html);
  }
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function stripped(html: string): string {
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}

function readableEnd(html: string): number {
  let tag = -1;
  for (let tags = 0; tags <= maxTags; tags += 1) {
    tag = html.indexOf('<', tag + 1);
    if (tag < 0 || tag > maxTextSource) return Math.min(html.length, maxTextSource);
  }
  return tag;
}
