/** The garden shop of the demo, which there is not: its lists, tags and groups, and the programs and people that have a key. */
import type { Scope } from '../src/events/keys.js';

export const shopName = 'Marrow & Thyme';
export const mailDomain = 'marrow-thyme.example';
export const sender = (box: string): string => `${shopName} <${box}@${mailDomain}>`;

/** What the service of the shop is set to, beside what every service has. */
export const mailSettings = {
  MAIL_RETURN_PATH: `bounce@mail.${mailDomain}`,
  MAIL_FROM: sender('hello'),
  /** The shop would rather wait than send anything twice, so some e-mails are in doubt for days. */
  MAIL_IN_DOUBT_AFTER: '1d',
  MAIL_GIVE_UP_AFTER: '5d',
} as const;

export const listNames = {
  newsletter: 'Newsletter',
  offers: 'Seasonal offers',
  seeds: 'Seed club',
  vegetables: 'Vegetable growers',
  roses: 'Rose friends',
  workshops: 'Workshops and talks',
  walks: 'Garden walks',
  trade: 'Trade customers',
  stock: 'Back in stock',
  panel: 'Customer panel',
  app: 'App testers',
  press: 'Press',
  /** These two come and go. */
  openHouse: 'Open house',
  prizeDraw: 'Prize draw',
} as const;
export type ListKey = keyof typeof listNames;
/** From the begin to the end. */
export const lastingLists = [
  ...(['newsletter', 'offers', 'seeds', 'vegetables', 'roses', 'workshops'] as const),
  ...(['walks', 'trade', 'stock', 'panel', 'app', 'press'] as const),
];

export const interests = [
  'tomatoes',
  'roses',
  'herbs',
  'fruit trees',
  'balcony',
  'allotment',
  'indoor plants',
  'wildlife',
  'compost',
  'lawn',
] as const;

export const habits = [
  'first order',
  'repeat customer',
  'VIP',
  'lapsed',
  'click and collect',
  'workshop guest',
  'fair visitor',
  'birthday club',
  'do not phone',
  'complaint open',
  'contest winner',
  'gift card',
  'wholesale',
  'new here',
] as const;
export type TagName = (typeof interests)[number] | (typeof habits)[number];

export const groupNames = ['Marketing', 'Customer care', 'Shop team', 'Trade desk', 'Volunteers', 'Agencies'] as const;

export interface ClientOfShop {
  readonly scopes: readonly Scope[];
  /** Begins its request ids. Absent: it sends none, and the service makes them. */
  readonly requests?: string;
}

/** By the name of its key. */
export const clients = {
  'web-form': { scopes: ['lists:read', 'contacts:write'], requests: 'form' },
  shop: { scopes: ['contacts:write', 'email:write', 'email:read'], requests: 'shop' },
  'crm-import': { scopes: ['lists:read', 'tags:write', 'contacts:read', 'contacts:write'], requests: 'crm' },
  'newsletter-tool': { scopes: ['lists:read', 'contacts:read', 'contacts:write', 'email:write'], requests: 'news' },
  'mail-relay': { scopes: ['reports'], requests: 'relay' },
  support: {
    scopes: [
      ...['lists:read', 'tags:read', 'contacts:read', 'contacts:write', 'email:read', 'email:write'],
      ...['suppressions:read', 'suppressions:write', 'audit:read', 'analytics:read', 'privacy'],
    ] as const,
  },
  analytics: { scopes: ['lists:read', 'tags:read', 'analytics:read', 'audit:read'], requests: 'bi' },
  auditor: { scopes: ['audit:read', 'analytics:read'] },
  'summer-help': { scopes: ['lists:read', 'contacts:read'] },
  'fair-tablet': { scopes: ['lists:read', 'contacts:write'], requests: 'fair' },
} as const satisfies Record<string, ClientOfShop>;
export type ClientName = keyof typeof clients;
