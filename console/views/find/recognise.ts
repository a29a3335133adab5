/** What was typed into the one field of the page "Find". */
import { to } from '../../addresses.js';

export type Recognised =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'address'; readonly email: string }
  | { readonly kind: 'page'; readonly what: string; readonly address: string }
  /** The beginning of a name or an address. `request`: it may be the id of one, too; the address of what that did. */
  | { readonly kind: 'text'; readonly text: string; readonly request: string | undefined };

const pagesOfIds = [
  ['con', 'the contact', '/contacts'],
  ['eml', 'the e-mail', '/emails'],
  ['lst', 'the list', '/lists'],
  ['tag', 'the tag', '/tags'],
] as const;

export function recognise(typed: string): Recognised {
  const text = typed.trim();
  if (text === '') return { kind: 'nothing' };
  if (/@[^@]+\.[^@.]{2,}$/.test(text)) return { kind: 'address', email: text };
  for (const [prefix, what, page] of pagesOfIds)
    if (new RegExp(`^${prefix}_[0-9A-Za-z]{26}$`).test(text)) return { kind: 'page', what, address: to(page, text) };
  if (/^\d+$/.test(text))
    return {
      kind: 'page',
      what: 'the event at this position',
      address: to('/log', text.replace(/^0+(?=.)/, '')),
    };
  const request = /^[\w.-]{1,128}$/.test(text) ? to('/log', undefined, { request: text }) : undefined;
  // Others may be of a name: that goes into an address only by the link that says so.
  if (request !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    return { kind: 'page', what: 'what this request did', address: request };
  return { kind: 'text', text, request };
}
