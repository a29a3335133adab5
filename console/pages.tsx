/** All pages: where they are, who may open them, and what is in the menu. */
import { lazy } from 'preact-iso';
import type { ComponentType } from 'preact';
import { NotLoaded } from './parts/not-loaded.js';
import type { Scope } from './session.js';

interface PageEntry {
  /** Below the console's address. */
  readonly path: string;
  readonly view: ComponentType<{ id?: string }>;
  /** One of them is enough. */
  readonly scopes: readonly Scope[];
  /** Undefined: not in the menu. */
  readonly name?: string;
}

const view = (load: () => Promise<ComponentType<{ id?: string }>>) => lazy(() => load().catch(() => NotLoaded));

export const pages: readonly PageEntry[] = [
  {
    path: '/',
    name: 'Find',
    scopes: ['contacts:read', 'audit:read', 'email:read'],
    view: view(() => import('./views/find.js').then(({ Find }) => Find)),
  },
  {
    path: '/contacts/:id',
    scopes: ['audit:read', 'contacts:read'],
    view: view(() => import('./views/contact.js').then(({ Contact }) => Contact)),
  },
  {
    path: '/lists',
    name: 'Lists',
    scopes: ['lists:read'],
    view: view(() => import('./views/lists.js').then(({ Lists }) => Lists)),
  },
  {
    path: '/lists/:id',
    scopes: ['lists:read'],
    view: view(() => import('./views/list.js').then(({ List }) => List)),
  },
  {
    path: '/tags',
    name: 'Tags',
    scopes: ['tags:read'],
    view: view(() => import('./views/tags.js').then(({ Tags }) => Tags)),
  },
  {
    path: '/tags/:id',
    scopes: ['tags:read'],
    view: view(() => import('./views/tag.js').then(({ Tag }) => Tag)),
  },
  {
    path: '/groups',
    name: 'Groups',
    scopes: ['groups:read'],
    view: view(() => import('./views/groups.js').then(({ Groups }) => Groups)),
  },
  {
    path: '/emails',
    name: 'E-mail',
    scopes: ['email:read'],
    view: view(() => import('./views/emails.js').then(({ Emails }) => Emails)),
  },
  {
    path: '/emails/:id',
    scopes: ['email:read'],
    view: view(() => import('./views/email.js').then(({ EmailPage }) => EmailPage)),
  },
  {
    path: '/log',
    name: 'Log',
    scopes: ['audit:read'],
    view: view(() => import('./views/log.js').then(({ Log }) => Log)),
  },
  {
    path: '/log/:id',
    scopes: ['audit:read'],
    view: view(() => import('./views/event.js').then(({ EventPage }) => EventPage)),
  },
  {
    path: '/service',
    name: 'Service',
    scopes: ['projections', 'metrics'],
    view: view(() => import('./views/service.js').then(({ Service }) => Service)),
  },
  {
    path: '/keys',
    name: 'Keys',
    scopes: ['keys'],
    view: view(() => import('./views/keys.js').then(({ Keys }) => Keys)),
  },
];
