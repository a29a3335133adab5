// The requests of each scenario, as bytes ready for the wire.

const paragraph = '<p>Your order has been <b>sent</b>; it should reach you on Thursday.</p>\n';

/** The address of an existing contact. */
export const knownEmail = (index) => `known${index}@example.com`;

/**
 * Returns an index that visits all `size` items once before it repeats one, in an order far from the order of creation.
 * The step is a prime that does not divide the sizes in use.
 */
const spread = (count, size) => (count * 61_993) % size;

/** parameters: { key, listId, emails and ids (existing contacts), tags, run (makes addresses unique), start } → a function that yields the next request. */
export function requestsOf(scenario, parameters) {
  let count = parameters.start ?? 0;
  const { key, listId, emails = [], ids = [], tags = [], run } = parameters;
  const post = (path, body) => {
    const text = JSON.stringify(body);
    return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  const get = (path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const contact = (email) => ({
    email,
    status: 'Subscribed',
    data: { firstName: 'Ann', lastName: 'Example', city: 'Bern' },
  });
  const email = () => emails[spread(count, emails.length)];
  const requests = {
    echo: () => post('/echo', contact(`p${run}-${count}@example.com`)),
    /** Creates the contacts that the other scenarios read and change. */
    seed: () => post(`/v1/contacts/${listId}/create`, contact(knownEmail(count))),
    create: () => post(`/v1/contacts/${listId}/create`, contact(`p${run}-${count}@example.com`)),
    getList: () => get(`/v1/lists/${listId}`),
    getContact: () => get(`/v1/contacts/${listId}/${ids[spread(count, ids.length)]}`),
    getPage: () => get(`/v1/contacts/${listId}?limit=50`),
    /** Half writes, half reads of other contacts. */
    mixed: () => (count % 2 === 0 ? requests.create() : requests.getContact()),
    send: () =>
      post('/v1/email/send', {
        from_email: 'Shop <shop@example.org>',
        to_email: email(),
        subject: `Order ${run} ${count}`,
        mail_template: `<h1>Thank you</h1>\n${paragraph.repeat(10)}`,
      }),
    upsert: () =>
      post(`/v1/contacts/${listId}/upsertcontact`, { ...contact(email()), data: { firstName: `Ann ${run} ${count}` } }),
    updateStatus: () =>
      post(`/v1/contacts/${listId}/updatestatus`, {
        // Every round over the contacts turns the status around, so that each request writes.
        status: Math.floor(count / emails.length) % 2 === 0 ? 'Unsubscribed' : 'Subscribed',
        contact_email: email(),
      }),
    /** One round over the contacts adds a tag, the next takes it away: each request writes, and no contact has many. */
    tagsAdd: () => {
      const round = Math.floor(count / emails.length);
      return post(`/v1/contacts/tags/${listId}/${round % 2 === 0 ? 'add' : 'remove'}`, {
        tag_name: [tags[Math.floor(round / 2) % tags.length]],
        contact_email: email(),
      });
    },
  };
  const next = requests[scenario];
  return () => {
    const request = next();
    count += 1;
    return request;
  };
}
