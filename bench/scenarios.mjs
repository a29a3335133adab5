// The requests of each scenario, as bytes ready for the wire.

/** parameters: { key, listId, emails and ids (existing contacts), tags, run (makes addresses unique) } → a function that yields the next request. */
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
  const email = () => emails[count % emails.length];
  const requests = {
    echo: () => post('/echo', contact(`p${run}-${count}@example.com`)),
    create: () => post(`/v1/contacts/${listId}/create`, contact(`p${run}-${count}@example.com`)),
    getList: () => get(`/v1/lists/${listId}`),
    getContact: () => get(`/v1/contacts/${listId}/${ids[count % ids.length]}`),
    getPage: () => get(`/v1/contacts/${listId}?limit=50`),
    /** Half writes, half reads of other contacts. */
    mixed: () => (count % 2 === 0 ? requests.create() : requests.getContact()),
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
