/** What was typed into the one field of the page "Find". */
import { to } from '../../addresses.js';

export type Recognised =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'address'; readonly email: string }
  | { readonly kind: 'page'; readonly what: string; readonly address: string }
  | { readonly kind: 'unknown' };

const pagesOfIds = [
  ['con', 'the contact', '/contacts'],
  ['eml', 'the e-mail', '/emails'],
  ['lst', 'the list', '/lists'],
  ['tag', 'the tag', '/tags'],
] as const;

export function recognise(typed: string): Recognised {
  const text = typed.trim();
  if (text === '') return { kind: 'nothing' };
  if (text.includes('@')) return { kind: 'address', email: text };
  for (const [prefix, what, page] of pagesOfIds)
    if (new RegExp(`^${prefix}_[0-9A-Za-z]{26}$`).test(text)) return { kind: 'page', what, address: to(page, text) };
  if (/^\d+$/.test(text))
    return {
      kind: 'page',
      what: 'the event at this position',
      address: to('/log', text.replace(/^0+(?=.)/, '')),
    };
  if (/^[\w.-]{1,128}$/.test(text))
    return { kind: 'page', what: 'what this request did', address: to('/log', undefined, { request: text }) };
  return { kind: 'unknown' };
}
