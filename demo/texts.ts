/** What the shop writes to people. */
import type { EmailMessage } from '../src/commands/email-commands.js';
import type { Person } from './people.js';
import { listNames, sender, shopName, type ListKey } from './shop.js';

type Message = Omit<EmailMessage, 'to_email'>;

const page = (...parts: readonly string[]): string =>
  `<p>Hello {{first_name}},</p>\n${parts.join('\n')}\n<p>${shopName}</p>`;

const toSubscribers = (...parts: readonly string[]): string =>
  `${page(...parts)}\n<p><small>You get this because you are subscribed. <a href="{{{unsubscribe_url}}}">No more of these</a>.</small></p>`;

const named = ({ firstName }: Person, more: Readonly<Record<string, unknown>> = {}) => ({
  first_name: firstName,
  ...more,
});

export const welcome = (person: Person): Message => ({
  from_email: sender('hello'),
  subject: `Welcome to ${shopName}`,
  mail_template: page(
    '<p>Good to have you with us. Every Thursday we write about what can be sown, cut and picked now.</p>',
    '<p>Until then: our <a href="https://www.marrow-thyme.example/first-steps">first steps for a new bed</a>.</p>',
  ),
  variables: named(person),
});

export const orderReceived = (person: Person, order: string, items: readonly string[]): Message => ({
  from_email: sender('orders'),
  subject: `Your order ${order}`,
  mail_template: page(
    '<p>Thank you for your order <b>{{order}}</b>. We are packing:</p>',
    '<ul>{{#items}}<li>{{.}}</li>{{/items}}</ul>',
  ),
  variables: named(person, { order, items }),
});

export const orderSent = (person: Person, order: string): Message => ({
  from_email: sender('orders'),
  subject: `Your order ${order} is on its way`,
  mail_template: page('<p>Your parcel left us today. Plants travel badly, so please unpack them at once.</p>'),
  variables: named(person, { order }),
});

export const newPassword = (person: Person, link: string): Message => ({
  from_email: sender('accounts'),
  subject: 'Choose a new password',
  mail_template: page('<p><a href="{{link}}">Choose a new password</a>. The link holds for an hour.</p>'),
  variables: named(person, { link }),
});

export const goods = [
  'Tomato “Black Cherry”, 10 seeds',
  'Sweet pea “Matucana”, 25 seeds',
  'Peat-free compost, 40 l',
  'Rosemary, 1 l pot',
  'Climbing rose “Ena”, bare root',
  'Garlic for planting, 3 bulbs',
  'Bird feeder, oak',
  'Copper hand fork',
  'Seed potatoes “Pink Fir”, 2 kg',
  'Gift card, 25.00',
] as const;

const letters: Partial<Record<ListKey, readonly (readonly [subject: string, text: string])[]>> = {
  seeds: [
    ['Seed club: what to sow this month', 'This month’s packets are in the post. Sow the flat ones on edge.'],
    ['Seed club: swap your spare seeds', 'Send us what you saved, and choose from what others did.'],
    ['Seed club: the vote is open', 'Which three varieties shall we grow on? You decide until Sunday.'],
  ],
  trade: [
    ['Trade prices for next month', 'The new price list is ready; trays of 40 are down by 8 per cent.'],
    ['Trade: delivery days', 'From next week we deliver on Tuesdays and Fridays.'],
  ],
  stock: [
    ['It is here again', 'What you waited for is on the shelf again. We keep one for you until tomorrow evening.'],
    ['Back in stock', 'A new delivery has come. It went within two days the last time.'],
  ],
  workshops: [
    ['Workshops: the next dates', 'Grafting, pruning and willow baskets: twelve places each.'],
    ['Workshops: a place has become free', 'Somebody cannot come. First to answer has the place.'],
  ],
  walks: [['Next Sunday: a walk through three gardens', 'We meet at ten at the old gate. Dogs are welcome.']],
  roses: [
    ['Rose friends: pruning time', 'The forsythia is out, so take your secateurs. A drawing shows where to cut.'],
  ],
  openHouse: [
    ['You are invited', 'On Saturday our greenhouses are open, and there is soup.'],
    ['Open house: how to find us', 'Take the bus to The Green. There are few places to park.'],
  ],
  prizeDraw: [['The winners of our prize draw', 'Three of you have won a greenhouse. Are you one of them?']],
};

/** The `issue`-th e-mail to the subscribers of a list. */
export function letterTo(person: Person, list: ListKey, issue: number): Message {
  const some = letters[list] ?? [[`News of ${listNames[list]}`, 'There is something new on our website.']];
  const [subject, text] = some[issue % some.length] ?? ['', ''];
  return {
    from_email: sender('news'),
    subject,
    mail_template: toSubscribers(`<p>${text}</p>`),
    variables: named(person),
  };
}
