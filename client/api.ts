/** Made by `npm run generate:client` from the OpenAPI document with the SHA-256 e192087920136aeaacf10ea5fcd42aca5b5ee78a291c9ffa94838ee7cb042e82. */
export interface paths {
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A page to read this document, and to try the API
     * @description The page loads all its parts from the service itself.
     */
    get: operations['getDocs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/identity': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Prove that the service has the secret of a data folder
     * @description Answers a nonce with an HMAC-SHA-256 under a key derived from `SECRET`. The HMAC also covers the address, port and certificate at which the request arrived, so that no other process can pass off the answer as its own. The command line calls this endpoint before it sends the API key of a data folder.
     */
    get: operations['getIdentity'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the process runs
     * @description This request does not check the stores. The answer is 200 even while a store is unreachable or the service starts.
     */
    get: operations['getLive'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the service is ready, part by part
     * @description If the service is not ready, the answer is 503 with the same parts in `data`. While the service starts, the answer is 503, and `data.starting` says what the start waits for (`waiting_for`: `event_store`, `read_models` or `checks`) and why (`reason`: `unreachable` or `not_ready`). During this time, all other paths except `/health/live` are also answered with 503.
     */
    get: operations['getReady'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Figures of this process for Prometheus
     * @description In the form that `Accept` asks for: Prometheus text or OpenMetrics. Needs the scope `metrics`.
     */
    get: operations['getMetrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * This document
     * @description Each version of the service has its own.
     */
    get: operations['getOpenApi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/analytics/emails/outcomes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What was requested to be sent, and what became of it
     * @description Needs the scope `analytics:read`.
     */
    get: operations['getEmailOutcomes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/analytics/lists': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * All lists, and how many are subscribed to each
     * @description Needs the scope `analytics:read`.
     */
    get: operations['listListCounts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/analytics/lists/{list_id}/growth': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who joined a list, left it and came back
     * @description Needs the scope `analytics:read`.
     */
    get: operations['getListGrowth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/analytics/tags': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * All tags, and how many bear each
     * @description Needs the scope `analytics:read`.
     */
    get: operations['listTagCounts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/analytics/tags/{tag_id}/use': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How often a tag was attached and detached
     * @description Needs the scope `analytics:read`.
     */
    get: operations['getTagUse'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/access': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who looked: the reads that were recorded
     * @description Oldest first. A page may be shorter than `limit`, or empty, and have a `next_cursor` all the same. Needs the scope `audit:read`.
     */
    get: operations['listReads'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/contacts/{contact}/at': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A contact as it was at a time
     * @description `contact` is an id or an address. Needs the scope `audit:read`.
     */
    get: operations['getContactAt'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/contacts/{contact}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What happened to a contact
     * @description `contact` is an id or an address. Needs the scope `audit:read`.
     */
    get: operations['getContactHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/contacts/{contact}/proof': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A proof of the events of a contact
     * @description `contact` is an id or an address. `data` is a file for `verify.mjs`: the events as they are stored, with their paths to the root of the newest seal that covers all of them. If no seal does, one is made now. It contains no events of other people and no e-mails. Needs the scope `audit:read`.
     */
    get: operations['getContactProof'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/contacts/{contact}/report': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A report about a contact
     * @description `contact` is an id or an address. The answer in one sentence, every change, the e-mails, and how to check it all. As JSON, or with `Accept: text/html` as a page. Needs the scope `audit:read`.
     */
    get: operations['getContactReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/emails/{email_id}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What happened to an e-mail
     * @description Every event of it, and what its recipient did because of it. The oldest first. Needs the scope `audit:read`.
     */
    get: operations['getEmailHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The events of the log, from the first one on
     * @description Needs the scope `audit:read`.
     */
    get: operations['listEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/events/{position}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One event of the log, with its number and its leaf
     * @description Needs the scope `audit:read`.
     */
    get: operations['getEvent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/events/{position}/proof': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A proof of one event
     * @description `data` is a file for `verify.mjs`: the event as it is stored, with its path to the root of the newest seal that covers it. If no seal does, one is made now. Needs the scope `audit:read`.
     */
    get: operations['getEventProof'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/lists/{list_id}/at': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The members of a list as they were at a time
     * @description `list_id` is an id or a name. Needs the scope `audit:read`.
     */
    get: operations['getListAt'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/seals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The seals that the service has kept, and whether they hold
     * @description The seals of the data folder and of SEAL_DIR, newest first: by restores, then events, then number of the seal. Needs the scope `audit:read`.
     */
    get: operations['listSeals'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/clock/confirm': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Trust the clock of the service from now on
     * @description Tells the service that its clock is right. While the clock is not trusted, nothing that cannot be undone depends on it. `GET /health/ready` tells whether the clock is trusted. Needs the scope `clock`.
     */
    post: operations['confirmClock'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Find a contact by its address
     * @description Needs the scope `contacts:read`.
     */
    get: operations['findContact'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/{list_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the contacts of a list
     * @description Needs the scope `contacts:read`.
     */
    get: operations['listContacts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/{list_id}/{contact_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a contact of a list
     * @description Needs the scope `contacts:read`.
     */
    get: operations['getContact'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/{list_id}/bulk': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create or update many contacts
     * @description Each line is a separate upsert. The answer has a line for each line that is not blank, in the same order. It is sent while lines are saved. A body has at most 10 MiB and 200,000 lines that are not blank. Needs the scope `contacts:write`.
     */
    post: operations['saveContacts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/{list_id}/create': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a contact in a list
     * @description An address that exists in any list is refused; upsert brings a known contact into another list. Needs the scope `contacts:write`.
     */
    post: operations['createContact'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/{list_id}/updatestatus': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Change the status of a contact in a list
     * @description Needs the scope `contacts:write`.
     */
    post: operations['updateContactStatus'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/{list_id}/upsertcontact': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a contact, or update it and bring it into the list
     * @description A field that is left out stays, `null` or `""` clears it. Tags are added, never removed. Needs the scope `contacts:write`.
     */
    post: operations['upsertContact'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/search': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Search contacts by the beginning of address or name
     * @description Of the address, the first name, the last name, or both names in either order. Upper case, accents and repeated white space make no difference. It is on record that somebody searched, not for what. Needs the scope `contacts:read`.
     */
    post: operations['searchContacts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/tags/{list_id}/add': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Attach tags to a contact in a list
     * @description Tags that do not exist yet are created. A contact has at most 200 tags in a list. Needs the scope `contacts:write`.
     */
    post: operations['addContactTags'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/contacts/tags/{list_id}/remove': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Detach tags from a contact in a list
     * @description Needs the scope `contacts:write`.
     */
    post: operations['removeContactTags'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/email': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the e-mails
     * @description Needs the scope `email:read`.
     */
    get: operations['listEmails'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/email/{email_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What became of an e-mail
     * @description Needs the scope `email:read`.
     */
    get: operations['getEmail'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/email/{email_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End an e-mail that has not been sent
     * @description Needs the scope `email:write`.
     */
    post: operations['cancelEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/email/{email_id}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send an e-mail again that is held or has failed
     * @description Needs the scope `email:write`.
     */
    post: operations['releaseEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/email/reports': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take a report about an e-mail
     * @description A bounce or a complaint as it was received (RFC 3464, 6533, 5965). A report that is sent again, or that is about no e-mail of this service, changes nothing and is 202, too. Needs the scope `reports`.
     */
    post: operations['takeReport'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/email/send': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send one e-mail
     * @description The answer means: the request is stored durably, and the email will be sent. Its `email_id` is beside `data`. Needs the scope `email:write`.
     */
    post: operations['sendEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/groups': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the groups
     * @description Needs the scope `groups:read`.
     */
    get: operations['listGroups'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/groups/{group_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a group
     * @description Needs the scope `groups:read`.
     */
    get: operations['getGroup'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/groups/{group_id}/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Delete a group
     * @description Needs the scope `groups:write`.
     */
    post: operations['deleteGroupByPost'];
    /**
     * Delete a group
     * @description Needs the scope `groups:write`.
     */
    delete: operations['deleteGroup'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/groups/{group_id}/update': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rename a group
     * @description Needs the scope `groups:write`.
     */
    post: operations['updateGroup'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/groups/create': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a group
     * @description Needs the scope `groups:write`.
     */
    post: operations['createGroup'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the API keys, revoked ones too
     * @description Needs the scope `keys`.
     */
    get: operations['listApiKeys'];
    put?: never;
    /**
     * Create an API key
     * @description The secret is in this answer and in no other. The key ends no later than the one that asks. Needs the scope `keys`.
     */
    post: operations['createApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/keys/{key_id}/revoke': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Refuse an API key from now on, for ever
     * @description Needs the scope `keys`.
     */
    post: operations['revokeApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/keys/{key_id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give an API key a new secret
     * @description The secret is in this answer and in no other. The one before holds for a while, any earlier one ends. Needs the scope `keys`.
     */
    post: operations['rotateApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/keys/self': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The API key of this request
     * @description What this key may do, and until when. Any key may ask.
     */
    get: operations['getOwnApiKey'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/lists': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the lists
     * @description Needs the scope `lists:read`.
     */
    get: operations['listLists'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/lists/{list_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a list
     * @description Needs the scope `lists:read`.
     */
    get: operations['getList'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/lists/{list_id}/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Delete a list
     * @description Needs the scope `lists:write`.
     */
    post: operations['deleteListByPost'];
    /**
     * Delete a list
     * @description Needs the scope `lists:write`.
     */
    delete: operations['deleteList'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/lists/{list_id}/diff': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who joined, left or changed in a list between two times
     * @description `list_id` is an id or a name. Needs the scope `audit:read`.
     */
    get: operations['getListDiff'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/lists/{list_id}/update': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rename a list
     * @description Needs the scope `lists:write`.
     */
    post: operations['updateList'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/lists/create': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a list
     * @description Needs the scope `lists:write`.
     */
    post: operations['createList'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/privacy/erasures': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the erasures
     * @description Needs the scope `privacy`.
     */
    get: operations['listErasures'];
    put?: never;
    /**
     * Erase a person
     * @description Begins to erase all that is stored about an address, whether it is known or not. While an erasure of it is not completed, a second request is that erasure. Needs the scope `privacy`.
     */
    post: operations['requestErasure'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/privacy/erasures/{erasure_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How far an erasure is
     * @description Needs the scope `privacy`.
     */
    get: operations['getErasure'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/privacy/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What is stored about an address
     * @description With `Accept: text/html` a page that can be kept and printed. An address that nothing is known of is answered, too: `known` is false. Needs the scope `privacy`.
     */
    get: operations['exportPerson'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/projections': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How far each view is
     * @description Needs the scope `projections`.
     */
    get: operations['listProjections'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/projections/{name}/rebuild': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rebuild views from the first event
     * @description `name` is a view, several with commas, or `all`. Needs the scope `projections`.
     */
    post: operations['startRebuild'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/projections/rebuild': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The last rebuild, or its progress as server-sent events
     * @description Needs the scope `projections`.
     */
    get: operations['getRebuild'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/suppressions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the addresses that refuse mail
     * @description In no order that means anything. Of an erased person there is no address. Needs the scope `suppressions:read`.
     */
    get: operations['listSuppressions'];
    put?: never;
    /**
     * Refuse mail to an address, or to many
     * @description Takes one address as JSON, or many as NDJSON with at most 10 MiB and 200,000 lines. Each line is answered with a line. The same reason in the same scope is not written twice. Needs the scope `suppressions:write`.
     */
    post: operations['suppress'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/suppressions/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let mail of a scope go to an address again
     * @description Lifts every reason of exactly this scope. What was refused, and who has lifted it, stays in the history. Needs the scope `suppressions:write`.
     */
    post: operations['releaseSuppression'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/suppressions/search': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * What an address refuses, and how it came to that
     * @description Of any address, also one that never was a contact or whose person is erased. The address is in the body, and so in no log of a proxy. Needs the scope `suppressions:read`.
     */
    post: operations['findSuppressions'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tags': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the tags
     * @description Needs the scope `tags:read`.
     */
    get: operations['listTags'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tags/{tag_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Retrieve a tag
     * @description Needs the scope `tags:read`.
     */
    get: operations['getTag'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tags/{tag_id}/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Delete a tag
     * @description Needs the scope `tags:write`.
     */
    post: operations['deleteTagByPost'];
    /**
     * Delete a tag
     * @description Needs the scope `tags:write`.
     */
    delete: operations['deleteTag'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tags/{tag_id}/update': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rename a tag
     * @description Needs the scope `tags:write`.
     */
    post: operations['updateTag'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tags/create': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a tag
     * @description Needs the scope `tags:write`.
     */
    post: operations['createTag'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/views': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The views, and the fields that their documents are found by
     * @description Those that the key may read. Needs the scope of what the view holds.
     */
    get: operations['listViews'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/views/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The documents of a view
     * @description Every other query parameter is a field of an index of the view and the value that it must have: the leading fields of one index. The order is by id. Needs the scope of what the view holds.
     */
    get: operations['listDocuments'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/views/{name}/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A document of a view
     * @description Needs the scope of what the view holds.
     */
    get: operations['getDocument'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AcceptedEmail: {
      /** @description As it was sent. */
      from_email: string;
      /** @description As it was sent. */
      mail_template: string;
      /** @description As it was sent. */
      subject: string;
      /** @description As it was sent. */
      to_email: string;
    };
    /** @description One reason why mail is refused. */
    ActiveSuppression: {
      /** @description The e-mail that it was said about. */
      email_id: string | null;
      reason: components['schemas']['SuppressionReason'];
      /** @description `all`, or the id of a list. */
      scope: string;
      /** Format: date-time */
      since: string;
    };
    AddContactTagsAnswer: {
      data: components['schemas']['AddedTags'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    AddContactTagsRequest: {
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      contact_email: string;
      /**
       * @description Names of tags, 1 to 100.
       * @example [
       *       "Gold",
       *       "Newsletter"
       *     ]
       */
      tag_name: string[];
    };
    /** @description The tags of the request, in their stored spelling. */
    AddedTags: {
      /** @description Id of the first named tag. */
      tag_id: string;
      /** @description The names of all tags of the request. */
      tag_name: string[];
      tags: components['schemas']['Tag'][];
    };
    AddressSuppressions: {
      /** @description What is refused now, the oldest first. */
      active: components['schemas']['ActiveSuppression'][];
      /** @description How it came to that, the oldest first. */
      history: components['schemas']['SuppressionStep'][];
    };
    Alive: {
      alive: boolean;
    };
    /** @description Any answer that reports an error. */
    ApiError: {
      /** @description The documented fields of the body as they were sent, without values of more than 8 KiB. Empty if the body was not read or could not be parsed. */
      data?: {
        [key: string]: unknown;
      };
      /**
       * @description For people. The text may change.
       * @example email is required
       */
      message: string;
      /**
       * @description `Error`.
       * @example Error
       */
      status: string;
      /**
       * Format: int32
       * @description The HTTP status.
       * @example 400
       */
      statusCode: number;
      /**
       * @description For programs. Existing types do not change, but new types may be added. Known types: `conflict`, `duplicate`, `forbidden`, `gone`, `idempotency_conflict`, `internal`, `invalid_json`, `method_not_allowed`, `never_in_list`, `not_configured`, `not_found`, `not_in_list`, `rate_limited`, `suppressed`, `too_large`, `unauthorized`, `unavailable`, `unknown_contact`, `unknown_id`, `unknown_list`, `unsupported_media_type`, `validation_error`.
       * @example validation_error
       */
      type: string;
    };
    ApiKey: {
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      expires_at: string | null;
      /** @description Id of an API key: the actor of what is done with it. */
      key_id: string;
      /**
       * Format: date-time
       * @description To the minute.
       */
      last_used_at: string | null;
      /** @description Name of the key. */
      name: string;
      /**
       * Format: date-time
       * @description Until then the secret before holds, too.
       */
      previous_until: string | null;
      /** Format: date-time */
      revoked_at: string | null;
      /** Format: date-time */
      rotated_at: string | null;
      /** @description What the key may do. */
      scopes: string[];
      /** @description Known: active, expired, revoked. */
      state: string;
    };
    Bounce: {
      /** Format: date-time */
      at: string;
      /** @description As the mail server reported it. */
      enhanced_code: string | null;
      /** @description `hard`: the mailbox or its domain does not exist. `full`: the mailbox is over its quota. `policy`: the server refuses the sender or the message. `other`: everything else. Known: hard, full, policy, other. */
      kind: string;
      /** @description The report came with the proof of the return path. */
      verified: boolean;
    };
    CancelEmailAnswer: {
      data: components['schemas']['ChangedEmail'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ChangedEmail: {
      email_id: string;
      state: components['schemas']['DeliveryState'];
    };
    ChangedStatus: {
      contact_id: string;
      list_id: string;
      status: components['schemas']['SubscriptionStatus'];
    };
    ClockReadiness: {
      /** @description `jumped`: the clock was set within the last ten minutes. `ahead`: the clock is more than a day ahead of the last time that was known to be right. */
      reason?: string;
      /** @description Whether decisions that cannot be undone may depend on the clock. */
      trusted: boolean;
      /**
       * Format: int64
       * @description Seconds until the clock is trusted if it does not jump again.
       */
      trusted_in_seconds?: number;
    };
    Complaint: {
      /** Format: date-time */
      at: string;
      /** @description The report came with the proof of the return path. */
      verified: boolean;
    };
    ConfirmClockAnswer: {
      data: components['schemas']['ConfirmedClock'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ConfirmedClock: {
      /**
       * Format: date-time
       * @description The time that the clock showed.
       */
      confirmed_at: string;
      trusted: boolean;
    };
    /**
     * Consent
     * @description How the person agreed: evidence for auditors.
     */
    Consent: {
      ip?: string | null;
      legal_basis?: string | null;
      occurred_at?: string | null;
      source?: string | null;
      statement?: string | null;
    };
    ConsentAt: {
      because: components['schemas']['Evidence'];
      /** @description IPv4 or IPv6. */
      ip?: string;
      /** @description Why the data may be used. */
      legal_basis?: string;
      /**
       * Format: date-time
       * @description When the person agreed.
       */
      occurred_at?: string;
      /** @description Where the person agreed. */
      source?: string;
      /** @description What the person agreed to, as it was shown. */
      statement?: string;
    };
    /** @description A contact as it was at a time, with the reason of each fact. */
    ContactAt: components['schemas']['ContactAtWithSubscriptions'] | components['schemas']['ContactAtInList'];
    /** @description With `list_id`. */
    ContactAtInList: {
      /** Format: date-time */
      answered_at: string;
      /** @description Null: the address had no contact. */
      contact_id: string | null;
      /**
       * Format: int64
       * @description Number of events in the log, up to `position`. Null if the newest events have not been counted yet.
       */
      count: number | null;
      /** Format: date-time */
      created_at: string | null;
      /** @description The erasure that ended the contact before the time. Absent if the contact existed then, or had not been created. */
      erased?: components['schemas']['Evidence'];
      /** @description Null: the event that would tell may be unreadable. */
      existed: boolean | null;
      /** @description A time that was asked for had not come: until then the answer may change. */
      future?: boolean;
      /** @description Which list was taken for a name. */
      list_note?: string;
      /** @description Every contact that the address has had, oldest first, whatever time or contact the request names. A person who was erased and came back is a new contact. */
      lives: components['schemas']['ContactLife'][];
      /**
       * Format: uuid
       * @description Null: nothing was ever written to the log.
       */
      log_id: string | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change?: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      /** @description Position of the last event of the log when the question was answered. */
      position: string;
      profile: components['schemas']['ProfileAt'] | null;
      /** @description The newest seal that covers every event in the answer. Null if no seal covers them yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
      subscription: components['schemas']['SubscriptionAt'];
      /** Format: date-time */
      time: string;
      /** @description Events at or before the time that cannot be read. Absent where there are none. */
      unreadable?: components['schemas']['UnreadableEvent'][];
    };
    ContactAtWithSubscriptions: {
      /** Format: date-time */
      answered_at: string;
      /** @description Null: the address had no contact. */
      contact_id: string | null;
      /**
       * Format: int64
       * @description Number of events in the log, up to `position`. Null if the newest events have not been counted yet.
       */
      count: number | null;
      /** Format: date-time */
      created_at: string | null;
      /** @description The erasure that ended the contact before the time. Absent if the contact existed then, or had not been created. */
      erased?: components['schemas']['Evidence'];
      /** @description Null: the event that would tell may be unreadable. */
      existed: boolean | null;
      /** @description A time that was asked for had not come: until then the answer may change. */
      future?: boolean;
      /** @description Which list was taken for a name. */
      list_note?: string;
      /** @description Every contact that the address has had, oldest first, whatever time or contact the request names. A person who was erased and came back is a new contact. */
      lives: components['schemas']['ContactLife'][];
      /**
       * Format: uuid
       * @description Null: nothing was ever written to the log.
       */
      log_id: string | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change?: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      /** @description Position of the last event of the log when the question was answered. */
      position: string;
      profile: components['schemas']['ProfileAt'] | null;
      /** @description The newest seal that covers every event in the answer. Null if no seal covers them yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
      subscriptions: components['schemas']['SubscriptionAt'][];
      /** Format: date-time */
      time: string;
      /** @description Events at or before the time that cannot be read. Absent where there are none. */
      unreadable?: components['schemas']['UnreadableEvent'][];
    };
    ContactInList: {
      address: string | null;
      because: components['schemas']['EventReference'];
      city: string | null;
      contact_id: string;
      country: string | null;
      /** Format: date-time */
      created_at: string;
      dateOfBirth: string | null;
      /** @description The e-mail address. */
      email: string;
      firstName: string | null;
      lastName: string | null;
      phone: string | null;
      state: string | null;
      status: components['schemas']['SubscriptionStatus'];
      /** @description The tags of the contact in this list, by id. */
      tags: components['schemas']['Tag'][];
      zipcode: string | null;
    };
    ContactInListWithSubscriptions: {
      address: string | null;
      because: components['schemas']['EventReference'];
      city: string | null;
      contact_id: string;
      country: string | null;
      /** Format: date-time */
      created_at: string;
      dateOfBirth: string | null;
      /** @description The e-mail address. */
      email: string;
      firstName: string | null;
      lastName: string | null;
      phone: string | null;
      state: string | null;
      status: components['schemas']['SubscriptionStatus'];
      /** @description The lists that the contact is in, by id. */
      subscriptions: components['schemas']['Subscription'][];
      /** @description The tags of the contact in this list, by id. */
      tags: components['schemas']['Tag'][];
      zipcode: string | null;
    };
    /** @description A contact that an address has or had, from its creation to its erasure. */
    ContactLife: {
      /** @description Null if no readable event names the contact. */
      contact_id: string | null;
      /** @description The event that created the contact. Null if it cannot be read. */
      created: components['schemas']['EventReference'] | null;
      /**
       * Format: date-time
       * @description When the contact was created. Null if the event cannot be read.
       */
      created_at: string | null;
      /** @description The event that erased the contact. Null if the contact was not erased. */
      erased: components['schemas']['EventReference'] | null;
      /**
       * Format: date-time
       * @description When the contact was erased. Null if it was not erased.
       */
      erased_at: string | null;
      /** @description The erasure that ended the contact. */
      erasure_id: string | null;
    };
    ContactLine: {
      address?: string | null;
      city?: string | null;
      consent?: components['schemas']['ContactLineConsent'] | null;
      country?: string | null;
      /** @description Profile fields and consent may stand here instead of beside `email`. */
      data?: components['schemas']['ContactLineNestedProfile'] | null;
      dateOfBirth?: string | null;
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      email: string;
      firstName?: string | null;
      lastName?: string | null;
      /** @description Ignored. */
      message?: unknown;
      phone?: string | null;
      state?: string | null;
      /** @description Any letter case is accepted. */
      status: components['schemas']['SubscriptionStatus'];
      tag_name?: string[] | null;
      zipcode?: string | null;
    };
    /**
     * ContactLineConsent
     * @description How the person agreed: evidence for auditors.
     */
    ContactLineConsent: {
      ip?: string | null;
      legal_basis?: string | null;
      occurred_at?: string | null;
      source?: string | null;
      statement?: string | null;
    };
    /** ContactLineNestedProfile */
    ContactLineNestedProfile: {
      address?: string | null;
      city?: string | null;
      consent?: components['schemas']['ContactLineConsent'] | null;
      country?: string | null;
      dateOfBirth?: string | null;
      firstName?: string | null;
      lastName?: string | null;
      phone?: string | null;
      state?: string | null;
      zipcode?: string | null;
    };
    ContactList: {
      list_id: string;
      /** @description Name of the list, as it was given. */
      list_name: string;
    };
    ContactWithSubscriptions: {
      address: string | null;
      city: string | null;
      contact_id: string;
      country: string | null;
      /** Format: date-time */
      created_at: string;
      dateOfBirth: string | null;
      /** @description The e-mail address. */
      email: string;
      firstName: string | null;
      lastName: string | null;
      phone: string | null;
      state: string | null;
      /** @description The lists that the contact is in, by id. */
      subscriptions: components['schemas']['Subscription'][];
      zipcode: string | null;
    };
    CreateApiKeyAnswer: {
      data: components['schemas']['CreatedApiKey'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    CreateApiKeyRequest: {
      expires_at?: string | null;
      /**
       * @description At most 255 characters; trimmed.
       * @example Shop
       */
      name: string;
      /**
       * @description What the key may do. Only scopes that the key of the request has itself.
       * @example [
       *       "contacts:read",
       *       "contacts:write"
       *     ]
       */
      scopes: components['schemas']['Scope'][];
    };
    CreateContactAnswer: {
      data: components['schemas']['SavedContact'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    CreateContactRequest: {
      address?: string | null;
      city?: string | null;
      consent?: components['schemas']['Consent'] | null;
      country?: string | null;
      /** @description Profile fields and consent may stand here instead of beside `email`. */
      data?: components['schemas']['NestedProfile'] | null;
      dateOfBirth?: string | null;
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      email: string;
      firstName?: string | null;
      lastName?: string | null;
      /** @description Ignored. */
      message?: unknown;
      phone?: string | null;
      state?: string | null;
      /** @description Any letter case is accepted. */
      status: components['schemas']['SubscriptionStatus'];
      zipcode?: string | null;
    };
    CreatedApiKey: {
      /** Format: date-time */
      expires_at: string | null;
      /** @description Id of an API key: the actor of what is done with it. */
      key_id: string;
      /** @description Name of the key. */
      name: string;
      /** @description Why there is no secret. */
      note?: string;
      /** @description What the key may do. */
      scopes: string[];
      /** @description Shown this once: null in the answer to a repeat. */
      secret: string | null;
    };
    CreateGroupAnswer: {
      data: components['schemas']['Group'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    CreateGroupRequest: {
      /**
       * @description At most 255 characters; trimmed.
       * @example Customers
       */
      group_name: string;
    };
    CreateListAnswer: {
      data: components['schemas']['ContactList'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    CreateListRequest: {
      /**
       * @description At most 255 characters; trimmed.
       * @example Newsletter
       */
      list_name: string;
    };
    CreateTagAnswer: {
      data: components['schemas']['Tag'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    CreateTagRequest: {
      /**
       * @description At most 255 characters; trimmed.
       * @example Gold
       */
      tag_name: string;
    };
    DeletedGroup: {
      group_id: string;
    };
    DeletedList: {
      list_id: string;
    };
    DeletedTag: {
      tag_id: string;
    };
    DeleteGroupAnswer: {
      data: components['schemas']['DeletedGroup'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    DeleteListAnswer: {
      data: components['schemas']['DeletedList'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    DeleteTagAnswer: {
      data: components['schemas']['DeletedTag'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    /**
     * @description What became of an e-mail.
     * @enum {string}
     */
    DeliveryState: 'requested' | 'sending' | 'sent' | 'deferred' | 'failed' | 'in_doubt' | 'held' | 'cancelled';
    /** @description The state of an e-mail. No addresses, no content. */
    Email: {
      /**
       * Format: int64
       * @description How often it was tried.
       */
      attempts: number;
      /** @description What a mail server reported after it had been handed over; the report that says most. */
      bounced: components['schemas']['Bounce'] | null;
      /** @description The recipient called it spam. */
      complained: components['schemas']['Complaint'] | null;
      email_id: string;
      /** @description Reason of the last failure and, where the mail server replied, its codes. */
      last_error: string | null;
      /**
       * Format: date-time
       * @description Null when no attempt is planned, or one runs.
       */
      next_attempt_at: string | null;
      /** Format: date-time */
      requested_at: string;
      /** Format: date-time */
      sent_at: string | null;
      state: components['schemas']['DeliveryState'];
    };
    /** @description An e-mail to this person. */
    EmailOfHistory: {
      email_id: string;
      /** @description As it went out; null to a key without `email:read`. */
      subject: string | null;
    };
    EmailOutcomes: {
      /**
       * Format: date
       * @description First day of the first row.
       */
      from: string;
      /** @description Known: day, week, month. */
      interval: string;
      /** @description One for each interval. */
      rows: components['schemas']['EmailOutcomesRow'][];
      /**
       * Format: date
       * @description Last day of the last row.
       */
      to: string;
    };
    EmailOutcomesRow: {
      /**
       * Format: int64
       * @description Verified reports that an email could not be delivered.
       */
      bounced: number;
      /**
       * Format: int64
       * @description E-mails that were cancelled.
       */
      cancelled: number;
      /**
       * Format: int64
       * @description Verified reports that an email was called spam.
       */
      complained: number;
      /**
       * Format: int64
       * @description Attempts without success that are not the end.
       */
      deferred: number;
      /**
       * Format: int64
       * @description E-mails that were given up.
       */
      failed: number;
      /**
       * Format: date
       * @description First day.
       */
      from: string;
      /**
       * Format: int64
       * @description E-mails that wait for an operator.
       */
      held: number;
      /**
       * Format: int64
       * @description Attempts that perhaps succeeded.
       */
      in_doubt: number;
      /** @description Why: each of these outcomes by its reasons, the most frequent first. Those that did not occur are absent. */
      reasons: components['schemas']['OutcomeReason'][];
      /**
       * Format: int64
       * @description Failed e-mails that were released: `failed` less these are failed still.
       */
      reopened: number;
      /**
       * Format: int64
       * @description E-mails that the API took.
       */
      requested: number;
      /**
       * Format: int64
       * @description E-mails that were handed over.
       */
      sent: number;
      /**
       * Format: date
       * @description Last day.
       */
      to: string;
      /**
       * Format: int64
       * @description Reports of either kind that were not verified.
       */
      unverified: number;
    };
    EmailReportCounts: {
      /** Format: int64 */
      bounced: number;
      /** Format: int64 */
      complained: number;
      /** Format: int64 */
      ignored: number;
      /** Format: int64 */
      known: number;
      /** Format: int64 */
      unmatched: number;
      /** Format: int64 */
      unverified: number;
    };
    EmailStep: {
      /** Format: date-time */
      at: string | null;
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      by: string | null;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string | null;
      /** @description What the mail server answered. */
      response?: string;
      /** @description The event in plain words. */
      summary: string;
      /** @description Name of the event. */
      type: string;
    };
    EndLine: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      line: 'end';
      /** Format: int64 */
      members: number;
      /** @description The newest seal that covers every event in the answer. Null if no seal covers them yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
      /**
       * Format: int64
       * @description Events that could not be read.
       */
      unreadable?: number;
    };
    /** @description It names nobody. */
    Erasure: {
      /** Format: date-time */
      completed_at: string | null;
      /**
       * Format: int64
       * @description Contacts that were erased, 0 or 1. Null until it is completed.
       */
      contacts: number | null;
      /** @description E-mails that were erased. Null until it is completed. */
      emails: number | null;
      erasure_id: string;
      /** @description The code that was given. */
      reason: string | null;
      /** Format: date-time */
      requested_at: string;
      /** @description Known: requested, completed. */
      status: string;
    };
    ErasureOfPerson: {
      /** Format: date-time */
      completed_at: string | null;
      /** @description The contact that it ended; null: there was none. */
      contact_id: string | null;
      /** @description How many e-mails were erased. */
      emails: number | null;
      /** Format: date-time */
      erased_at: string | null;
      /** @description Id of the erasure. */
      erasure_id: string;
      /** @description The code that was given. */
      reason: string | null;
      /** Format: date-time */
      requested_at: string | null;
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      requested_by: string | null;
    };
    ErasuresReadiness: {
      /**
       * Format: int64
       * @description Erasures that cannot be completed yet.
       */
      waiting: number;
      /** @description The first hundred. */
      why: components['schemas']['WaitingErasure'][];
    };
    ErrorOfLine: {
      message: string;
      type: string;
    };
    /** @description An event as it is stored, with its number in the log and its leaf. */
    EventInFull: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor: string | null;
      /**
       * Format: date-time
       * @description Null where the metadata cannot be read; so are the next five.
       */
      at: string | null;
      /** @description Id of the event that caused it, else the correlation id. */
      causation_id: string | null;
      /** @description One id per request. */
      correlation_id: string | null;
      /** @description As stored; a text where it is no JSON. */
      data: unknown;
      /** Format: uuid */
      event_id: string;
      /** @description Leaf of the event in the tree, hex. Null if the event has not been counted yet. */
      leaf: string | null;
      /**
       * Format: int64
       * @description Number of the event in the log. Null if it has not been counted yet.
       */
      ordinal: number | null;
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string | null;
      /**
       * Format: int64
       * @description Place in the stream, from 0.
       */
      revision: number;
      /**
       * Format: int64
       * @description Version of the shape of `data`.
       */
      schema: number | null;
      /** @description The stream that the event stands in. */
      stream: string;
      /** @description Name of the event. */
      type: string;
    };
    /** @description One event, proven to be in the sealed log. */
    EventProof: {
      event: components['schemas']['ProvenEvent'];
      /** @enum {string} */
      format: 'audience-ledger-event/2';
      seal: components['schemas']['Seal'];
    };
    /** @description The event that made it so. */
    EventReference: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor: string;
      /**
       * Format: date-time
       * @description When it happened: never before the event before it in the stream.
       */
      at: string;
      /** Format: uuid */
      event_id: string;
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string;
      /** @description Name of the event. */
      type: string;
    };
    EventStoreReadiness: {
      /** @description A position of the log; empty while nothing is known. */
      head: string | null;
      reachable: boolean;
      writable: boolean;
    };
    /** @description An event: when, by whom, on which request, and where it stands. */
    Evidence: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor: string;
      /**
       * Format: date-time
       * @description When it happened: never before the event before it in the stream.
       */
      at: string;
      /** @description Id of the event that caused it, else the correlation id. */
      causation_id: string;
      /** @description One id per request. */
      correlation_id: string;
      /** Format: uuid */
      event_id: string;
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string;
      /**
       * Format: int64
       * @description Place in the stream, from 0.
       */
      revision: number;
      /** @description The stream that the event stands in. */
      stream: string;
      /** @description The event in plain words. */
      summary: string;
      /** @description Name of the event. */
      type: string;
    };
    ExportedChange: {
      /** @description What it changed in the profile; null: there was no value. */
      changes: components['schemas']['ProfileChange'][];
      event: components['schemas']['HistoryItem'];
    };
    ExportedEmail: {
      email_id: string;
      /** @description What it said is gone. */
      erased: boolean;
      /** @description Null where it is erased or cannot be read. */
      requested: components['schemas']['RequestedEmail'] | null;
      /** @description With the variables filled in. Absent where there are none. */
      sent_as?: components['schemas']['RenderedEmail'];
      /** @description What became of it, the request first. */
      steps: components['schemas']['EmailStep'][];
    };
    ExportPersonAnswer: {
      data: components['schemas']['PersonExport'];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    FailingSeal: {
      /**
       * Format: int64
       * @description Number of sealed events.
       */
      count: number;
      /** @description Why it does not hold. */
      reason: string;
      /** Format: date-time */
      sealed_at: string;
    };
    /** @description An event as it is stored. */
    FeedEvent: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor: string | null;
      /**
       * Format: date-time
       * @description Null where the metadata cannot be read; so are the next five.
       */
      at: string | null;
      /** @description Id of the event that caused it, else the correlation id. */
      causation_id: string | null;
      /** @description One id per request. */
      correlation_id: string | null;
      /** @description As stored; a text where it is no JSON. */
      data: unknown;
      /** Format: uuid */
      event_id: string;
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string | null;
      /**
       * Format: int64
       * @description Place in the stream, from 0.
       */
      revision: number;
      /**
       * Format: int64
       * @description Version of the shape of `data`.
       */
      schema: number | null;
      /** @description The stream that the event stands in. */
      stream: string;
      /** @description Name of the event. */
      type: string;
    };
    FindContactAnswer: {
      data: components['schemas']['ContactWithSubscriptions'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    FindSuppressionsAnswer: {
      data: components['schemas']['AddressSuppressions'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    FindSuppressionsRequest: {
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      email: string;
    };
    FoundContact: {
      address: string | null;
      city: string | null;
      contact_id: string;
      country: string | null;
      /** Format: date-time */
      created_at: string;
      dateOfBirth: string | null;
      /** @description The e-mail address. */
      email: string;
      firstName: string | null;
      lastName: string | null;
      phone: string | null;
      state: string | null;
      zipcode: string | null;
    };
    GetContactAnswer: {
      data: components['schemas']['ContactInListWithSubscriptions'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetContactAtAnswer: {
      data: components['schemas']['ContactAt'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetContactHistoryAnswer: {
      /** Format: date-time */
      answered_at: string;
      /**
       * Format: int64
       * @description Number of events in the log, up to `position`. Null if the newest events have not been counted yet.
       */
      count: number | null;
      data: components['schemas']['HistoryItem'][];
      /** @description The e-mails are complete up to here. Absent with `list_id`. */
      emails_until?: string;
      /** @description A time that was asked for had not come: until then the answer may change. */
      future?: boolean;
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      /** @description Which list was taken for a name. */
      list_note?: string;
      /** @description Every contact that the address has had, oldest first, whatever time or contact the request names. A person who was erased and came back is a new contact. */
      lives: components['schemas']['ContactLife'][];
      /**
       * Format: uuid
       * @description Null: nothing was ever written to the log.
       */
      log_id: string | null;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      /** @description Position of the last event of the log when the question was answered. */
      position: string;
      /** @description The newest seal that covers every event in the answer. Null if no seal covers them yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetContactProofAnswer: {
      data: components['schemas']['Proof'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetContactReportAnswer: {
      data: components['schemas']['Report'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetDocumentAnswer: {
      data: components['schemas']['ViewDocument'];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetEmailAnswer: {
      data: components['schemas']['Email'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetEmailHistoryAnswer: {
      /** Format: date-time */
      answered_at: string;
      /**
       * Format: int64
       * @description Number of events in the log, up to `position`. Null if the newest events have not been counted yet.
       */
      count: number | null;
      data: components['schemas']['HistoryItem'][];
      /** @description A time that was asked for had not come: until then the answer may change. */
      future?: boolean;
      /** @description Which list was taken for a name. */
      list_note?: string;
      /**
       * Format: uuid
       * @description Null: nothing was ever written to the log.
       */
      log_id: string | null;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      /** @description Position of the last event of the log when the question was answered. */
      position: string;
      /** @description The newest seal that covers every event in the answer. Null if no seal covers them yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetEmailOutcomesAnswer: {
      data: components['schemas']['EmailOutcomes'];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetErasureAnswer: {
      data: components['schemas']['Erasure'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetEventAnswer: {
      data: components['schemas']['EventInFull'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetEventProofAnswer: {
      data: components['schemas']['EventProof'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetGroupAnswer: {
      data: components['schemas']['Group'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetIdentityAnswer: {
      data: components['schemas']['Identity'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetListAnswer: {
      data: components['schemas']['ContactList'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetListGrowthAnswer: {
      data: components['schemas']['ListGrowth'];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetLiveAnswer: {
      data: components['schemas']['Alive'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetOwnApiKeyAnswer: {
      data: components['schemas']['OwnApiKey'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetReadyAnswer: {
      data: components['schemas']['Readiness'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetRebuildAnswer: {
      data: components['schemas']['Rebuild'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetTagAnswer: {
      data: components['schemas']['Tag'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    GetTagUseAnswer: {
      data: components['schemas']['TagUse'];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    Group: {
      group_id: string;
      /** @description Name of the group, as it was given. */
      group_name: string;
    };
    /** @description An event of a contact, of its lists and tags, or of an e-mail to it. What does not apply is absent. */
    HistoryEvent: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor: string;
      /**
       * Format: date-time
       * @description When it happened: never before the event before it in the stream.
       */
      at: string;
      /** @description Id of the event that caused it, else the correlation id. */
      causation_id: string;
      consent?: components['schemas']['RecordedConsent'];
      /** @description Null where nothing says whose it is. */
      contact_id: string | null;
      /** @description One id per request. */
      correlation_id: string;
      /** @description The event in full, as docs/events.md has it; of an e-mail without its text. */
      data: {
        [key: string]: unknown;
      };
      email?: components['schemas']['EmailOfHistory'];
      /** Format: uuid */
      event_id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'event';
      list?: components['schemas']['ListThenAndNow'];
      /** @description On an event of a tag: the lists in which the contact bore it. */
      list_ids?: string[];
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description Null on the first event in a list. */
      previous_status?: components['schemas']['SubscriptionStatus'] | null;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string;
      /**
       * Format: int64
       * @description Place in the stream, from 0.
       */
      revision: number;
      /** @description Null when the list was deleted. */
      status?: components['schemas']['SubscriptionStatus'] | null;
      /** @description The stream that the event stands in. */
      stream: string;
      /** @description The event in plain words. */
      summary: string;
      tags?: components['schemas']['TagThenAndNow'][];
      /** @description Name of the event. */
      type: string;
      /** @description It was written after the deletion and changed nothing. */
      without_effect?: boolean;
    };
    HistoryItem: components['schemas']['HistoryEvent'] | components['schemas']['UnreadableHistoryEvent'];
    Identity: {
      /** @description 64 hexadecimal digits. */
      proof: string;
    };
    IntegrityReadiness: {
      /** @description Why events cannot be read back. Null if nothing is wrong. */
      fault: string | null;
      /**
       * Format: date-time
       * @description When. Null if nothing was read back yet.
       */
      read_back_at: string | null;
      /**
       * Format: int64
       * @description Number of events that were read back from the store and found unaltered.
       */
      read_back_count: number;
    };
    KeptAfterErasure: {
      what: string;
      why: string;
    };
    ListApiKeysAnswer: {
      data: components['schemas']['ApiKey'][];
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    /** @description The list, its members, what could not be read, and the end. */
    ListAtLine:
      | components['schemas']['ListLine']
      | components['schemas']['MemberLine']
      | components['schemas']['UnreadableLine']
      | components['schemas']['EndLine'];
    ListContactsAnswer: {
      data: components['schemas']['ContactInList'][];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListCount: {
      list_id: string;
      /** @description Name of the list, as it was given. */
      list_name: string;
      /**
       * Format: int64
       * @description Are subscribed now.
       */
      subscribed: number;
    };
    ListDiffEnd: {
      /** Format: int64 */
      changed: number;
      /** Format: int64 */
      joined: number;
      /** Format: int64 */
      left: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      line: 'end';
      /** @description The newest seal that covers every event in the answer. Null if no seal covers them yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
      /**
       * Format: int64
       * @description Events that could not be read.
       */
      unreadable?: number;
    };
    ListDiffLine: {
      /** Format: date-time */
      answered_at: string;
      /**
       * Format: int64
       * @description Number of events in the log, up to `position`. Null if the newest events have not been counted yet.
       */
      count: number | null;
      /** Format: date-time */
      from: string;
      /** @description A time that was asked for had not come: until then the answer may change. */
      future?: boolean;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      line: 'list';
      list_id: string;
      /** @description At `to`; null before the list was created. */
      list_name: string | null;
      /** @description Which list was taken for a name. */
      list_note?: string;
      /**
       * Format: uuid
       * @description Null: nothing was ever written to the log.
       */
      log_id: string | null;
      /** @description Position of the last event of the log when the question was answered. */
      position: string;
      /** @description At `to`. Known: living, deleted, not_created. */
      state: string;
      /** @description At `from`. Only a living list has members. Known: living, deleted, not_created. */
      state_before: string;
      /** Format: date-time */
      to: string;
    };
    /** @description The list, who differs, what could not be read, and the end. */
    ListDiffLines:
      | components['schemas']['ListDiffLine']
      | components['schemas']['MemberChangeLine']
      | components['schemas']['UnreadableLine']
      | components['schemas']['ListDiffEnd'];
    ListDocumentsAnswer: {
      data: components['schemas']['ViewDocument'][];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListedSuppression: {
      reason: components['schemas']['SuppressionReason'];
      /** @description `all`, or the id of a list. */
      scope: string;
      /** Format: date-time */
      since: string;
    };
    ListedView: {
      /** @description Fields that hold texts and are asked for one of them. */
      array_fields: string[];
      /** @description The fields of each index, in its order. */
      indexes: string[][];
      /** @description Name of the view. */
      name: string;
      /** Format: int64 */
      version: number;
    };
    ListEmailsAnswer: {
      data: components['schemas']['Email'][];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListErasuresAnswer: {
      data: components['schemas']['Erasure'][];
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListEventsAnswer: {
      data: components['schemas']['FeedEvent'][];
      /** @description There is more to read after `next_after`. */
      has_more: boolean;
      /** @description Pass it on as `after`. Empty while there is no event. */
      next_after: string;
      /**
       * Format: int64
       * @description Number of events that were read for this page, whether they matched or not.
       */
      searched: number;
      status: string;
      /** Format: int32 */
      statusCode: number;
      /** @description Number of events in the log. Null if the number is not known. */
      total: number | null;
    };
    ListGroupsAnswer: {
      data: components['schemas']['Group'][];
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListGrowth: {
      /** Format: date-time */
      created_at: string;
      /**
       * Format: date-time
       * @description Null while it exists.
       */
      deleted_at: string | null;
      /**
       * Format: date
       * @description First day of the first row.
       */
      from: string;
      /** @description Known: day, week, month. */
      interval: string;
      list_id: string;
      /** @description Name of the list, as it was given. */
      list_name: string;
      /** @description One for each interval. */
      rows: components['schemas']['ListGrowthRow'][];
      /**
       * Format: date
       * @description Last day of the last row.
       */
      to: string;
    };
    ListGrowthRow: {
      /**
       * Format: int64
       * @description Were subscribed when the person was erased.
       */
      erased: number;
      /**
       * Format: date
       * @description First day.
       */
      from: string;
      /**
       * Format: int64
       * @description Subscribed for the first time.
       */
      joined: number;
      /**
       * Format: int64
       * @description Were subscribed when the list was deleted.
       */
      left_with_list: number;
      /**
       * Format: int64
       * @description `joined` + `resubscribed` − `unsubscribed` − `erased` − `left_with_list`.
       */
      net: number;
      /**
       * Format: int64
       * @description Came back.
       */
      resubscribed: number;
      /**
       * Format: date
       * @description Last day.
       */
      to: string;
      /**
       * Format: int64
       * @description Are subscribed at the end of the interval.
       */
      total: number;
      /**
       * Format: int64
       * @description Left the list.
       */
      unsubscribed: number;
    };
    ListLine: {
      /** Format: date-time */
      answered_at: string;
      /** @description Its creation, last rename or deletion. */
      because: components['schemas']['Evidence'] | null;
      /**
       * Format: int64
       * @description Number of events in the log, up to `position`. Null if the newest events have not been counted yet.
       */
      count: number | null;
      /** @description A time that was asked for had not come: until then the answer may change. */
      future?: boolean;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      line: 'list';
      list_id: string;
      /** @description Null before the list was created. */
      list_name: string | null;
      /** @description Which list was taken for a name. */
      list_note?: string;
      /**
       * Format: uuid
       * @description Null: nothing was ever written to the log.
       */
      log_id: string | null;
      /** @description Position of the last event of the log when the question was answered. */
      position: string;
      /** @description Known: living, deleted, not_created. */
      state: string;
      /** Format: date-time */
      time: string;
    };
    ListListCountsAnswer: {
      data: components['schemas']['ListCount'][];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListListsAnswer: {
      data: components['schemas']['ContactList'][];
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListProjectionsAnswer: {
      data: components['schemas']['ViewState'][];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListReadsAnswer: {
      data: components['schemas']['ReadRecord'][];
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      /**
       * Format: int64
       * @description Number of records that were read for this page, whether they matched or not.
       */
      searched: number;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListSealsAnswer: {
      /**
       * Format: int64
       * @description Number of events in the log. Null if the newest events have not been counted yet.
       */
      count: number | null;
      data: components['schemas']['SealState'][];
      /** @description Why events cannot be read back. Null if nothing is wrong. */
      fault: string | null;
      /** @description The name of the log for itself. */
      log_id: string | null;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      /**
       * Format: date-time
       * @description When. Null if nothing was read back yet.
       */
      read_back_at: string | null;
      /** @description Number of events, from the first one, that were read back from the store and found unaltered. Null on servers. */
      read_back_count: number | null;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListSuppressionsAnswer: {
      data: components['schemas']['Suppression'][];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListTagCountsAnswer: {
      data: components['schemas']['TagCount'][];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListTagsAnswer: {
      data: components['schemas']['Tag'][];
      /** @description The `cursor` of the next page, with the same filters. Absent on the last. */
      next_cursor?: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ListThenAndNow: {
      /**
       * Format: date-time
       * @description Null while it exists.
       */
      deleted_at: string | null;
      list_id: string;
      /** @description The name now; of a deleted one the last. */
      name_now: string;
      /** @description The name when the event was written. */
      name_then: string;
    };
    ListViewsAnswer: {
      data: components['schemas']['ListedView'][];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    LogLines: {
      /** Format: int64 */
      dropped: number;
    };
    MailerReadiness: {
      relay: components['schemas']['Relay'];
      /** Format: int64 */
      running: number;
      worklist_readable: boolean;
    };
    MemberChangeLine: {
      /** @description What made the status so; of who left, what ended the contact. Null: the list was deleted. */
      because: components['schemas']['EventReference'] | null;
      /** @description Known: joined, left, changed. */
      change: string;
      contact_id: string;
      /**
       * Format: date-time
       * @description When the contact was created. Null if this event cannot be read.
       */
      created_at: string | null;
      /** @description As in a list at a time. */
      email: string | null;
      /**
       * Format: date-time
       * @description When the contact was erased, even if this was after the requested time. Null if it was not erased.
       */
      erased_at: string | null;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      line: 'change';
      /** @description At `to`; null: not in the list. */
      status: components['schemas']['SubscriptionStatus'] | null;
      /** @description At `from`; null: not in the list. */
      status_before: components['schemas']['SubscriptionStatus'] | null;
      tags: components['schemas']['Tag'][];
      tags_before: components['schemas']['Tag'][];
    };
    MemberLine: {
      because: components['schemas']['EventReference'];
      contact_id: string;
      /**
       * Format: date-time
       * @description When the contact was created. Null if this event cannot be read.
       */
      created_at: string | null;
      /** @description Null where the person is erased, or the creation of the contact cannot be read. */
      email: string | null;
      /**
       * Format: date-time
       * @description When the contact was erased, even if this was after the requested time. Null if it was not erased.
       */
      erased_at: string | null;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      line: 'member';
      status: components['schemas']['SubscriptionStatus'];
      tags: components['schemas']['Tag'][];
    };
    /** NestedProfile */
    NestedProfile: {
      address?: string | null;
      city?: string | null;
      consent?: components['schemas']['Consent'] | null;
      country?: string | null;
      dateOfBirth?: string | null;
      firstName?: string | null;
      lastName?: string | null;
      phone?: string | null;
      state?: string | null;
      zipcode?: string | null;
    };
    OutcomeReason: {
      /** Format: int64 */
      count: number;
      /** @description Known: deferred, failed, in_doubt, held, bounced, cancelled. */
      outcome: string;
      /** @description A code of docs/events.md; of `bounced` its `hard` or `soft`. */
      reason: string;
    };
    /** @description The API key of the request. */
    OwnApiKey: {
      /**
       * Format: date-time
       * @description Null: a key of the configuration.
       */
      created_at: string | null;
      /** Format: date-time */
      expires_at: string | null;
      /** @description Null: a key of the configuration. Its name is the actor of what is done with it. */
      key_id: string | null;
      /**
       * Format: date-time
       * @description To the minute.
       */
      last_used_at: string | null;
      /** @description Name of the key. */
      name: string;
      /**
       * Format: date-time
       * @description Until then the secret before holds, too.
       */
      previous_until: string | null;
      /** @description Whether the service records reads under the name of the key. See `ACCESS_LOG`. */
      reads_recorded: boolean;
      /** Format: date-time */
      revoked_at: string | null;
      /** Format: date-time */
      rotated_at: string | null;
      /** @description What the key may do. */
      scopes: string[];
      /** @description Known: active, expired, revoked. */
      state: string;
    };
    ParkedStream: {
      /** Format: uuid */
      event_id: string;
      /** @description Name of the event. */
      event_type: string;
      /** @description Of the event that cannot be folded. */
      position: string;
      /** @description Why. Nothing personal. */
      reason: string;
      /** @description A stream that the view no longer folds. */
      stream: string;
    };
    ParkedStreamOfView: {
      /** @description Of the event that cannot be folded. */
      position: string;
      /** @description Why. Nothing personal. */
      reason: string;
      /** @description A stream that the view no longer folds. */
      stream: string;
      /** @description Name of the view. */
      view: string;
    };
    /** @description What is stored about an address: as contact and as recipient of e-mails. */
    PersonExport: {
      /** Format: date-time */
      answered_at: string;
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      asked_by: string;
      /** @description As it is now. Null: the address never had a contact. */
      contact: components['schemas']['ContactAt'] | null;
      /**
       * Format: int64
       * @description Number of events in the log, up to `position`. Null if the newest events have not been counted yet.
       */
      count: number | null;
      /** @description As it was asked for. */
      email: string;
      /** @description In the order of their requests. */
      emails: components['schemas']['ExportedEmail'][];
      /** @description The e-mails are complete up to there. */
      emails_until: string;
      /** @description The erasures of the person, oldest first. `contact.lives` has the contacts. */
      erasures: components['schemas']['ErasureOfPerson'][];
      /** @description A time that was asked for had not come: until then the answer may change. */
      future?: boolean;
      /** @description Every change, oldest first. */
      history: components['schemas']['ExportedChange'][];
      kept_after_erasure: components['schemas']['KeptAfterErasure'][];
      /** @description False: where was searched, nothing is stored about this address, but who looked for it. */
      known: boolean;
      /** @description Which list was taken for a name. */
      list_note?: string;
      /**
       * Format: uuid
       * @description Null: nothing was ever written to the log.
       */
      log_id: string | null;
      /** @description Where something about the person may be all the same, in words. */
      not_searched: string[];
      /** @description Position of the last event of the log when the question was answered. */
      position: string;
      /** @description Who looked at this record, this reading included where reads are recorded. */
      readings: components['schemas']['ReadRecord'][];
      /** @description Mail that does not go to the address, and how it came to that. */
      refused_mail: components['schemas']['AddressSuppressions'];
      /** @description The newest seal that covers all of this but `readings`. Null if no seal covers it yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
    };
    PoisonEvent: {
      /** @description Of the event that ended the rebuild, as stored. */
      data: string | null;
      /** Format: uuid */
      event_id: string;
      /** @description Name of the event. */
      event_type: string;
      /** @description Of the event that ended the rebuild, as stored. */
      metadata: string | null;
      /** @description Of the event that cannot be folded. */
      position: string;
      /** @description Why. Nothing personal. */
      reason: string;
      /** @description A stream that the view no longer folds. */
      stream: string;
      /** @description Name of the view. */
      view: string;
    };
    ProfileAt: {
      address: string | null;
      /** @description The event that made it so; null: it has always been so. */
      because: components['schemas']['Evidence'] | null;
      city: string | null;
      country: string | null;
      dateOfBirth: string | null;
      /** @description Null: the person is erased. */
      email: string | null;
      firstName: string | null;
      lastName: string | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      phone: string | null;
      state: string | null;
      zipcode: string | null;
    };
    ProfileChange: {
      after: string | null;
      before: string | null;
      field: string;
    };
    ProjectionsReadiness: {
      caught_up: boolean;
      /** @description Damaged views. Their reads are answered with 503 until a rebuild ends. */
      damaged: string[];
      /**
       * Format: int64
       * @description Milliseconds.
       */
      lag_ms: number;
      missing: string[];
      parked: components['schemas']['ParkedStreamOfView'][];
      /** @description A position of the log; empty while nothing is known. */
      position: string;
      /** @description Known: leading, standby, elsewhere. */
      projector: string;
      rebuilding: boolean;
      /** @description By type. */
      unknown_events: {
        [key: string]: number;
      };
    };
    /** @description The events of one contact, proven to be in the sealed log. */
    Proof: {
      /**
       * Format: int64
       * @description Number of sealed events.
       */
      count: number;
      /** @description Numbers of the events that deleted the lists and tags that the events name. */
      deletions: number[];
      /** @description In the order of the log. */
      events: components['schemas']['ProvenEvent'][];
      /** @enum {string} */
      format: 'audience-ledger-proof/2';
      /**
       * Format: int64
       * @description Revision of the last event of the stream at the seal.
       */
      last_revision: number;
      log_id: string;
      /** @description What the proof covers. */
      note: string;
      /** @description Ed25519, SPKI in DER, base64. */
      public_key: string;
      /** @description Root of the tree over the sealed events. */
      root: string;
      sealed_at: string;
      /** @description Over the fields of all members before it, base64. */
      signature: string;
      stream: string;
    };
    ProvenEvent: {
      /** @description JSON as it is stored. */
      data: string;
      event_id: string;
      /** @description JSON as it is stored. */
      metadata: string;
      /**
       * Format: int64
       * @description Number of the event in the log, from 1.
       */
      ordinal: number;
      /** @description From the leaf to the root: RFC 9162, 2.1.3.1. */
      path: string[];
      /** Format: int64 */
      revision: number;
      stream: string;
      type: string;
    };
    Readiness: {
      clock: components['schemas']['ClockReadiness'];
      /** @description Reports about e-mails since this process began. */
      email_reports: components['schemas']['EmailReportCounts'];
      /** @description Absent where another process carries erasures through. */
      erasures?: components['schemas']['ErasuresReadiness'];
      event_store: components['schemas']['EventStoreReadiness'];
      /** @description The read-back of the log. Absent if another process does it. */
      integrity?: components['schemas']['IntegrityReadiness'];
      log_lines: components['schemas']['LogLines'];
      /** @description Absent where another process sends. */
      mailer?: components['schemas']['MailerReadiness'];
      projections: components['schemas']['ProjectionsReadiness'];
      read_models: components['schemas']['ReadModelsReadiness'];
      roles: components['schemas']['Roles'];
    };
    ReadModelsReadiness: {
      reachable: boolean;
    };
    /** @description Somebody looked. */
    ReadRecord: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor: string | null;
      /**
       * Format: date-time
       * @description Null where the event cannot be read; so may be all but `position`.
       */
      at: string | null;
      /**
       * Format: date-time
       * @description Of the times that were asked for; null: none.
       */
      from: string | null;
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string | null;
      /** @description Key of the stream of a contact, id of a list, or `log`. */
      subject: string | null;
      /**
       * Format: date-time
       * @description Of the times that were asked for; null: none.
       */
      to: string | null;
      /** @description What was read: see docs/events.md. */
      what: string | null;
    };
    Rebuild: {
      /** @description The new views go live although they differ. */
      accept_differences?: boolean;
      /** @description Known: request, start. */
      cause: string;
      dry_run: boolean;
      /** @description Why it does not go on, or why it failed. */
      fault: string | null;
      /** Format: date-time */
      finished_at: string | null;
      /** @description Known: switched, checked, differs, poison. */
      outcome: string | null;
      poison: components['schemas']['PoisonEvent'] | null;
      progress: components['schemas']['RebuildProgress'] | null;
      /** Format: uuid */
      rebuild_id: string;
      /** Format: date-time */
      requested_at: string;
      results: components['schemas']['RebuiltView'][];
      /** @description Known: waiting, running, finished, failed. */
      state: string;
      views: string[];
    };
    RebuildProgress: {
      /** Format: int64 */
      documents_compared: number;
      /** Format: int64 */
      events: number;
      /** Format: int64 */
      events_per_second: number;
      /** @description A position of the log; empty while nothing is known. */
      position: string;
      /**
       * Format: int64
       * @description Null while it cannot be told.
       */
      seconds_left: number | null;
      /** @description Of the bulk build. */
      share: number;
      /** @description Known: filling, catching_up, comparing, switching. */
      stage: string;
      /** @description A position of the log; empty while nothing is known. */
      until: string;
    };
    RebuiltView: {
      /** @description Ids of documents that differ, the first of them. */
      differences: string[];
      /** @description Null: it was not compared. */
      differing: number | null;
      /** @description Null: it was not compared. */
      documents: number | null;
      hash: string | null;
      /** @description Differences are expected. */
      is_changed: boolean;
      /** @description Null: it was not compared. */
      live_documents: number | null;
      /** @description Name of the view. */
      name: string;
      /** Format: int64 */
      storage_version: number;
      /** Format: int64 */
      version: number;
    };
    RecordedConsent: {
      /** @description IPv4 or IPv6. */
      ip?: string;
      /** @description Why the data may be used. */
      legal_basis?: string;
      /**
       * Format: date-time
       * @description When the person agreed.
       */
      occurred_at?: string;
      /** @description Where the person agreed. */
      source?: string;
      /** @description What the person agreed to, as it was shown. */
      statement?: string;
    };
    RefusedLine: {
      error: components['schemas']['ErrorOfLine'];
      /**
       * Format: int64
       * @description Number of the line in the request, from 1.
       */
      line: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      outcome: 'refused' | 'unavailable';
    };
    RefusedMail: {
      reason: components['schemas']['SuppressionReason'];
      /** Format: date-time */
      since: string;
    };
    /**
     * @description `unavailable`: send this line and those after it again.
     * @enum {string}
     */
    RefusedOutcome: 'refused' | 'unavailable';
    Relay: {
      /**
       * Format: int64
       * @description At most, now: fewer than configured after the mail server said that there are too many.
       */
      connections: number;
      /** @description What the mail server last said. E-mails wait meanwhile. Absent while it takes e-mails. */
      refuses?: components['schemas']['RelayRefusal'];
    };
    RelayRefusal: {
      enhanced_code?: string;
      /** @description As in the reasons of events. */
      reason: string;
      /**
       * Format: date-time
       * @description No e-mail was taken since then.
       */
      since: string;
      /** Format: int64 */
      smtp_code?: number;
      /** @description What is wrong with TLS: a code of OpenSSL or Node. */
      tls_code?: string;
    };
    /** @enum {string} */
    ReleasedOutcome: 'released' | 'unchanged';
    ReleasedSuppression: {
      /** @description What the address refuses now, the oldest first. */
      active: components['schemas']['ActiveSuppression'][];
      outcome: components['schemas']['ReleasedOutcome'];
      /** @description Up to there it holds; empty where nothing was ever refused. */
      position: string;
    };
    ReleaseEmailAnswer: {
      data: components['schemas']['ChangedEmail'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ReleaseSuppressionAnswer: {
      data: components['schemas']['ReleasedSuppression'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    ReleaseSuppressionRequest: {
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      email: string;
      note?: string | null;
      /**
       * @description A code that says why. Nothing personal: it stays in the log.
       * @example asked_by_phone
       */
      reason: string;
      /**
       * @description `all`: mail of every kind; or the id of a list.
       * @example all
       */
      scope: string;
    };
    RemoveContactTagsAnswer: {
      /** @description Those of the named tags that exist. */
      data: components['schemas']['Tag'][];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    RemoveContactTagsRequest: {
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      contact_email: string;
      /**
       * @description Names of tags, 1 to 100.
       * @example [
       *       "Gold",
       *       "Newsletter"
       *     ]
       */
      tag_name: string[];
    };
    RenderedEmail: {
      /** @description HTML. */
      body: string;
      /** @description The subject. */
      subject: string;
    };
    /** @description What a page about a contact tells. */
    Report: {
      /** @description The answer in one sentence. A second sentence follows if the address has had another contact or the contact was erased later. */
      answer: string;
      contact: components['schemas']['ContactAt'];
      emails: components['schemas']['ReportedEmail'][];
      /** @description The e-mails are complete up to there. */
      emails_until: string | null;
      /** @description The newest seal that does not hold. Null if there is no such seal. */
      failing_seal: components['schemas']['FailingSeal'] | null;
      /** @description Every change, oldest first. */
      history: components['schemas']['ReportedEvent'][];
      not_proven: string[];
      question: components['schemas']['ReportQuestion'];
      /** @description The newest seal that holds and covers every event in the report. Null if no seal covers all of them yet. */
      seal: components['schemas']['SealOfAnswer'] | null;
    };
    ReportedEmail: {
      email_id: string;
      /** @description What happened last. */
      outcome: string;
      /** Format: date-time */
      outcome_at: string | null;
      /** Format: date-time */
      requested_at: string | null;
      /** @description Null where the key may not see it. */
      subject: string | null;
    };
    ReportedEvent: {
      event: components['schemas']['HistoryItem'];
      /**
       * Format: int64
       * @description Number of the event in the log.
       */
      ordinal: number | null;
    };
    ReportQuestion: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      asked_by: string;
      /** @description As it was asked for. */
      contact: string;
      list_id: string | null;
      /** Format: date-time */
      time: string;
    };
    RequestedEmail: {
      /** @description HTML. */
      body: string;
      /** @description As it was requested. */
      from: string;
      /** @description The subject. */
      subject: string;
      /** @description The e-mail address. */
      to: string;
      variables?: {
        [key: string]: unknown;
      };
    };
    RequestErasureAnswer: {
      data: components['schemas']['Erasure'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    RequestErasureRequest: {
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      email: string;
      forget_suppression?: boolean | null;
      reason?: string | null;
    };
    RevokeApiKeyAnswer: {
      data: components['schemas']['RevokedApiKey'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    RevokeApiKeyRequest: {
      reason?: string | null;
    };
    RevokedApiKey: {
      /** @description Id of an API key: the actor of what is done with it. */
      key_id: string;
      /** @enum {string} */
      state: 'revoked';
    };
    Roles: {
      api: boolean;
      mailer: boolean;
      projector: boolean;
    };
    RotateApiKeyAnswer: {
      data: components['schemas']['RotatedApiKey'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    RotateApiKeyRequest: {
      /**
       * @description How long the secret before holds, too, in seconds. 0: it ends at once.
       * @default 86400
       */
      overlap_seconds: number;
    };
    RotatedApiKey: {
      /** @description Id of an API key: the actor of what is done with it. */
      key_id: string;
      /**
       * Format: date-time
       * @description Until then the secret before holds, too.
       */
      previous_until: string;
      /** @description Shown this once. */
      secret: string;
    };
    /** @description A contact that was created or saved. `email` is as the request has it. */
    SavedContact: {
      contact_id: string;
      /** @description The e-mail address. */
      email: string;
      status: components['schemas']['SubscriptionStatus'];
    };
    SavedLine: {
      contact_id: string;
      /**
       * Format: int64
       * @description Number of the line in the request, from 1.
       */
      line: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      outcome: 'created' | 'updated' | 'unchanged';
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description Of the contact in this list, as it is now. */
      status: components['schemas']['SubscriptionStatus'];
    };
    /** @enum {string} */
    SavedOutcome: 'created' | 'updated' | 'unchanged';
    /**
     * @description What an API key may do.
     * @enum {string}
     */
    Scope:
      | 'groups:read'
      | 'groups:write'
      | 'lists:read'
      | 'lists:write'
      | 'tags:read'
      | 'tags:write'
      | 'contacts:read'
      | 'contacts:write'
      | 'email:read'
      | 'email:write'
      | 'reports'
      | 'suppressions:read'
      | 'suppressions:write'
      | 'audit:read'
      | 'analytics:read'
      | 'projections'
      | 'metrics'
      | 'privacy'
      | 'keys'
      | 'clock';
    /** @description A signed statement of how many events the log had and of the root of their tree. */
    Seal: {
      /**
       * Format: int64
       * @description Number of events that are sealed.
       */
      count: number;
      /** @description Whether the service was stopped in order after the last of these events. */
      final: boolean;
      /** @enum {string} */
      format: 'audience-ledger-seal/2';
      log_id: string;
      /** @description Ed25519, SPKI in DER, base64. */
      public_key: string;
      /**
       * Format: int64
       * @description Number of `LogRestored` events among the sealed events.
       */
      restores: number;
      /** @description Root of the tree over them, hex. */
      root: string;
      /** @description UTC with milliseconds, by the clock of the sealing machine. */
      sealed_at: string;
      /**
       * Format: int64
       * @description Number of the seal among the seals of the log, from 1.
       */
      seq: number;
      /** @description Over the fields of the members before it, base64. */
      signature: string;
    };
    /** @description The seal that an answer rests on. `GET /v1/audit/seals` has its signature. */
    SealOfAnswer: {
      /**
       * Format: int64
       * @description Number of sealed events.
       */
      count: number;
      /** @description SHA-256 of the public key that signed, hex. */
      key_fingerprint: string;
      /**
       * Format: int64
       * @description Number of restores from a backup among the sealed events.
       */
      restores: number;
      /** @description Root of the tree over the sealed events, hex. */
      root: string;
      /** Format: date-time */
      sealed_at: string;
      /**
       * Format: int64
       * @description Number of the seal among the seals of the log.
       */
      seq: number;
    };
    /** @description A seal that the service has kept, and whether it holds. */
    SealState: {
      /** @description Name of the file. */
      file: string;
      /** @description SHA-256 of the public key that signed, hex. */
      key_fingerprint: string | null;
      /** @description Why the seal does not hold. Null if it does. */
      reason: string | null;
      /** @description The seal, which `verify.mjs` reads. Null if the file is not a seal. */
      seal: components['schemas']['Seal'] | null;
      /** @description `holds`: the events that it covers are the sealed ones. `not_checked`: they have not been compared yet. `excused`: it covers events that a recorded restore removed. `fails`: the events are not the sealed ones. `ignored`: the file does not count, because it is not a seal or another key signed it. Known: holds, not_checked, excused, fails, ignored. */
      state: string;
    };
    SearchContactsAnswer: {
      data: components['schemas']['FoundContact'][];
      /** @description Something may be missing: see `/health/ready`. Else absent. */
      incomplete?: boolean;
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    SearchContactsRequest: {
      /** @default 20 */
      limit: number | null;
      /**
       * @description The beginning of the address or of a name.
       * @example ada
       */
      text: string;
    };
    SendEmailAnswer: {
      data: components['schemas']['AcceptedEmail'];
      email_id: string;
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    SendEmailRequest: {
      /**
       * @description The sender: an address, or `Name <address>`.
       * @example News <news@example.com>
       */
      from_email: string;
      list_id?: string | null;
      /**
       * @description The body in HTML, at most 512 KiB, and 700 KiB as JSON. The only control characters allowed are tab, line feed and carriage return.
       * @example <p>Thank you!</p>
       */
      mail_template: string;
      /**
       * @description At most 900 bytes, one line.
       * @example Your order
       */
      subject: string;
      /**
       * @description The address that the e-mail goes to.
       * @example ada@example.com
       */
      to_email: string;
      variables?: {
        [key: string]: unknown;
      } | null;
    };
    StartRebuildAnswer: {
      data: components['schemas']['Rebuild'];
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    StartRebuildRequest: {
      accept_differences?: boolean | null;
      dry_run?: boolean | null;
    };
    Subscription: {
      because: components['schemas']['EventReference'];
      list_id: string;
      /** @description Name of the list, as it was given. */
      list_name: string;
      status: components['schemas']['SubscriptionStatus'];
      /** @description Mail to the subscribers of this list does not go to this address, whatever the status. Else absent. */
      suppressed?: components['schemas']['RefusedMail'];
      /** @description The tags of the contact in this list, by id. */
      tags: components['schemas']['Tag'][];
    };
    SubscriptionAt: {
      /** @description The event that made it so; null: it has always been so. */
      because: components['schemas']['Evidence'] | null;
      /** @description The last consent that was recorded for the list, also after its deletion. */
      consent: components['schemas']['ConsentAt'] | null;
      list_id: string;
      /** @description As it was; null before the list was created. */
      list_name: string | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      /** @description Null: not in this list. */
      status: components['schemas']['SubscriptionStatus'] | null;
      tags: components['schemas']['TagAt'][];
    };
    /**
     * @description The status of a contact in a list.
     * @enum {string}
     */
    SubscriptionStatus: 'Subscribed' | 'Unsubscribed';
    SuppressAnswer: {
      data: components['schemas']['Suppressed'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    Suppressed: {
      /** @description What the address refuses now, the oldest first. */
      active: components['schemas']['ActiveSuppression'][];
      outcome: components['schemas']['SuppressedOutcome'];
      /** @description Place in the log: digits that sort as text. */
      position: string;
    };
    SuppressedLine: {
      /**
       * Format: int64
       * @description Number of the line in the request, from 1.
       */
      line: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      outcome: 'created' | 'unchanged';
      /** @description Place in the log: digits that sort as text. */
      position: string;
    };
    /** @enum {string} */
    SuppressedOutcome: 'created' | 'unchanged';
    /** @description An address that refuses mail. */
    Suppression: {
      active: components['schemas']['ListedSuppression'][];
      /** @description Null: the person is erased, and only the refusal is kept. */
      email: string | null;
    };
    /**
     * @description Why mail is refused.
     * @enum {string}
     */
    SuppressionReason: 'hard_bounce' | 'repeated_bounces' | 'complaint' | 'unsubscribe' | 'manual';
    SuppressionStep: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor: string;
      /**
       * Format: date-time
       * @description When it happened: never before the event before it in the stream.
       */
      at: string;
      /** @description How the person did it. Null: somebody else did. */
      by: string | null;
      email_id: string | null;
      /** Format: uuid */
      event_id: string;
      /** @description Where the click came from, where that is kept. */
      ip: string | null;
      /** @description What was said about it. Null: nothing, or it is erased. */
      note: string | null;
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description The reason of the suppression, the code of the release, or the kind of the counted bounce. */
      reason: string | null;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id: string;
      /** @description `all`, or the id of a list. */
      scope: string | null;
      /** @description Name of the event. */
      type: string;
    };
    SuppressRequest: {
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      email: string;
      note?: string | null;
      reason: components['schemas']['SuppressionReason'];
      /**
       * @description `all`: mail of every kind; or the id of a list.
       * @default all
       * @example all
       */
      scope: string;
    };
    Tag: {
      tag_id: string;
      /** @description Name of the tag, as it was given. */
      tag_name: string;
    };
    TagAt: {
      /** @description The event that made it so; null: it has always been so. */
      because: components['schemas']['Evidence'] | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      tag_id: string;
      /** @description Name of the tag, as it was given. */
      tag_name: string;
    };
    TagCount: {
      /**
       * Format: int64
       * @description Bear it now, counted per contact and list.
       */
      in_use: number;
      tag_id: string;
      /** @description Name of the tag, as it was given. */
      tag_name: string;
    };
    TagThenAndNow: {
      /**
       * Format: date-time
       * @description Null while it exists.
       */
      deleted_at: string | null;
      /** @description The name now; of a deleted one the last. */
      name_now: string;
      /** @description The name when the event was written. */
      name_then: string;
      tag_id: string;
      /** @description It was written after the deletion and changed nothing. */
      without_effect?: boolean;
    };
    TagUse: {
      /** Format: date-time */
      created_at: string;
      /**
       * Format: date-time
       * @description Null while it exists.
       */
      deleted_at: string | null;
      /**
       * Format: date
       * @description First day of the first row.
       */
      from: string;
      /** @description Known: day, week, month. */
      interval: string;
      /** @description One for each interval. */
      rows: components['schemas']['TagUseRow'][];
      tag_id: string;
      /** @description Name of the tag, as it was given. */
      tag_name: string;
      /**
       * Format: date
       * @description Last day of the last row.
       */
      to: string;
    };
    TagUseRow: {
      /**
       * Format: int64
       * @description The tag was attached.
       */
      attached: number;
      /**
       * Format: int64
       * @description The tag was detached.
       */
      detached: number;
      /**
       * Format: int64
       * @description Borne by a person who was erased.
       */
      erased: number;
      /**
       * Format: date
       * @description First day.
       */
      from: string;
      /**
       * Format: int64
       * @description Bear it at the end of the interval.
       */
      in_use: number;
      /**
       * Format: int64
       * @description Bore it in a list when that list was deleted.
       */
      left_with_list: number;
      /**
       * Format: int64
       * @description Bore it when the tag itself was deleted.
       */
      left_with_tag: number;
      /**
       * Format: int64
       * @description `attached` − `detached` − `erased` − `left_with_list` − `left_with_tag`.
       */
      net: number;
      /**
       * Format: date
       * @description Last day.
       */
      to: string;
    };
    TakenReport: {
      email_id: string | null;
      /** @description `unverified`: recorded, but not believed, so the report changes nothing. `known`: the report says nothing new. `ignored`: the report tells neither of a failure nor of a complaint, cannot be read, or came to a return path that is not valid. `unmatched`: the report is not about an email that was sent. Known: bounced, complained, unverified, known, ignored, unmatched. */
      outcome: string;
      /** @description The report came to the return path of the email, or names it. */
      verified: boolean;
    };
    TakeReportAnswer: {
      data: components['schemas']['TakenReport'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    /** @description An event that this version of the service cannot read. Time, actor and request stand there where they are readable. */
    UnreadableEvent: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor?: string;
      /**
       * Format: date-time
       * @description When it happened: never before the event before it in the stream.
       */
      at?: string;
      /** @description Id of the event that caused it, else the correlation id. */
      causation_id?: string;
      /** @description Null where nothing says whose it is. */
      contact_id: string | null;
      /** @description One id per request. */
      correlation_id?: string;
      /** Format: uuid */
      event_id: string;
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id?: string;
      /**
       * Format: int64
       * @description Place in the stream, from 0.
       */
      revision: number;
      /** @description The stream that the event stands in. */
      stream: string;
      /** @description The event in plain words. */
      summary: string;
      /** @description Name of the event. */
      type: string;
    };
    /** @description An event in its place that this version of the service cannot read; `data` is as stored. */
    UnreadableHistoryEvent: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor?: string;
      /**
       * Format: date-time
       * @description When it happened: never before the event before it in the stream.
       */
      at?: string;
      /** @description Id of the event that caused it, else the correlation id. */
      causation_id?: string;
      /** @description Null where nothing says whose it is. */
      contact_id: string | null;
      /** @description One id per request. */
      correlation_id?: string;
      data: unknown;
      email?: components['schemas']['EmailOfHistory'];
      /** Format: uuid */
      event_id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: 'unreadable';
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id?: string;
      /**
       * Format: int64
       * @description Place in the stream, from 0.
       */
      revision: number;
      /** @description The stream that the event stands in. */
      stream: string;
      /** @description The event in plain words. */
      summary: string;
      /** @description Name of the event. */
      type: string;
      unreadable: boolean;
    };
    UnreadableLine: {
      /** @description Id of the API key; `mailer`, `cli` or `service`. */
      actor?: string;
      /**
       * Format: date-time
       * @description When it happened: never before the event before it in the stream.
       */
      at?: string;
      /** @description Id of the event that caused it, else the correlation id. */
      causation_id?: string;
      /** @description Null where nothing says whose it is. */
      contact_id: string | null;
      /** @description One id per request. */
      correlation_id?: string;
      /** Format: uuid */
      event_id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      line: 'unreadable';
      /** @description Place in the log: digits that sort as text. */
      position: string;
      /** @description `X-Request-Id` of the request that caused it. */
      request_id?: string;
      /**
       * Format: int64
       * @description Place in the stream, from 0.
       */
      revision: number;
      /** @description The stream that the event stands in. */
      stream: string;
      /** @description The event in plain words. */
      summary: string;
      /** @description Name of the event. */
      type: string;
    };
    UpdateContactStatusAnswer: {
      data: components['schemas']['ChangedStatus'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    UpdateContactStatusRequest: {
      consent?: components['schemas']['Consent'] | null;
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      contact_email: string;
      /** @description Any letter case is accepted. */
      status: components['schemas']['SubscriptionStatus'];
    };
    UpdateGroupAnswer: {
      data: components['schemas']['Group'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    UpdateGroupRequest: {
      /**
       * @description At most 255 characters; trimmed.
       * @example Customers
       */
      group_name: string;
    };
    UpdateListAnswer: {
      data: components['schemas']['ContactList'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    UpdateListRequest: {
      /**
       * @description At most 255 characters; trimmed.
       * @example Newsletter
       */
      list_name: string;
    };
    UpdateTagAnswer: {
      data: components['schemas']['Tag'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    UpdateTagRequest: {
      /**
       * @description At most 255 characters; trimmed.
       * @example Gold
       */
      tag_name: string;
    };
    UpsertContactAnswer: {
      data: components['schemas']['SavedContact'];
      message: string;
      status: string;
      /** Format: int32 */
      statusCode: number;
    };
    UpsertContactRequest: {
      address?: string | null;
      city?: string | null;
      consent?: components['schemas']['Consent'] | null;
      country?: string | null;
      /** @description Profile fields and consent may stand here instead of beside `email`. */
      data?: components['schemas']['NestedProfile'] | null;
      dateOfBirth?: string | null;
      /**
       * @description An email address of at most 254 bytes, in any letter case. White space around it is removed.
       * @example ada@example.com
       */
      email: string;
      firstName?: string | null;
      lastName?: string | null;
      /** @description Ignored. */
      message?: unknown;
      phone?: string | null;
      state?: string | null;
      /** @description Any letter case is accepted. */
      status: components['schemas']['SubscriptionStatus'];
      tag_name?: string[] | null;
      zipcode?: string | null;
    };
    ValidLine: {
      /**
       * Format: int64
       * @description Number of the line in the request, from 1.
       */
      line: number;
      /**
       * @description In a dry run. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      outcome: 'valid';
    };
    /** @description A document of a view. */
    ViewDocument: {
      /** @description As the view has made it. */
      document: {
        [key: string]: unknown;
      };
      /** @description Id of the document. */
      id: string;
      /** @description Of the last event that changed it. */
      position: string;
    };
    ViewState: {
      /**
       * Format: int64
       * @description Milliseconds.
       */
      lag_ms: number;
      /** @description Name of the view. */
      name: string;
      parked: components['schemas']['ParkedStream'][];
      /** @description A position of the log; empty while nothing is known. */
      position: string;
      /**
       * Format: uuid
       * @description The rebuild that runs for this view.
       */
      rebuild_id: string | null;
      /** @description Known: live, missing. */
      state: string;
      /**
       * Format: int64
       * @description Null while the view is missing.
       */
      storage_version: number | null;
      /** Format: int64 */
      version: number;
    };
    WaitingErasure: {
      erasure_id: string;
      /** @description Known: email_being_sent, view_being_built, unreadable_event, unavailable, failed. */
      reason: string;
    };
  };
  responses: {
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `a contact can have at most {limit} tags in a list`
     *     - `unknown_id`: `Please provide valid list id!`, `Please provide valid contact email!`
     *     - `not_in_list`: `Please provide valid contact email!`
     */
    AddContactTagsBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    CancelEmailBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown field nickname",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `conflict`: `The email cannot be cancelled` */
    CancelEmailConflict: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 409,
         *       "status": "Error",
         *       "message": "The email cannot be cancelled",
         *       "type": "conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    ConfirmClockBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown field nickname",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}`, `Idempotency-Key must be 1 to 255 visible ASCII characters`
     *     - `duplicate`: `Key name already exist!`
     */
    CreateApiKeyBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Key name already exist!",
         *       "type": "duplicate",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `idempotency_conflict`: `Idempotency-Key was used with a different request` */
    CreateApiKeyUnprocessableEntity: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 422,
         *       "status": "Error",
         *       "message": "Idempotency-Key was used with a different request",
         *       "type": "idempotency_conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Idempotency-Key must be 1 to 255 visible ASCII characters`, `status must be Subscribed or Unsubscribed`
     *     - `unknown_id`: `Please provide valid list id!`
     *     - `duplicate`: `Email already exist!`
     */
    CreateContactBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `idempotency_conflict`: `Idempotency-Key was used with a different request` */
    CreateContactUnprocessableEntity: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 422,
         *       "status": "Error",
         *       "message": "Idempotency-Key was used with a different request",
         *       "type": "idempotency_conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Idempotency-Key must be 1 to 255 visible ASCII characters`
     *     - `duplicate`: `Group name already exist!`
     */
    CreateGroupBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Group name already exist!",
         *       "type": "duplicate",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `idempotency_conflict`: `Idempotency-Key was used with a different request` */
    CreateGroupUnprocessableEntity: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 422,
         *       "status": "Error",
         *       "message": "Idempotency-Key was used with a different request",
         *       "type": "idempotency_conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Idempotency-Key must be 1 to 255 visible ASCII characters`
     *     - `duplicate`: `List name already exist!`
     */
    CreateListBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "List name already exist!",
         *       "type": "duplicate",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `idempotency_conflict`: `Idempotency-Key was used with a different request` */
    CreateListUnprocessableEntity: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 422,
         *       "status": "Error",
         *       "message": "Idempotency-Key was used with a different request",
         *       "type": "idempotency_conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Idempotency-Key must be 1 to 255 visible ASCII characters`
     *     - `duplicate`: `Tag name already exist!`
     */
    CreateTagBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Tag name already exist!",
         *       "type": "duplicate",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `idempotency_conflict`: `Idempotency-Key was used with a different request` */
    CreateTagUnprocessableEntity: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 422,
         *       "status": "Error",
         *       "message": "Idempotency-Key was used with a different request",
         *       "type": "idempotency_conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`
     *     - `unknown_id`: `Please provide valid group id!`
     */
    DeleteGroupBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid group id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`
     *     - `unknown_id`: `Please provide valid list id!`
     */
    DeleteListBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`
     *     - `unknown_id`: `Please provide valid tag id!`
     */
    DeleteTagBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid tag id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …` */
    ExportPersonBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "email is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …` */
    FindContactBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "email is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    FindSuppressionsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "email is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `unauthorized`: `Please send valid apikey in header!`
     *     - `rate_limited`: `Too many requests hit the API too quickly.`
     *     - `forbidden`: `API key lacks the scope {names}`
     *     - `too_large`: `Request body is too large`
     *     - `unsupported_media_type`: `Content-Type must be application/json`, `Content-Type must be application/x-ndjson`, `Content-Type must be message/rfc822`, `Compressed bodies are not supported`, `charset must be utf-8`
     *     - `invalid_json`: `Request body must be a JSON object`, `Request body must be encoded in UTF-8`
     *     - `internal`: `Sorry! Something went wrong.`, `Sorry! Something went wrong at our side.`
     *     - `unavailable`: `A view is damaged and is being rebuilt, please retry: {names}`, `Service temporarily unavailable, please retry.`, `Too many of these requests at once, please retry. At most: {names}`
     */
    General: {
      headers: {
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'Retry-After': components['headers']['Retry-After'];
        'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `unauthorized`: `Please send valid apikey in header!`
     *     - `rate_limited`: `Too many requests hit the API too quickly.`
     *     - `forbidden`: `API key lacks the scope {names}`
     *     - `too_large`: `Request body is too large`
     *     - `unsupported_media_type`: `Content-Type must be application/json`, `Content-Type must be application/x-ndjson`, `Content-Type must be message/rfc822`, `Compressed bodies are not supported`, `charset must be utf-8`
     *     - `invalid_json`: `Request body must be a JSON object`, `Request body must be encoded in UTF-8`
     *     - `internal`: `Sorry! Something went wrong.`, `Sorry! Something went wrong at our side.`
     *     - `unavailable`: `A view is damaged and is being rebuilt, please retry: {names}`, `Service temporarily unavailable, please retry.`, `Too many of these requests at once, please retry. At most: {names}`
     */
    GeneralOfWrite: {
      headers: {
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'Retry-After': components['headers']['Retry-After'];
        'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …` */
    GetContactAtBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "time is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `not_found`: `Resource not found`
     *     - `unknown_contact`: `There is no such contact`
     *     - `unknown_list`: `There is no such list`
     *     - `never_in_list`: `The contact was never in this list. {names}`
     */
    GetContactAtNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetContactBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `from must not be after to`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    GetContactHistoryBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "from must not be after to",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `not_found`: `Resource not found`
     *     - `unknown_contact`: `There is no such contact`
     *     - `unknown_list`: `There is no such list`
     *     - `never_in_list`: `The contact was never in this list. {names}`
     */
    GetContactHistoryNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `The contact has more than {limit} events: use audience audit {names}` */
    GetContactProofBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `not_found`: `Resource not found`
     *     - `unknown_contact`: `There is no such contact`
     */
    GetContactProofNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `The contact has more than {limit} events: use audience audit {names}` */
    GetContactReportBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `not_found`: `Resource not found`
     *     - `unknown_contact`: `There is no such contact`
     *     - `unknown_list`: `There is no such list`
     *     - `never_in_list`: `The contact was never in this list. {names}`
     */
    GetContactReportNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetDocumentBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `not_found`: `Resource not found`, `There is no such view. There are: {names}` */
    GetDocumentNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetEmailBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    GetEmailHistoryBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `from and to must span at most {limit} intervals`, `from must not be after to`, `{field} …` */
    GetEmailOutcomesBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "from must not be after to",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetErasureBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetEventBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetEventProofBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetGroupBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …` */
    GetIdentityBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "nonce is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …` */
    GetListAtBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "time is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `not_found`: `Resource not found`
     *     - `unknown_list`: `There is no such list`
     */
    GetListAtNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `X-Min-Position is not a position of this log`
     *     - `unknown_id`: `Please provide valid list id!`
     */
    GetListBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `from must not be after to` */
    GetListDiffBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "from must not be after to",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `not_found`: `Resource not found`
     *     - `unknown_list`: `There is no such list`
     */
    GetListDiffNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `from and to must span at most {limit} intervals`, `from must not be after to`, `{field} …` */
    GetListGrowthBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "from must not be after to",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `X-Min-Position is not a position of this log` */
    GetMetricsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "X-Min-Position is not a position of this log",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    GetOwnApiKeyBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `unavailable`: `Service temporarily unavailable, please retry.` */
    GetReadyServiceUnavailable: {
      headers: {
        'Retry-After': components['headers']['Retry-After'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 503,
         *       "status": "Error",
         *       "message": "Service temporarily unavailable, please retry.",
         *       "type": "unavailable",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …` */
    GetRebuildBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `X-Min-Position is not a position of this log`
     *     - `unknown_id`: `Please provide valid tag id!`
     */
    GetTagBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid tag id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `from and to must span at most {limit} intervals`, `from must not be after to`, `{field} …` */
    GetTagUseBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "from must not be after to",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListApiKeysBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `status must be Subscribed or Unsubscribed`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListContactsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "status must be Subscribed or Unsubscribed",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `No index of the view serves this query: {names}`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListDocumentsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `not_found`: `Resource not found`, `There is no such view. There are: {names}` */
    ListDocumentsNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListEmailsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListErasuresBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `after is not a position of this log`, `{field} …`, `from must not be after to`, `limit must be a whole number from 1 to 200` */
    ListEventsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "after is not a position of this log",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `gone`: `The log was restored and does not have this event any more` */
    ListEventsGone: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 410,
         *       "status": "Error",
         *       "message": "The log was restored and does not have this event any more",
         *       "type": "gone",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `unknown_contact`: `There is no such contact`
     *     - `unknown_list`: `There is no such list`
     */
    ListEventsNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "There is no such contact",
         *       "type": "unknown_contact",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListGroupsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListListCountsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListListsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    ListProjectionsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `from must not be after to`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListReadsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "from must not be after to",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `unknown_contact`: `There is no such contact` */
    ListReadsNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "There is no such contact",
         *       "type": "unknown_contact",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListSealsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} …`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListSuppressionsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListTagCountsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
    ListTagsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    ListViewsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `method_not_allowed`: `Method not allowed` */
    MethodNotAllowed: {
      headers: {
        Allow: components['headers']['Allow'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 405,
         *       "status": "Error",
         *       "message": "Method not allowed",
         *       "type": "method_not_allowed",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `not_found`: `Resource not found` */
    NotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    ReleaseEmailBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown field nickname",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `conflict`: `The email cannot be released`, `The email cannot be released: what it said is erased`, `The email cannot be released: its recipient asked to be erased` */
    ReleaseEmailConflict: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 409,
         *       "status": "Error",
         *       "message": "The email cannot be released",
         *       "type": "conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    ReleaseSuppressionBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "email is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`
     *     - `unknown_id`: `Please provide valid list id!`, `Please provide valid contact email!`
     *     - `not_in_list`: `Please provide valid contact email!`
     */
    RemoveContactTagsBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    RequestErasureBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "email is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    RevokeApiKeyBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown field nickname",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    RotateApiKeyBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown field nickname",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `conflict`: `The API key cannot be rotated` */
    RotateApiKeyConflict: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 409,
         *       "status": "Error",
         *       "message": "The API key cannot be rotated",
         *       "type": "conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `{field} …` */
    SaveContactsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown query parameter page",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
    SearchContactsBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "text is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Idempotency-Key must be 1 to 255 visible ASCII characters`
     *     - `unknown_id`: `Please provide valid list id!`
     *     - `not_in_list`: `Please provide valid contact email!`
     */
    SendEmailBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `suppressed`: `The recipient does not want this email`, `The recipient's mailbox does not exist`, `The recipient's mail server keeps refusing`
     *     - `not_configured`: `{names} is not configured`
     */
    SendEmailConflict: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 409,
         *       "status": "Error",
         *       "message": "The recipient does not want this email",
         *       "type": "suppressed",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `idempotency_conflict`: `Idempotency-Key was used with a different request` */
    SendEmailUnprocessableEntity: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 422,
         *       "status": "Error",
         *       "message": "Idempotency-Key was used with a different request",
         *       "type": "idempotency_conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    StartRebuildBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Unknown field nickname",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `conflict`: `A rebuild is running already` */
    StartRebuildConflict: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 409,
         *       "status": "Error",
         *       "message": "A rebuild is running already",
         *       "type": "conflict",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `not_found`: `Resource not found`, `There is no such view. There are: {names}; or all` */
    StartRebuildNotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 404,
         *       "status": "Error",
         *       "message": "Resource not found",
         *       "type": "not_found",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `{field} …`, `Unknown field {field}`, `Unknown query parameter {field}` */
    SuppressBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "email is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /** @description - `validation_error`: `Unknown query parameter {field}`, `{field} …` */
    TakeReportBadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "X-Envelope-To is required",
         *       "type": "validation_error",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `status must be Subscribed or Unsubscribed`
     *     - `unknown_id`: `Please provide valid list id!`, `Please provide valid contact email!`
     *     - `not_in_list`: `Please provide valid contact email!`
     */
    UpdateContactStatusBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`
     *     - `unknown_id`: `Please provide valid group id!`
     *     - `duplicate`: `Group name already exist!`
     */
    UpdateGroupBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid group id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`
     *     - `unknown_id`: `Please provide valid list id!`
     *     - `duplicate`: `List name already exist!`
     */
    UpdateListBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`
     *     - `unknown_id`: `Please provide valid tag id!`
     *     - `duplicate`: `Tag name already exist!`
     */
    UpdateTagBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid tag id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
    /**
     * @description - `validation_error`: `{field} …`, `Unknown field {field}`, `a contact can have at most {limit} tags in a list`, `status must be Subscribed or Unsubscribed`
     *     - `unknown_id`: `Please provide valid list id!`
     */
    UpsertContactBadRequest: {
      headers: {
        'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "statusCode": 400,
         *       "status": "Error",
         *       "message": "Please provide valid list id!",
         *       "type": "unknown_id",
         *       "data": {}
         *     }
         */
        'application/json': components['schemas']['ApiError'];
      };
    };
  };
  parameters: {
    /** @description A repeat with this key gets the first answer and changes nothing. */
    'Idempotency-Key': string;
    /** @description Id or address of a contact. */
    path_contact: string;
    /** @description Id of a contact. */
    path_contact_id: string;
    /** @description Id of an email. */
    path_email_id: string;
    /** @description Id of an erasure. */
    path_erasure_id: string;
    /** @description Id of a group. */
    path_group_id: string;
    /** @description Id of a document. */
    path_id: string;
    /** @description Id of a key. */
    path_key_id: string;
    /** @description Id of a list. */
    path_list_id: string;
    /** @description Name of a view. */
    path_name: string;
    /** @description Position of an event in the log, with or without zeros in front. */
    path_position: string;
    /** @description Id of a tag. */
    path_tag_id: string;
    /** @description `handling=strict`: unknown fields of the body are refused. */
    Prefer: string;
    /** @description Id of an API key: only what was read with it. */
    query_actor: string;
    /** @description `next_after` of a page, a position of the log, or `now`: only later events. */
    query_after: string;
    /** @description Id or address of a contact: only reads of its record. */
    query_contact: string;
    /** @description `next_cursor` of the previous page. */
    query_cursor: string;
    /** @description If `true`, lines are checked, and nothing is saved. */
    query_dry_run: boolean;
    /** @description An email address of at most 254 bytes, in any letter case. White space around it is removed. */
    query_email: string;
    /** @description If `true`, events are sent as they happen, as server-sent events. Only `after` and `types` can be used with it. */
    query_follow: boolean;
    /** @description Form of the lines. */
    query_format: 'ndjson' | 'csv';
    /** @description Only what happened then or later. */
    query_from: string;
    /** @description What a row spans. */
    query_interval: 'day' | 'week' | 'month';
    /** @description The most entries of the answer. */
    query_limit: number;
    /** @description Id or name of a list: only what concerns it. */
    query_list_id: string;
    /** @description 32 random bytes in hexadecimal digits, new for each request. */
    query_nonce: string;
    /** @description Only addresses that refuse mail for this reason. */
    query_reason: components['schemas']['SuppressionReason'];
    /** @description If `true`, a page that shows a contact is recorded as a read of the list. The console uses this parameter. */
    query_record: boolean;
    /** @description Only what this request did. */
    query_request_id: string;
    /** @description If `false`, a contact that has unsubscribed from the list stays unsubscribed. The other fields of the line are saved. */
    query_resubscribe: boolean;
    /** @description Only addresses that refuse mail of this scope. */
    query_scope: string;
    /** @description Only emails in this state. */
    query_state: components['schemas']['DeliveryState'];
    /** @description Only contacts with this status. */
    query_status: components['schemas']['SubscriptionStatus'];
    /** @description Name of a stream: only its events. */
    query_stream: string;
    /** @description Only contacts with this tag. */
    query_tag_name: string;
    /** @description The point in time. */
    query_time: string;
    /** @description Only what happened then or earlier. */
    query_to: string;
    /** @description Names of events, separated by commas: only these. */
    query_types: string;
    /** @description The address that the report was sent to, as the mail server has it. */
    'X-Envelope-To': string;
    /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
    'X-Min-Position': string;
    /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
    'X-Request-Id': string;
  };
  requestBodies: never;
  headers: {
    /** @description The methods of the path. */
    Allow: string;
    /** @description Of this version; for `If-None-Match`. */
    ETag: string;
    /** @description This answer was given before. */
    'Idempotent-Replayed': string;
    /** @description The path of what was created. */
    Location: string;
    /** @description What is left, and the seconds until it starts again. */
    RateLimit: string;
    /** @description Requests, and seconds of the window. */
    'RateLimit-Policy': string;
    /** @description Whole seconds, with 429 and 503. */
    'Retry-After': string;
    /** @description How to authenticate, with 401. */
    'WWW-Authenticate': string;
    /** @description The fields of the body that the service does not know and has dropped: at most ten names, then `+` and the number of others. */
    'X-Ignored-Fields': string;
    /** @description How far the log must have been read to see this write. */
    'X-Position': string;
    /** @description The id of the request, which is the id that the client sent or a new one. It is stored with every event that the request causes. Give it to support. */
    'X-Request-Id': string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  getDocs: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          ETag: components['headers']['ETag'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description The client has it: its `If-None-Match` is the `ETag`. */
      304: {
        headers: {
          ETag: components['headers']['ETag'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      405: components['responses']['MethodNotAllowed'];
    };
  };
  getIdentity: {
    parameters: {
      query: {
        /** @description 32 random bytes in hexadecimal digits, new for each request. */
        nonce: components['parameters']['query_nonce'];
      };
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetIdentityAnswer'];
        };
      };
      400: components['responses']['GetIdentityBadRequest'];
      405: components['responses']['MethodNotAllowed'];
    };
  };
  getLive: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetLiveAnswer'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
    };
  };
  getReady: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetReadyAnswer'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      503: components['responses']['GetReadyServiceUnavailable'];
    };
  };
  getMetrics: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/openmetrics-text': string;
          'text/plain': string;
        };
      };
      400: components['responses']['GetMetricsBadRequest'];
      default: components['responses']['General'];
    };
  };
  getOpenApi: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          ETag: components['headers']['ETag'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description The client has it: its `If-None-Match` is the `ETag`. */
      304: {
        headers: {
          ETag: components['headers']['ETag'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      405: components['responses']['MethodNotAllowed'];
    };
  };
  getEmailOutcomes: {
    parameters: {
      query?: {
        /** @description Only what happened then or later. */
        from?: components['parameters']['query_from'];
        /** @description What a row spans. */
        interval?: components['parameters']['query_interval'];
        /** @description Only what happened then or earlier. */
        to?: components['parameters']['query_to'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetEmailOutcomesAnswer'];
        };
      };
      400: components['responses']['GetEmailOutcomesBadRequest'];
      default: components['responses']['General'];
    };
  };
  listListCounts: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListListCountsAnswer'];
        };
      };
      400: components['responses']['ListListCountsBadRequest'];
      default: components['responses']['General'];
    };
  };
  getListGrowth: {
    parameters: {
      query?: {
        /** @description Only what happened then or later. */
        from?: components['parameters']['query_from'];
        /** @description What a row spans. */
        interval?: components['parameters']['query_interval'];
        /** @description Only what happened then or earlier. */
        to?: components['parameters']['query_to'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetListGrowthAnswer'];
        };
      };
      400: components['responses']['GetListGrowthBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  listTagCounts: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListTagCountsAnswer'];
        };
      };
      400: components['responses']['ListTagCountsBadRequest'];
      default: components['responses']['General'];
    };
  };
  getTagUse: {
    parameters: {
      query?: {
        /** @description Only what happened then or later. */
        from?: components['parameters']['query_from'];
        /** @description What a row spans. */
        interval?: components['parameters']['query_interval'];
        /** @description Only what happened then or earlier. */
        to?: components['parameters']['query_to'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a tag. */
        tag_id: components['parameters']['path_tag_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetTagUseAnswer'];
        };
      };
      400: components['responses']['GetTagUseBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  listReads: {
    parameters: {
      query?: {
        /** @description Id of an API key: only what was read with it. */
        actor?: components['parameters']['query_actor'];
        /** @description Id or address of a contact: only reads of its record. */
        contact?: components['parameters']['query_contact'];
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description Only what happened then or later. */
        from?: components['parameters']['query_from'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
        /** @description Only what happened then or earlier. */
        to?: components['parameters']['query_to'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListReadsAnswer'];
        };
      };
      400: components['responses']['ListReadsBadRequest'];
      404: components['responses']['ListReadsNotFound'];
      default: components['responses']['General'];
    };
  };
  getContactAt: {
    parameters: {
      query: {
        /** @description Id or name of a list: only what concerns it. */
        list_id?: components['parameters']['query_list_id'];
        /** @description The point in time. */
        time: components['parameters']['query_time'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id or address of a contact. */
        contact: components['parameters']['path_contact'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetContactAtAnswer'];
        };
      };
      400: components['responses']['GetContactAtBadRequest'];
      404: components['responses']['GetContactAtNotFound'];
      default: components['responses']['General'];
    };
  };
  getContactHistory: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description Only what happened then or later. */
        from?: components['parameters']['query_from'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
        /** @description Id or name of a list: only what concerns it. */
        list_id?: components['parameters']['query_list_id'];
        /** @description Only what happened then or earlier. */
        to?: components['parameters']['query_to'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id or address of a contact. */
        contact: components['parameters']['path_contact'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetContactHistoryAnswer'];
        };
      };
      400: components['responses']['GetContactHistoryBadRequest'];
      404: components['responses']['GetContactHistoryNotFound'];
      default: components['responses']['General'];
    };
  };
  getContactProof: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id or address of a contact. */
        contact: components['parameters']['path_contact'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetContactProofAnswer'];
        };
      };
      400: components['responses']['GetContactProofBadRequest'];
      404: components['responses']['GetContactProofNotFound'];
      default: components['responses']['General'];
    };
  };
  getContactReport: {
    parameters: {
      query?: {
        /** @description Id or name of a list: only what concerns it. */
        list_id?: components['parameters']['query_list_id'];
        /** @description The point in time; default: now. */
        time?: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id or address of a contact. */
        contact: components['parameters']['path_contact'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetContactReportAnswer'];
          'text/html': string;
        };
      };
      400: components['responses']['GetContactReportBadRequest'];
      404: components['responses']['GetContactReportNotFound'];
      default: components['responses']['General'];
    };
  };
  getEmailHistory: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of an e-mail. */
        email_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetEmailHistoryAnswer'];
        };
      };
      400: components['responses']['GetEmailHistoryBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description Id of an API key, or the name of one of the configuration: only what was done with it. */
        actor?: string;
        /** @description `next_after` of a page, a position of the log, or `now`: only later events. */
        after?: components['parameters']['query_after'];
        /** @description Id or address of a contact: only the events of its stream. */
        contact?: string;
        /** @description If `true`, events are sent as they happen, as server-sent events. Only `after` and `types` can be used with it. */
        follow?: components['parameters']['query_follow'];
        /** @description A page, or all as lines. */
        format?: 'json' | 'ndjson';
        /** @description Only what happened then or later. */
        from?: components['parameters']['query_from'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
        /** @description Id or name of a list: only events that name it. */
        list_id?: string;
        /** @description Only what this request did. */
        request_id?: components['parameters']['query_request_id'];
        /** @description Name of a stream: only its events. */
        stream?: components['parameters']['query_stream'];
        /** @description Only what happened then or earlier. */
        to?: components['parameters']['query_to'];
        /** @description Names of events, separated by commas: only these. */
        types?: components['parameters']['query_types'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListEventsAnswer'];
          'application/x-ndjson': string;
          'text/event-stream': string;
        };
      };
      400: components['responses']['ListEventsBadRequest'];
      404: components['responses']['ListEventsNotFound'];
      410: components['responses']['ListEventsGone'];
      default: components['responses']['General'];
    };
  };
  getEvent: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Position of an event in the log, with or without zeros in front. */
        position: components['parameters']['path_position'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetEventAnswer'];
        };
      };
      400: components['responses']['GetEventBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  getEventProof: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Position of an event in the log, with or without zeros in front. */
        position: components['parameters']['path_position'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetEventProofAnswer'];
        };
      };
      400: components['responses']['GetEventProofBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  getListAt: {
    parameters: {
      query: {
        /** @description Form of the lines. */
        format?: components['parameters']['query_format'];
        /** @description The point in time. */
        time: components['parameters']['query_time'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id or name of a list. */
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      400: components['responses']['GetListAtBadRequest'];
      404: components['responses']['GetListAtNotFound'];
      default: components['responses']['General'];
    };
  };
  listSeals: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListSealsAnswer'];
        };
      };
      400: components['responses']['ListSealsBadRequest'];
      default: components['responses']['General'];
    };
  };
  confirmClock: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Clock confirmed successfully! */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfirmClockAnswer'];
        };
      };
      400: components['responses']['ConfirmClockBadRequest'];
      default: components['responses']['General'];
    };
  };
  findContact: {
    parameters: {
      query: {
        /** @description An email address of at most 254 bytes, in any letter case. White space around it is removed. */
        email: components['parameters']['query_email'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FindContactAnswer'];
        };
      };
      400: components['responses']['FindContactBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  listContacts: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
        /** @description If `true`, a page that shows a contact is recorded as a read of the list. The console uses this parameter. */
        record?: components['parameters']['query_record'];
        /** @description Only contacts with this status. */
        status?: components['parameters']['query_status'];
        /** @description Only contacts with this tag. */
        tag_name?: components['parameters']['query_tag_name'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListContactsAnswer'];
        };
      };
      400: components['responses']['ListContactsBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  getContact: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a contact. */
        contact_id: components['parameters']['path_contact_id'];
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetContactAnswer'];
        };
      };
      400: components['responses']['GetContactBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  saveContacts: {
    parameters: {
      query?: {
        /** @description If `true`, lines are checked, and nothing is saved. */
        dry_run?: components['parameters']['query_dry_run'];
        /** @description If `false`, a contact that has unsubscribed from the list stays unsubscribed. The other fields of the line are saved. */
        resubscribe?: components['parameters']['query_resubscribe'];
      };
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/x-ndjson': string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': string;
        };
      };
      400: components['responses']['SaveContactsBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  createContact: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with this key gets the first answer and changes nothing. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateContactRequest'];
      };
    };
    responses: {
      /** @description Contact created successfully! */
      200: {
        headers: {
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreateContactAnswer'];
        };
      };
      400: components['responses']['CreateContactBadRequest'];
      404: components['responses']['NotFound'];
      422: components['responses']['CreateContactUnprocessableEntity'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  updateContactStatus: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateContactStatusRequest'];
      };
    };
    responses: {
      /** @description Contact status updated successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UpdateContactStatusAnswer'];
        };
      };
      400: components['responses']['UpdateContactStatusBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  upsertContact: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpsertContactRequest'];
      };
    };
    responses: {
      /** @description Contact saved successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UpsertContactAnswer'];
        };
      };
      400: components['responses']['UpsertContactBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  searchContacts: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SearchContactsRequest'];
      };
    };
    responses: {
      /** @description Contacts searched successfully! */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SearchContactsAnswer'];
        };
      };
      400: components['responses']['SearchContactsBadRequest'];
      default: components['responses']['General'];
    };
  };
  addContactTags: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AddContactTagsRequest'];
      };
    };
    responses: {
      /** @description Tags added successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AddContactTagsAnswer'];
        };
      };
      400: components['responses']['AddContactTagsBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  removeContactTags: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RemoveContactTagsRequest'];
      };
    };
    responses: {
      /** @description Tags removed successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RemoveContactTagsAnswer'];
        };
      };
      400: components['responses']['RemoveContactTagsBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  listEmails: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
        /** @description Only emails in this state. */
        state?: components['parameters']['query_state'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListEmailsAnswer'];
        };
      };
      400: components['responses']['ListEmailsBadRequest'];
      default: components['responses']['General'];
    };
  };
  getEmail: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of an email. */
        email_id: components['parameters']['path_email_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetEmailAnswer'];
        };
      };
      400: components['responses']['GetEmailBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  cancelEmail: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of an email. */
        email_id: components['parameters']['path_email_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Email cancelled successfully! */
      200: {
        headers: {
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CancelEmailAnswer'];
        };
      };
      400: components['responses']['CancelEmailBadRequest'];
      404: components['responses']['NotFound'];
      409: components['responses']['CancelEmailConflict'];
      default: components['responses']['General'];
    };
  };
  releaseEmail: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of an email. */
        email_id: components['parameters']['path_email_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Email released successfully! */
      200: {
        headers: {
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReleaseEmailAnswer'];
        };
      };
      400: components['responses']['ReleaseEmailBadRequest'];
      404: components['responses']['NotFound'];
      409: components['responses']['ReleaseEmailConflict'];
      default: components['responses']['General'];
    };
  };
  takeReport: {
    parameters: {
      query?: never;
      header: {
        /** @description The address that the report was sent to, as the mail server has it. */
        'X-Envelope-To': components['parameters']['X-Envelope-To'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'message/rfc822': string;
      };
    };
    responses: {
      /** @description Report taken! */
      202: {
        headers: {
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TakeReportAnswer'];
        };
      };
      400: components['responses']['TakeReportBadRequest'];
      default: components['responses']['General'];
    };
  };
  sendEmail: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with this key gets the first answer and changes nothing. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SendEmailRequest'];
      };
    };
    responses: {
      /** @description Email accepted for delivery! */
      200: {
        headers: {
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          Location: components['headers']['Location'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SendEmailAnswer'];
        };
      };
      400: components['responses']['SendEmailBadRequest'];
      409: components['responses']['SendEmailConflict'];
      422: components['responses']['SendEmailUnprocessableEntity'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  listGroups: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListGroupsAnswer'];
        };
      };
      400: components['responses']['ListGroupsBadRequest'];
      default: components['responses']['General'];
    };
  };
  getGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a group. */
        group_id: components['parameters']['path_group_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetGroupAnswer'];
        };
      };
      400: components['responses']['GetGroupBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  deleteGroupByPost: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a group. */
        group_id: components['parameters']['path_group_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Group deleted successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteGroupAnswer'];
        };
      };
      400: components['responses']['DeleteGroupBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  deleteGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a group. */
        group_id: components['parameters']['path_group_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Group deleted successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteGroupAnswer'];
        };
      };
      400: components['responses']['DeleteGroupBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  updateGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a group. */
        group_id: components['parameters']['path_group_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateGroupRequest'];
      };
    };
    responses: {
      /** @description Group updated successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UpdateGroupAnswer'];
        };
      };
      400: components['responses']['UpdateGroupBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  createGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with this key gets the first answer and changes nothing. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateGroupRequest'];
      };
    };
    responses: {
      /** @description Group created successfully! */
      200: {
        headers: {
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreateGroupAnswer'];
        };
      };
      400: components['responses']['CreateGroupBadRequest'];
      422: components['responses']['CreateGroupUnprocessableEntity'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  listApiKeys: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListApiKeysAnswer'];
        };
      };
      400: components['responses']['ListApiKeysBadRequest'];
      default: components['responses']['General'];
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with this key gets the first answer and changes nothing. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateApiKeyRequest'];
      };
    };
    responses: {
      /** @description Key created successfully! */
      200: {
        headers: {
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreateApiKeyAnswer'];
        };
      };
      400: components['responses']['CreateApiKeyBadRequest'];
      422: components['responses']['CreateApiKeyUnprocessableEntity'];
      default: components['responses']['General'];
    };
  };
  revokeApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a key. */
        key_id: components['parameters']['path_key_id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['RevokeApiKeyRequest'];
      };
    };
    responses: {
      /** @description Key revoked successfully! */
      200: {
        headers: {
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokeApiKeyAnswer'];
        };
      };
      400: components['responses']['RevokeApiKeyBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  rotateApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a key. */
        key_id: components['parameters']['path_key_id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['RotateApiKeyRequest'];
      };
    };
    responses: {
      /** @description Key rotated successfully! */
      200: {
        headers: {
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RotateApiKeyAnswer'];
        };
      };
      400: components['responses']['RotateApiKeyBadRequest'];
      404: components['responses']['NotFound'];
      409: components['responses']['RotateApiKeyConflict'];
      default: components['responses']['General'];
    };
  };
  getOwnApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetOwnApiKeyAnswer'];
        };
      };
      400: components['responses']['GetOwnApiKeyBadRequest'];
      default: components['responses']['General'];
    };
  };
  listLists: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListListsAnswer'];
        };
      };
      400: components['responses']['ListListsBadRequest'];
      default: components['responses']['General'];
    };
  };
  getList: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetListAnswer'];
        };
      };
      400: components['responses']['GetListBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  deleteListByPost: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List deleted successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteListAnswer'];
        };
      };
      400: components['responses']['DeleteListBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  deleteList: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List deleted successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteListAnswer'];
        };
      };
      400: components['responses']['DeleteListBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  getListDiff: {
    parameters: {
      query: {
        /** @description Form of the lines. */
        format?: components['parameters']['query_format'];
        /** @description The earlier point in time. */
        from: string;
        /** @description The later one. */
        to: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id or name of a list. */
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      400: components['responses']['GetListDiffBadRequest'];
      404: components['responses']['GetListDiffNotFound'];
      default: components['responses']['General'];
    };
  };
  updateList: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a list. */
        list_id: components['parameters']['path_list_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateListRequest'];
      };
    };
    responses: {
      /** @description List updated successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UpdateListAnswer'];
        };
      };
      400: components['responses']['UpdateListBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  createList: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with this key gets the first answer and changes nothing. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateListRequest'];
      };
    };
    responses: {
      /** @description List created successfully! */
      200: {
        headers: {
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreateListAnswer'];
        };
      };
      400: components['responses']['CreateListBadRequest'];
      422: components['responses']['CreateListUnprocessableEntity'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  listErasures: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListErasuresAnswer'];
        };
      };
      400: components['responses']['ListErasuresBadRequest'];
      default: components['responses']['General'];
    };
  };
  requestErasure: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RequestErasureRequest'];
      };
    };
    responses: {
      /** @description Erasure accepted! */
      202: {
        headers: {
          Location: components['headers']['Location'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestErasureAnswer'];
        };
      };
      400: components['responses']['RequestErasureBadRequest'];
      default: components['responses']['General'];
    };
  };
  getErasure: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of an erasure. */
        erasure_id: components['parameters']['path_erasure_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetErasureAnswer'];
        };
      };
      400: components['responses']['GetErasureBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  exportPerson: {
    parameters: {
      query: {
        /** @description An email address of at most 254 bytes, in any letter case. White space around it is removed. */
        email: components['parameters']['query_email'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExportPersonAnswer'];
          'text/html': string;
        };
      };
      400: components['responses']['ExportPersonBadRequest'];
      default: components['responses']['General'];
    };
  };
  listProjections: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListProjectionsAnswer'];
        };
      };
      400: components['responses']['ListProjectionsBadRequest'];
      default: components['responses']['General'];
    };
  };
  startRebuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Name of a view. */
        name: components['parameters']['path_name'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['StartRebuildRequest'];
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StartRebuildAnswer'];
        };
      };
      400: components['responses']['StartRebuildBadRequest'];
      404: components['responses']['StartRebuildNotFound'];
      409: components['responses']['StartRebuildConflict'];
      default: components['responses']['General'];
    };
  };
  getRebuild: {
    parameters: {
      query?: {
        /** @description If `true`, the progress is sent as server-sent events until the rebuild ends. */
        follow?: boolean;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetRebuildAnswer'];
          'text/event-stream': string;
        };
      };
      400: components['responses']['GetRebuildBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  listSuppressions: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
        /** @description Only addresses that refuse mail for this reason. */
        reason?: components['parameters']['query_reason'];
        /** @description Only addresses that refuse mail of this scope. */
        scope?: components['parameters']['query_scope'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListSuppressionsAnswer'];
        };
      };
      400: components['responses']['ListSuppressionsBadRequest'];
      default: components['responses']['General'];
    };
  };
  suppress: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SuppressRequest'];
        /** @example undefined */
        'application/x-ndjson': string;
      };
    };
    responses: {
      /** @description Suppression saved successfully! */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SuppressAnswer'];
          'application/x-ndjson': string;
        };
      };
      400: components['responses']['SuppressBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['General'];
    };
  };
  releaseSuppression: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ReleaseSuppressionRequest'];
      };
    };
    responses: {
      /** @description Suppression released successfully! */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReleaseSuppressionAnswer'];
        };
      };
      400: components['responses']['ReleaseSuppressionBadRequest'];
      default: components['responses']['General'];
    };
  };
  findSuppressions: {
    parameters: {
      query?: never;
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['FindSuppressionsRequest'];
      };
    };
    responses: {
      /** @description Suppressions of the address. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FindSuppressionsAnswer'];
        };
      };
      400: components['responses']['FindSuppressionsBadRequest'];
      default: components['responses']['General'];
    };
  };
  listTags: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListTagsAnswer'];
        };
      };
      400: components['responses']['ListTagsBadRequest'];
      default: components['responses']['General'];
    };
  };
  getTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a tag. */
        tag_id: components['parameters']['path_tag_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetTagAnswer'];
        };
      };
      400: components['responses']['GetTagBadRequest'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  deleteTagByPost: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a tag. */
        tag_id: components['parameters']['path_tag_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Tag deleted successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteTagAnswer'];
        };
      };
      400: components['responses']['DeleteTagBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  deleteTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a tag. */
        tag_id: components['parameters']['path_tag_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Tag deleted successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteTagAnswer'];
        };
      };
      400: components['responses']['DeleteTagBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  updateTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a tag. */
        tag_id: components['parameters']['path_tag_id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateTagRequest'];
      };
    };
    responses: {
      /** @description Tag updated successfully! */
      200: {
        headers: {
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UpdateTagAnswer'];
        };
      };
      400: components['responses']['UpdateTagBadRequest'];
      404: components['responses']['NotFound'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  createTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeat with this key gets the first answer and changes nothing. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateTagRequest'];
      };
    };
    responses: {
      /** @description Tag created successfully! */
      200: {
        headers: {
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'X-Ignored-Fields': components['headers']['X-Ignored-Fields'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreateTagAnswer'];
        };
      };
      400: components['responses']['CreateTagBadRequest'];
      422: components['responses']['CreateTagUnprocessableEntity'];
      default: components['responses']['GeneralOfWrite'];
    };
  };
  listViews: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListViewsAnswer'];
        };
      };
      400: components['responses']['ListViewsBadRequest'];
      default: components['responses']['General'];
    };
  };
  listDocuments: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the previous page. */
        cursor?: components['parameters']['query_cursor'];
        /** @description The most entries of the answer. */
        limit?: components['parameters']['query_limit'];
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Name of a view. */
        name: components['parameters']['path_name'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListDocumentsAnswer'];
        };
      };
      400: components['responses']['ListDocumentsBadRequest'];
      404: components['responses']['ListDocumentsNotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
  getDocument: {
    parameters: {
      query?: never;
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        /** @description Id of a document. */
        id: components['parameters']['path_id'];
        /** @description Name of a view. */
        name: components['parameters']['path_name'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GetDocumentAnswer'];
        };
      };
      400: components['responses']['GetDocumentBadRequest'];
      404: components['responses']['GetDocumentNotFound'];
      405: components['responses']['MethodNotAllowed'];
      default: components['responses']['General'];
    };
  };
}

/** The types of errors that this version knows. */
export type KnownErrorType =
  | 'conflict'
  | 'duplicate'
  | 'forbidden'
  | 'gone'
  | 'idempotency_conflict'
  | 'internal'
  | 'invalid_json'
  | 'method_not_allowed'
  | 'never_in_list'
  | 'not_configured'
  | 'not_found'
  | 'not_in_list'
  | 'rate_limited'
  | 'suppressed'
  | 'too_large'
  | 'unauthorized'
  | 'unavailable'
  | 'unknown_contact'
  | 'unknown_id'
  | 'unknown_list'
  | 'unsupported_media_type'
  | 'validation_error';

/** Method, path, and when a repeat is safe. */
export const operationTable = {
  addContactTags: ['post', '/v1/contacts/tags/{list_id}/add', 'safe'],
  cancelEmail: ['post', '/v1/email/{email_id}/cancel', 'unsafe'],
  confirmClock: ['post', '/v1/clock/confirm', 'unsafe'],
  createApiKey: ['post', '/v1/keys', 'key'],
  createContact: ['post', '/v1/contacts/{list_id}/create', 'key'],
  createGroup: ['post', '/v1/groups/create', 'key'],
  createList: ['post', '/v1/lists/create', 'key'],
  createTag: ['post', '/v1/tags/create', 'key'],
  deleteGroup: ['delete', '/v1/groups/{group_id}/delete', 'safe'],
  deleteGroupByPost: ['post', '/v1/groups/{group_id}/delete', 'safe'],
  deleteList: ['delete', '/v1/lists/{list_id}/delete', 'safe'],
  deleteListByPost: ['post', '/v1/lists/{list_id}/delete', 'safe'],
  deleteTag: ['delete', '/v1/tags/{tag_id}/delete', 'safe'],
  deleteTagByPost: ['post', '/v1/tags/{tag_id}/delete', 'safe'],
  exportPerson: ['get', '/v1/privacy/export', 'safe'],
  findContact: ['get', '/v1/contacts', 'safe'],
  findSuppressions: ['post', '/v1/suppressions/search', 'unsafe'],
  getContact: ['get', '/v1/contacts/{list_id}/{contact_id}', 'safe'],
  getContactAt: ['get', '/v1/audit/contacts/{contact}/at', 'safe'],
  getContactHistory: ['get', '/v1/audit/contacts/{contact}/history', 'safe'],
  getContactProof: ['get', '/v1/audit/contacts/{contact}/proof', 'safe'],
  getContactReport: ['get', '/v1/audit/contacts/{contact}/report', 'safe'],
  getDocument: ['get', '/v1/views/{name}/{id}', 'safe'],
  getEmail: ['get', '/v1/email/{email_id}', 'safe'],
  getEmailHistory: ['get', '/v1/audit/emails/{email_id}/history', 'safe'],
  getEmailOutcomes: ['get', '/v1/analytics/emails/outcomes', 'safe'],
  getErasure: ['get', '/v1/privacy/erasures/{erasure_id}', 'safe'],
  getEvent: ['get', '/v1/audit/events/{position}', 'safe'],
  getEventProof: ['get', '/v1/audit/events/{position}/proof', 'safe'],
  getGroup: ['get', '/v1/groups/{group_id}', 'safe'],
  getIdentity: ['get', '/health/identity', 'safe'],
  getList: ['get', '/v1/lists/{list_id}', 'safe'],
  getListGrowth: ['get', '/v1/analytics/lists/{list_id}/growth', 'safe'],
  getLive: ['get', '/health/live', 'safe'],
  getOpenApi: ['get', '/openapi.json', 'safe'],
  getOwnApiKey: ['get', '/v1/keys/self', 'safe'],
  getReady: ['get', '/health/ready', 'safe'],
  getRebuild: ['get', '/v1/projections/rebuild', 'safe'],
  getTag: ['get', '/v1/tags/{tag_id}', 'safe'],
  getTagUse: ['get', '/v1/analytics/tags/{tag_id}/use', 'safe'],
  listApiKeys: ['get', '/v1/keys', 'safe'],
  listContacts: ['get', '/v1/contacts/{list_id}', 'safe'],
  listDocuments: ['get', '/v1/views/{name}', 'safe'],
  listEmails: ['get', '/v1/email', 'safe'],
  listErasures: ['get', '/v1/privacy/erasures', 'safe'],
  listEvents: ['get', '/v1/audit/events', 'safe'],
  listGroups: ['get', '/v1/groups', 'safe'],
  listListCounts: ['get', '/v1/analytics/lists', 'safe'],
  listLists: ['get', '/v1/lists', 'safe'],
  listProjections: ['get', '/v1/projections', 'safe'],
  listReads: ['get', '/v1/audit/access', 'safe'],
  listSeals: ['get', '/v1/audit/seals', 'safe'],
  listSuppressions: ['get', '/v1/suppressions', 'safe'],
  listTagCounts: ['get', '/v1/analytics/tags', 'safe'],
  listTags: ['get', '/v1/tags', 'safe'],
  listViews: ['get', '/v1/views', 'safe'],
  releaseEmail: ['post', '/v1/email/{email_id}/release', 'unsafe'],
  releaseSuppression: ['post', '/v1/suppressions/release', 'unsafe'],
  removeContactTags: ['post', '/v1/contacts/tags/{list_id}/remove', 'safe'],
  requestErasure: ['post', '/v1/privacy/erasures', 'unsafe'],
  revokeApiKey: ['post', '/v1/keys/{key_id}/revoke', 'unsafe'],
  rotateApiKey: ['post', '/v1/keys/{key_id}/rotate', 'unsafe'],
  searchContacts: ['post', '/v1/contacts/search', 'safe'],
  sendEmail: ['post', '/v1/email/send', 'key'],
  startRebuild: ['post', '/v1/projections/{name}/rebuild', 'unsafe'],
  suppress: ['post', '/v1/suppressions', 'safe'],
  takeReport: ['post', '/v1/email/reports', 'safe'],
  updateContactStatus: ['post', '/v1/contacts/{list_id}/updatestatus', 'safe'],
  updateGroup: ['post', '/v1/groups/{group_id}/update', 'safe'],
  updateList: ['post', '/v1/lists/{list_id}/update', 'safe'],
  updateTag: ['post', '/v1/tags/{tag_id}/update', 'safe'],
  upsertContact: ['post', '/v1/contacts/{list_id}/upsertcontact', 'safe'],
} as const;
