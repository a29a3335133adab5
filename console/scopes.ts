/** What each scope lets a key do, in words. docs/keys.md has the whole. */
import type { Scope } from './session.js';

export const scopeTexts: Readonly<Record<Scope, string>> = {
  'groups:read': 'see groups',
  'groups:write': 'create, rename and delete groups',
  'lists:read': 'see lists',
  'lists:write': 'create, rename and delete lists',
  'tags:read': 'see tags',
  'tags:write': 'create, rename and delete tags',
  'contacts:read': 'see people: addresses, names, subscriptions',
  'contacts:write': 'save people, their subscriptions and tags',
  'email:read': 'see e-mails and what became of them',
  'email:write': 'send, release and cancel e-mails',
  reports: 'hand over bounces and complaints: for the mail server',
  'suppressions:read': 'see who refuses mail',
  'suppressions:write': 'suppress addresses and release them',
  'audit:read': 'see histories, states at a time, and the log',
  'analytics:read': 'see growth, use and outcomes over time',
  projections: 'see how far views are, and rebuild them',
  metrics: 'read the figures for Prometheus',
  privacy: 'export everything about a person, and erase a person',
  keys: 'create, rotate and revoke API keys',
  clock: 'confirm that the clock of the service is right',
};

export const allScopes = Object.keys(scopeTexts) as Scope[];
