// The requests of each scenario, as bytes ready for the wire.

/** parameters: { key, listId, emails (existing contacts), tags, run (makes addresses unique) } → a function that yields the next request. */
export function requestsOf(scenario, parameters) {
  let count = parameters.start ?? 0;
  const { key, listId, emails = [], tags = [], run } = parameters;
  const post = (path, body) => {
    const text = JSON.stringify(body);
    return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  const contact = (email) => ({
    email,
    status: 'Subscribed',
    data: { firstName: 'Ann', lastName: 'Example', city: 'Bern' },
  });
  const email = () => emails[count % emails.length];
  const next = {
    echo: () => post('/echo', contact(`p${run}-${count}@example.com`)),
    create: () => post(`/v1/contacts/${listId}/create`, contact(`p${run}-${count}@example.com`)),
    getList: () => `GET /v1/lists/${listId} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    upsert: () =>
      post(`/v1/contacts/${listId}/upsertcontact`, { ...contact(email()), data: { firstName: `Ann ${run} ${count}` } }),
    updateStatus: () =>
      post(`/v1/contacts/${listId}/updatestatus`, {
        // Every round over the contacts turns the status around, so that each request writes.
        status: Math.floor(count / emails.length) % 2 === 0 ? 'Unsubscribed' : 'Subscribed',
        contact_email: email(),
      }),
    tagsAdd: () =>
      post(`/v1/contacts/tags/${listId}/add`, {
        tag_name: [tags[Math.floor(count / emails.length) % tags.length]],
        contact_email: email(),
      }),
  }[scenario];
  return () => {
    const request = next();
    count += 1;
    return request;
  };
}
