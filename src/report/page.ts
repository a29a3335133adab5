/** What pages that are made to be kept and printed have in common: their head, their style, and what a browser may do with them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Mustache from 'mustache';

const head = readFileSync(new URL('./page-head.mustache', import.meta.url), 'utf8');
const style = /<style>([\s\S]*?)<\/style>/.exec(head)?.[1] ?? '';
const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** Show it, in its own style. */
export const pagePolicy = { styleSrc: [styleHash] };

interface PageView extends Readonly<Record<string, unknown>> {
  readonly title: string;
  readonly answered_at: string;
}

/** The template begins with the partial `head`. */
export const rendered = (template: string, view: PageView): string =>
  Mustache.render(template, { ...view, policy: `default-src 'none'; style-src ${styleHash}` }, { head });
