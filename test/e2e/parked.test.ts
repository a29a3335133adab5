/** Reads of contacts while the events of one of them cannot be folded: what the view last knew of it may be wrong by now. */
import { expect, test } from 'vitest';
import { startAuditedService, type AuditedService } from '../support/audited-service.js';
import { emptyProfile } from '../support/examples.js';

const contact = (contact_id: string, email: string) => ({
  contact_id,
  email,
  ...emptyProfile,
  created_at: '2026-03-01T10:00:00.000Z',
});
const standing = {
  status: 'Subscribed',
  tags: [],
  because: {
    event_id: '6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0009',
    type: 'ContactSubscribed',
    at: '2026-03-01T10:00:00.000Z',
    actor: 'shop',
    request_id: 'order-4711',
    position: '00000000000000000042',
  },
} as const;
const ada = contact('con_1', 'Ada@example.com');
const bob = contact('con_2', 'bob@example.com');
const subscriptions = [{ list_id: 'lst_1', list_name: 'News', ...standing }];

test('pages go without it and say so; by itself it is 503, others are as ever', async () => {
  const parked: { view: string; stream: string }[] = [];
  const service: AuditedService = await startAuditedService({
    parked: () => parked,
    queries: {
      pageContactsOfList: async () => ({ items: [ada, bob].map((one) => ({ ...one, ...standing })) }),
      contactById: async (id) => ({ ...(id === 'con_1' ? ada : bob), subscriptions }),
      contactByStream: async () => ({ ...ada, subscriptions }),
    },
  });
  const page = async () => {
    const answer = (await service.get('/v1/contacts/lst_1')) as { data: { email: string }[]; incomplete?: boolean };
    return { emails: answer.data.map(({ email }) => email), incomplete: answer.incomplete };
  };
  const codes = () =>
    Promise.all(
      ['lst_1/con_1', 'lst_1/con_2', '?email=ada@example.com'].map(
        async (target) => (await service.get(`/v1/contacts/${target}`.replace('/?', '?'))).status,
      ),
    );
  expect(await page()).toEqual({ emails: [ada.email, bob.email], incomplete: undefined });
  expect(await codes()).toEqual([200, 200, 200]);
  parked.push({ view: 'contacts', stream: service.streamOf('ada@example.com') });
  expect(await page()).toEqual({ emails: [bob.email], incomplete: true });
  expect(await codes()).toEqual([503, 200, 503]);
});
