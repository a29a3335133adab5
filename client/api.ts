/** Made by `npm run generate:client` from the OpenAPI document with the SHA-256 67542c7da5653d5e9ca8decd01ab5105d6e156e081c4022ea7d210cbf1f0b8fa. */
export interface paths {
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A page to read this document, and to try the API */
    get: operations['getDocs'];
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
    /** Whether the process runs */
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
    /** Whether the service is ready, part by part */
    get: operations['getReady'];
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
    /** This document */
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
     * @description `contact` is an id or an address. `data` is a file for `verify.mjs`: the events as they are stored, and their places in the log as it is sealed now. Nothing of anybody else is in it, and no e-mails. Needs the scope `audit:read`.
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
     * A page about a contact, made to be printed
     * @description `contact` is an id or an address. The answer in one sentence, every change, the e-mails, and how to check it all. With `Accept: application/json` the same facts as JSON. Needs the scope `audit:read`.
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
     * @description Each line is an upsert of its own. The answer has a line for each, in order, while they are saved; blank lines have none. Needs the scope `contacts:write`.
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
     * @description The answer means: the request is stored durably, and the e-mail will be sent. Needs the scope `email:write`.
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
    /** @description The tags of the request, in their stored spelling. */
    AddedTags: {
      /**
       * @description Id of the first named tag.
       * @example tag_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      tag_id: string;
      /** @description The names of all tags of the request. */
      tag_name: string[];
      tags: components['schemas']['Tag'][];
    };
    ApiKey: {
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      created_at: string;
      expires_at: string | null;
      /**
       * @description Id of an API key: the actor of what is done with it.
       * @example key_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      key_id: string;
      /** @description To the minute. */
      last_used_at: string | null;
      /**
       * @description Name of the key.
       * @example Shop
       */
      name: string;
      previous_until: string | null;
      revoked_at: string | null;
      rotated_at: string | null;
      /** @description What the key may do. */
      scopes: (
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
        | 'audit:read'
        | 'analytics:read'
        | 'projections'
        | 'metrics'
        | 'privacy'
        | 'keys'
      )[];
      /** @enum {string} */
      state: 'active' | 'expired' | 'revoked';
    };
    ChangedEmail: {
      /**
       * @description Id of an e-mail. Opaque, never used again.
       * @example eml_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      email_id: string;
      state: components['schemas']['DeliveryState'];
    };
    ChangedStatus: {
      /**
       * @description Id of a contact. Opaque, never used again.
       * @example con_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      contact_id: string;
      /**
       * @description Id of a list. Opaque, never used again.
       * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      list_id: string;
      status: components['schemas']['SubscriptionStatus'];
    };
    /** @description A contact as it was at a time, with the reason of each fact. */
    ContactAt: components['schemas']['ContactAtWithSubscriptions'] | components['schemas']['ContactAtInList'];
    /** @description With `list_id`. */
    ContactAtInList: {
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      answered_at: string;
      /** @description Null: the address had no contact. */
      contact_id: string | null;
      created_at: string | null;
      /** @description The erasure that ended the contact before the time. Absent where there was none. */
      erased?: components['schemas']['Evidence'];
      /** @description Null: the event that would tell may be unreadable. */
      existed: boolean | null;
      /**
       * @description A time that was asked for had not come: until then the answer may change.
       * @constant
       */
      future?: true;
      head: string | null;
      /**
       * @description Which list was taken for a name.
       * @example "News" stands for the list lst_01J….
       */
      list_note?: string;
      /** @description Null: nothing was ever written to the log. */
      log_id: string | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change?: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      /** @description Number of events in the evidence chain up to there; null: no chain is known. */
      ordinal: number | null;
      /**
       * @description Of the last event of the log that the answer has seen.
       * @example 00000000000000000042
       */
      position: string;
      profile: {
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
      } | null;
      subscription: components['schemas']['SubscriptionAt'];
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      time: string;
      /**
       * @description The events after `ordinal`, up to `position`, have no link yet.
       * @constant
       */
      unlinked?: true;
      /** @description Events at or before the time that cannot be read. Absent where there are none. */
      unreadable?: components['schemas']['UnreadableEvent'][];
    };
    ContactAtWithSubscriptions: {
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      answered_at: string;
      /** @description Null: the address had no contact. */
      contact_id: string | null;
      created_at: string | null;
      /** @description The erasure that ended the contact before the time. Absent where there was none. */
      erased?: components['schemas']['Evidence'];
      /** @description Null: the event that would tell may be unreadable. */
      existed: boolean | null;
      /**
       * @description A time that was asked for had not come: until then the answer may change.
       * @constant
       */
      future?: true;
      head: string | null;
      /**
       * @description Which list was taken for a name.
       * @example "News" stands for the list lst_01J….
       */
      list_note?: string;
      /** @description Null: nothing was ever written to the log. */
      log_id: string | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change?: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      /** @description Number of events in the evidence chain up to there; null: no chain is known. */
      ordinal: number | null;
      /**
       * @description Of the last event of the log that the answer has seen.
       * @example 00000000000000000042
       */
      position: string;
      profile: {
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
      } | null;
      subscriptions: components['schemas']['SubscriptionAt'][];
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      time: string;
      /**
       * @description The events after `ordinal`, up to `position`, have no link yet.
       * @constant
       */
      unlinked?: true;
      /** @description Events at or before the time that cannot be read. Absent where there are none. */
      unreadable?: components['schemas']['UnreadableEvent'][];
    };
    ContactInList: {
      address: string | null;
      because: components['schemas']['EventReference'];
      city: string | null;
      /**
       * @description Id of a contact. Opaque, never used again.
       * @example con_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      contact_id: string;
      country: string | null;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      created_at: string;
      dateOfBirth: string | null;
      /**
       * @description The e-mail address.
       * @example ada@example.com
       */
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
      /**
       * @description Id of a contact. Opaque, never used again.
       * @example con_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      contact_id: string;
      country: string | null;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      created_at: string;
      dateOfBirth: string | null;
      /**
       * @description The e-mail address.
       * @example ada@example.com
       */
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
    ContactWithSubscriptions: {
      address: string | null;
      city: string | null;
      /**
       * @description Id of a contact. Opaque, never used again.
       * @example con_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      contact_id: string;
      country: string | null;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      created_at: string;
      dateOfBirth: string | null;
      /**
       * @description The e-mail address.
       * @example ada@example.com
       */
      email: string;
      firstName: string | null;
      lastName: string | null;
      phone: string | null;
      state: string | null;
      /** @description The lists that the contact is in, by id. */
      subscriptions: components['schemas']['Subscription'][];
      zipcode: string | null;
    };
    CreatedApiKey: {
      expires_at: string | null;
      /**
       * @description Id of an API key: the actor of what is done with it.
       * @example key_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      key_id: string;
      /**
       * @description Name of the key.
       * @example Shop
       */
      name: string;
      /** @description What the key may do. */
      scopes: (
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
        | 'audit:read'
        | 'analytics:read'
        | 'projections'
        | 'metrics'
        | 'privacy'
        | 'keys'
      )[];
      /** @description Shown this once. */
      secret: string;
    };
    /**
     * @description What became of an e-mail.
     * @enum {string}
     */
    DeliveryState: 'requested' | 'sending' | 'sent' | 'deferred' | 'failed' | 'in_doubt' | 'held' | 'cancelled';
    DuplicateEmailError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Email already exist!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'duplicate';
    };
    DuplicateGroupNameError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Group name already exist!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'duplicate';
    };
    DuplicateKeyNameError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Key name already exist!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'duplicate';
    };
    DuplicateListNameError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'List name already exist!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'duplicate';
    };
    DuplicateTagNameError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Tag name already exist!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'duplicate';
    };
    /** @description The state of an e-mail. No addresses, no content. */
    Email: {
      /**
       * @description How often it was tried.
       * @example 3
       */
      attempts: number;
      /**
       * @description Id of an e-mail. Opaque, never used again.
       * @example eml_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      email_id: string;
      last_error: string | null;
      /** @description Null when no attempt is planned, or one runs. */
      next_attempt_at: string | null;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      requested_at: string;
      sent_at: string | null;
      state: components['schemas']['DeliveryState'];
    };
    EmailErasedError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'The email cannot be released: what it said is erased';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 409;
      /** @constant */
      type: 'conflict';
    };
    EmailNotCancellableError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'The email cannot be cancelled';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 409;
      /** @constant */
      type: 'conflict';
    };
    EmailNotReleasableError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'The email cannot be released';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 409;
      /** @constant */
      type: 'conflict';
    };
    /** @description An e-mail to this person. */
    EmailOfHistory: {
      /**
       * @description Id of an e-mail. Opaque, never used again.
       * @example eml_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      email_id: string;
      subject: string | null;
    };
    EmailOutcomes: {
      /**
       * Format: date
       * @description First day of the first row.
       * @example 2026-03-01
       */
      from: string;
      /** @enum {string} */
      interval: 'day' | 'week' | 'month';
      /** @description One for each interval. */
      rows: {
        /**
         * @description Attempts without success that are not the end.
         * @example 3
         */
        deferred: number;
        /**
         * @description E-mails that were given up.
         * @example 3
         */
        failed: number;
        /**
         * Format: date
         * @description First day.
         * @example 2026-03-01
         */
        from: string;
        /**
         * @description E-mails that wait for an operator.
         * @example 3
         */
        held: number;
        /**
         * @description Attempts that perhaps succeeded.
         * @example 3
         */
        in_doubt: number;
        /**
         * @description Failed e-mails that were released: `failed` less these are failed still.
         * @example 3
         */
        reopened: number;
        /**
         * @description E-mails that the API took.
         * @example 3
         */
        requested: number;
        /**
         * @description E-mails that were handed over.
         * @example 3
         */
        sent: number;
        /**
         * Format: date
         * @description Last day.
         * @example 2026-03-01
         */
        to: string;
      }[];
      /**
       * Format: date
       * @description Last day of the last row.
       * @example 2026-03-01
       */
      to: string;
    };
    EmptyError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    /** @description It names nobody. */
    Erasure: {
      completed_at: string | null;
      /** @description Contacts that were erased, 0 or 1. Null until it is completed. */
      contacts: number | null;
      /** @description E-mails that were erased. Null until it is completed. */
      emails: number | null;
      /**
       * @description Id of an erasure.
       * @example ers_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      erasure_id: string;
      reason: string | null;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      requested_at: string;
      /** @enum {string} */
      status: 'requested' | 'completed';
    };
    ErasureOfPerson: {
      completed_at: string | null;
      /** @description The contact that it ended; null: there was none. */
      contact_id: string | null;
      /** @description How many e-mails were erased. */
      emails: number | null;
      erased_at: string | null;
      /**
       * @description Id of the erasure.
       * @example ers_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      erasure_id: string;
      reason: string | null;
      requested_at: string | null;
      requested_by: string | null;
    };
    /** @description The event that made it so. */
    EventReference: {
      /**
       * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
       * @example shop
       */
      actor: string;
      /**
       * Format: date-time
       * @description When it happened. Never earlier than the event before it in the same stream.
       * @example 2026-03-01T10:00:00.123Z
       */
      at: string;
      /** Format: uuid */
      event_id: string;
      /**
       * @description Place in the log. Digits; positions of one log sort as text.
       * @example 00000000000000000042
       */
      position: string;
      /**
       * @description `X-Request-Id` of the request that caused it.
       * @example order-4711
       */
      request_id: string;
      /**
       * @description Name of the event.
       * @example ContactUnsubscribed
       */
      type: string;
    };
    /** @description An event: when, by whom, on which request, and where it stands. */
    Evidence: {
      /**
       * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
       * @example shop
       */
      actor: string;
      /**
       * Format: date-time
       * @description When it happened. Never earlier than the event before it in the same stream.
       * @example 2026-03-01T10:00:00.123Z
       */
      at: string;
      /**
       * @description The event that caused this one; the correlation id where a request did.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      causation_id: string;
      /**
       * @description One id per request.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      correlation_id: string;
      /** Format: uuid */
      event_id: string;
      /**
       * @description Place in the log. Digits; positions of one log sort as text.
       * @example 00000000000000000042
       */
      position: string;
      /**
       * @description `X-Request-Id` of the request that caused it.
       * @example order-4711
       */
      request_id: string;
      /**
       * @description Place in the stream, from 0.
       * @example 3
       */
      revision: number;
      /**
       * @description The stream that the event stands in.
       * @example contact-0123456789abcdef0123456789abcdef
       */
      stream: string;
      /**
       * @description The event in plain words.
       * @example Unsubscribed from the list "News".
       */
      summary: string;
      /**
       * @description Name of the event.
       * @example ContactUnsubscribed
       */
      type: string;
    };
    ExportedEmail: {
      /**
       * @description Id of an e-mail. Opaque, never used again.
       * @example eml_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      email_id: string;
      /** @description What it said is gone. */
      erased: boolean;
      /** @description Null where it is erased or cannot be read. */
      requested: {
        /**
         * @description HTML.
         * @example <p>Thank you!</p>
         */
        body: string;
        /**
         * @description As it was requested.
         * @example News <news@example.com>
         */
        from: string;
        /**
         * @description The subject.
         * @example Your order
         */
        subject: string;
        /**
         * @description The e-mail address.
         * @example ada@example.com
         */
        to: string;
        variables?: {
          [key: string]: unknown;
        };
      } | null;
      /** @description With the variables filled in. Absent where there are none. */
      sent_as?: {
        /**
         * @description HTML.
         * @example <p>Thank you!</p>
         */
        body: string;
        /**
         * @description The subject.
         * @example Your order
         */
        subject: string;
      };
      /** @description What became of it, the request first. */
      steps: {
        at: string | null;
        by: string | null;
        request_id: string | null;
        /**
         * @description What the mail server answered.
         * @example 250 OK
         */
        response?: string;
        /**
         * @description The event in plain words.
         * @example The e-mail was sent.
         */
        summary: string;
        /**
         * @description Name of the event.
         * @example EmailSent
         */
        type: string;
      }[];
    };
    FailingSeal: {
      /**
       * @description Events that were sealed.
       * @example 3
       */
      count: number;
      /**
       * @description Why it does not hold.
       * @example the tree has another root there
       */
      reason: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      sealed_at: string;
    };
    /** @description An event as it is stored. */
    FeedEvent: {
      actor: string | null;
      /** @description Null where the metadata cannot be read; so are the next five. */
      at: string | null;
      causation_id: string | null;
      correlation_id: string | null;
      /** @description As stored; a text where it is no JSON. */
      data: unknown;
      /** Format: uuid */
      event_id: string;
      /**
       * @description Place in the log. Digits; positions of one log sort as text.
       * @example 00000000000000000042
       */
      position: string;
      request_id: string | null;
      /**
       * @description Place in the stream, from 0.
       * @example 3
       */
      revision: number;
      /** @description Version of the shape of `data`. */
      schema: number | null;
      /**
       * @description The stream that the event stands in.
       * @example contact-0123456789abcdef0123456789abcdef
       */
      stream: string;
      /**
       * @description Name of the event.
       * @example ContactUnsubscribed
       */
      type: string;
    };
    ForbiddenError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 403;
      /** @constant */
      type: 'forbidden';
    };
    GivenTwiceError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    Group: {
      /**
       * @description Id of a group. Opaque, never used again.
       * @example grp_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      group_id: string;
      /**
       * @description Name of the group, as it was given.
       * @example Friends
       */
      group_name: string;
    };
    /** @description An event of a contact, of its lists and tags, or of an e-mail to it. What does not apply is absent. */
    HistoryEvent: {
      /**
       * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
       * @example shop
       */
      actor: string;
      /**
       * Format: date-time
       * @description When it happened. Never earlier than the event before it in the same stream.
       * @example 2026-03-01T10:00:00.123Z
       */
      at: string;
      /**
       * @description The event that caused this one; the correlation id where a request did.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      causation_id: string;
      consent?: {
        /**
         * @description IPv4 or IPv6.
         * @example 203.0.113.7
         */
        ip?: string;
        /**
         * @description Why the data may be used.
         * @example consent
         */
        legal_basis?: string;
        /**
         * Format: date-time
         * @description When the person agreed.
         * @example 2026-03-01T10:00:00.123Z
         */
        occurred_at?: string;
        /**
         * @description Where the person agreed.
         * @example signup form
         */
        source?: string;
        /**
         * @description What the person agreed to, as it was shown.
         * @example Yes, send me the newsletter.
         */
        statement?: string;
      };
      /** @description Null where nothing says whose it is. */
      contact_id: string | null;
      /**
       * @description One id per request.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      correlation_id: string;
      /** @description The event in full, as docs/events.md has it; of an e-mail without its text. */
      data: {
        [key: string]: unknown;
      };
      email?: components['schemas']['EmailOfHistory'];
      /** Format: uuid */
      event_id: string;
      list?: {
        /** @description Null while it exists. */
        deleted_at: string | null;
        /**
         * @description Id of a list. Opaque, never used again.
         * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
         */
        list_id: string;
        /**
         * @description The name now; of a deleted one the last.
         * @example Letters
         */
        name_now: string;
        /**
         * @description The name when the event was written.
         * @example News
         */
        name_then: string;
      };
      /** @description On an event of a tag: the lists in which the contact bore it. */
      list_ids?: string[];
      /**
       * @description Place in the log. Digits; positions of one log sort as text.
       * @example 00000000000000000042
       */
      position: string;
      /** @description Null on the first event in a list. */
      previous_status?: components['schemas']['SubscriptionStatus'] | null;
      /**
       * @description `X-Request-Id` of the request that caused it.
       * @example order-4711
       */
      request_id: string;
      /**
       * @description Place in the stream, from 0.
       * @example 3
       */
      revision: number;
      /** @description Null when the list was deleted. */
      status?: components['schemas']['SubscriptionStatus'] | null;
      /**
       * @description The stream that the event stands in.
       * @example contact-0123456789abcdef0123456789abcdef
       */
      stream: string;
      /**
       * @description The event in plain words.
       * @example Unsubscribed from the list "News".
       */
      summary: string;
      tags?: {
        /** @description Null while it exists. */
        deleted_at: string | null;
        /**
         * @description The name now; of a deleted one the last.
         * @example Letters
         */
        name_now: string;
        /**
         * @description The name when the event was written.
         * @example News
         */
        name_then: string;
        /**
         * @description Id of a tag. Opaque, never used again.
         * @example tag_01JQ8ZK3V5W7X9YABCDEFGHJKM
         */
        tag_id: string;
        /**
         * @description It was written after the deletion and changed nothing.
         * @constant
         */
        without_effect?: true;
      }[];
      /**
       * @description Name of the event.
       * @example ContactUnsubscribed
       */
      type: string;
      /**
       * @description It was written after the deletion and changed nothing.
       * @constant
       */
      without_effect?: true;
    };
    HistoryItem: components['schemas']['HistoryEvent'] | components['schemas']['UnreadableHistoryEvent'];
    IdempotencyConflictError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Idempotency-Key was used with a different request';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 422;
      /** @constant */
      type: 'idempotency_conflict';
    };
    IdempotencyUnsupportedError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Idempotency-Key is not supported here';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InternalError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Sorry! Something went wrong.';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 500;
      /** @constant */
      type: 'internal';
    };
    InternalUpdateError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Sorry! Something went wrong at our side.';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 500;
      /** @constant */
      type: 'internal';
    };
    InTheFutureError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidAfterError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'after is not a position of this log';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidCharactersError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidCodeError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidCursorError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'cursor is not valid';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidDateError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidEmailError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidIdempotencyKeyError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Idempotency-Key must be 1 to 255 visible ASCII characters';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidIpError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidJsonError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Request body must be a JSON object';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'invalid_json';
    };
    InvalidLimitError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'limit must be a whole number from 1 to 200';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidMomentError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidNumberError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidOverlapError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidPhoneError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidPositionError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'X-Min-Position is not a position of this log';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidRangeError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'from must not be after to';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidStatusError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'status must be Subscribed or Unsubscribed';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidTemplateError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    InvalidTimeError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    KeyNotRotatableError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'The API key cannot be rotated';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 409;
      /** @constant */
      type: 'conflict';
    };
    List: {
      /**
       * @description Id of a list. Opaque, never used again.
       * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      list_id: string;
      /**
       * @description Name of the list, as it was given.
       * @example Newsletter
       */
      list_name: string;
    };
    /** @description The list, its members, what could not be read, and the end. */
    ListAtLine:
      | {
          /**
           * Format: date-time
           * @description ISO 8601, UTC, with milliseconds.
           * @example 2026-03-01T10:00:00.123Z
           */
          answered_at: string;
          /** @description Its creation, last rename or deletion. */
          because: components['schemas']['Evidence'] | null;
          /**
           * @description A time that was asked for had not come: until then the answer may change.
           * @constant
           */
          future?: true;
          head: string | null;
          /** @constant */
          line: 'list';
          /**
           * @description Id of a list. Opaque, never used again.
           * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
           */
          list_id: string;
          /** @description Null before the list was created. */
          list_name: string | null;
          /**
           * @description Which list was taken for a name.
           * @example "News" stands for the list lst_01J….
           */
          list_note?: string;
          /** @description Null: nothing was ever written to the log. */
          log_id: string | null;
          /** @description Number of events in the evidence chain up to there; null: no chain is known. */
          ordinal: number | null;
          /**
           * @description Of the last event of the log that the answer has seen.
           * @example 00000000000000000042
           */
          position: string;
          /** @enum {string} */
          state: 'living' | 'deleted' | 'not_created';
          /**
           * Format: date-time
           * @description ISO 8601, UTC, with milliseconds.
           * @example 2026-03-01T10:00:00.123Z
           */
          time: string;
          /**
           * @description The events after `ordinal`, up to `position`, have no link yet.
           * @constant
           */
          unlinked?: true;
        }
      | {
          because: components['schemas']['EventReference'];
          /**
           * @description Id of a contact. Opaque, never used again.
           * @example con_01JQ8ZK3V5W7X9YABCDEFGHJKM
           */
          contact_id: string;
          /** @description Null where the person is erased, or the creation of the contact cannot be read. */
          email: string | null;
          /** @constant */
          line: 'member';
          status: components['schemas']['SubscriptionStatus'];
          tags: components['schemas']['Tag'][];
        }
      | {
          /**
           * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
           * @example shop
           */
          actor?: string;
          /**
           * Format: date-time
           * @description When it happened. Never earlier than the event before it in the same stream.
           * @example 2026-03-01T10:00:00.123Z
           */
          at?: string;
          /**
           * @description The event that caused this one; the correlation id where a request did.
           * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
           */
          causation_id?: string;
          /** @description Null where nothing says whose it is. */
          contact_id: string | null;
          /**
           * @description One id per request.
           * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
           */
          correlation_id?: string;
          /** Format: uuid */
          event_id: string;
          /** @constant */
          line: 'unreadable';
          /**
           * @description Place in the log. Digits; positions of one log sort as text.
           * @example 00000000000000000042
           */
          position: string;
          /**
           * @description `X-Request-Id` of the request that caused it.
           * @example order-4711
           */
          request_id?: string;
          /**
           * @description Place in the stream, from 0.
           * @example 3
           */
          revision: number;
          /**
           * @description The stream that the event stands in.
           * @example contact-0123456789abcdef0123456789abcdef
           */
          stream: string;
          /**
           * @description The event in plain words.
           * @example Unsubscribed from the list "News".
           */
          summary: string;
          /**
           * @description Name of the event.
           * @example ContactUnsubscribed
           */
          type: string;
        }
      | {
          /** @constant */
          line: 'end';
          /** @example 3 */
          members: number;
          /**
           * @description Events that could not be read.
           * @example 3
           */
          unreadable?: number;
        };
    ListedView: {
      /** @description Fields that hold texts and are asked for one of them. */
      array_fields: string[];
      /** @description The fields of each index, in its order. */
      indexes: string[][];
      /**
       * @description Name of the view.
       * @example contacts
       */
      name: string;
      /** @example 3 */
      version: number;
    };
    ListGrowth: {
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      created_at: string;
      /** @description Null while it exists. */
      deleted_at: string | null;
      /**
       * Format: date
       * @description First day of the first row.
       * @example 2026-03-01
       */
      from: string;
      /** @enum {string} */
      interval: 'day' | 'week' | 'month';
      /**
       * @description Id of a list. Opaque, never used again.
       * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      list_id: string;
      /**
       * @description Name of the list, as it was given.
       * @example Newsletter
       */
      list_name: string;
      /** @description One for each interval. */
      rows: {
        /**
         * @description Were subscribed when the person was erased.
         * @example 2
         */
        erased: number;
        /**
         * Format: date
         * @description First day.
         * @example 2026-03-01
         */
        from: string;
        /**
         * @description Subscribed for the first time.
         * @example 2
         */
        joined: number;
        /**
         * @description Were subscribed when the list was deleted.
         * @example 2
         */
        left_with_list: number;
        /**
         * @description `joined` + `resubscribed` − `unsubscribed` − `erased` − `left_with_list`.
         * @example 2
         */
        net: number;
        /**
         * @description Came back.
         * @example 2
         */
        resubscribed: number;
        /**
         * Format: date
         * @description Last day.
         * @example 2026-03-01
         */
        to: string;
        /**
         * @description Are subscribed at the end of the interval.
         * @example 2
         */
        total: number;
        /**
         * @description Left the list.
         * @example 2
         */
        unsubscribed: number;
      }[];
      /**
       * Format: date
       * @description Last day of the last row.
       * @example 2026-03-01
       */
      to: string;
    };
    MethodNotAllowedError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Method not allowed';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 405;
      /** @constant */
      type: 'method_not_allowed';
    };
    NeverInListError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 404;
      /** @constant */
      type: 'never_in_list';
    };
    NoIndexError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NoSuchContactError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'There is no such contact';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 404;
      /** @constant */
      type: 'unknown_contact';
    };
    NoSuchListError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'There is no such list';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 404;
      /** @constant */
      type: 'unknown_list';
    };
    NoSuchListNearError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 404;
      /** @constant */
      type: 'unknown_list';
    };
    NoSuchViewError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 404;
      /** @constant */
      type: 'not_found';
    };
    NotABooleanError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NotAnArrayError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NotAnObjectError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NotAScalarError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NotAStringError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NotFoundError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Resource not found';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 404;
      /** @constant */
      type: 'not_found';
    };
    NotInListError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Please provide valid contact email!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'not_in_list';
    };
    NotInTheFutureError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NotNdjsonError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Content-Type must be application/x-ndjson';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 415;
      /** @constant */
      type: 'unsupported_media_type';
    };
    NotOneOfError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    NotOnlyStringsError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    /** @description What is stored about an address: as contact and as recipient of e-mails. */
    PersonExport: {
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      answered_at: string;
      /**
       * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
       * @example shop
       */
      asked_by: string;
      /** @description As it is now. Null: the address never had a contact. */
      contact: components['schemas']['ContactAt'] | null;
      /**
       * @description As it was asked for.
       * @example ada@example.com
       */
      email: string;
      /** @description In the order of their requests. */
      emails: components['schemas']['ExportedEmail'][];
      /**
       * @description The e-mails are complete up to there.
       * @example 00000000000000000042
       */
      emails_until: string;
      /** @description Earlier lives. */
      erasures: components['schemas']['ErasureOfPerson'][];
      /**
       * @description A time that was asked for had not come: until then the answer may change.
       * @constant
       */
      future?: true;
      head: string | null;
      /** @description Every change, oldest first. */
      history: {
        /** @description What it changed in the profile; null: there was no value. */
        changes: {
          after: string | null;
          before: string | null;
          field: string;
        }[];
        event: components['schemas']['HistoryItem'];
      }[];
      kept_after_erasure: {
        what: string;
        why: string;
      }[];
      /** @description False: where was searched, nothing is stored about this address, but who looked for it. */
      known: boolean;
      /**
       * @description Which list was taken for a name.
       * @example "News" stands for the list lst_01J….
       */
      list_note?: string;
      /** @description Null: nothing was ever written to the log. */
      log_id: string | null;
      /** @description Where something about the person may be all the same, in words. */
      not_searched: string[];
      /** @description Number of events in the evidence chain up to there; null: no chain is known. */
      ordinal: number | null;
      /**
       * @description Of the last event of the log that the answer has seen.
       * @example 00000000000000000042
       */
      position: string;
      /** @description Who looked at this record, this reading included where reads are recorded. */
      readings: components['schemas']['ReadRecord'][];
      /**
       * @description The events after `ordinal`, up to `position`, have no link yet.
       * @constant
       */
      unlinked?: true;
    };
    /** @description The events of one contact, proven to be in the sealed log. */
    Proof: {
      /** @description Events that were sealed. */
      count: number;
      /** @description Ordinals of the deletions of all lists and tags that the events name. */
      deletions: number[];
      /** @description In the order of the log. */
      events: {
        /** @description JSON as it is stored. */
        data: string;
        event_id: string;
        /** @description JSON as it is stored. */
        metadata: string;
        /** @description Number of the event in the log, from 1. */
        ordinal: number;
        /** @description From the leaf to the root: RFC 9162, 2.1.3.1. */
        path: string[];
        revision: number;
        stream: string;
        type: string;
      }[];
      /** @constant */
      format: 'audience-ledger-proof/1';
      /** @description Link of the last of them. */
      head: string;
      /** @description Of the stream at the seal. */
      last_revision: number;
      log_id: string;
      /** @constant */
      note: 'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.';
      /** @description Ed25519, SPKI in DER, base64. */
      public_key: string;
      /** @description Root of the tree over them. */
      root: string;
      sealed_at: string;
      /** @description Over the fields of all members before it, base64. */
      signature: string;
      stream: string;
    };
    RateLimitedError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Too many requests hit the API too quickly.';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 429;
      /** @constant */
      type: 'rate_limited';
    };
    Readiness: {
      /** @description Absent where another process carries erasures through. */
      erasures?: {
        /**
         * @description Erasures that cannot be completed yet.
         * @example 3
         */
        waiting: number;
        /** @description The first hundred. */
        why: {
          erasure_id: string;
          /** @enum {string} */
          reason: 'email_being_sent' | 'view_being_built' | 'unreadable_event' | 'unavailable' | 'failed';
        }[];
      };
      event_store: {
        head: string | null;
        reachable: boolean;
        writable: boolean;
      };
      /** @description The chain of evidence; absent where another process keeps it. */
      evidence?: {
        /** @example 3 */
        count: number;
        fault?: string | null;
        head: string;
        /**
         * @description A position of the log; empty while nothing is known.
         * @example 00000000000000000042
         */
        position: string;
        verified?: boolean;
      };
      log_lines: {
        /** @example 3 */
        dropped: number;
      };
      /** @description Absent where another process sends. */
      mailer?: {
        relay: {
          /**
           * @description At most, now: fewer than configured after the mail server said that there are too many.
           * @example 3
           */
          connections: number;
          /** @description What the mail server last said. E-mails wait meanwhile. Absent while it takes e-mails. */
          refuses?: {
            enhanced_code?: string;
            /** @description As in the reasons of events. */
            reason: string;
            /**
             * Format: date-time
             * @description No e-mail was taken since then.
             * @example 2026-03-01T10:00:00.123Z
             */
            since: string;
            /** @example 3 */
            smtp_code?: number;
            /** @description What is wrong with TLS: a code of OpenSSL or Node. */
            tls_code?: string;
          };
        };
        /** @example 3 */
        running: number;
        worklist_readable: boolean;
      };
      projections: {
        caught_up: boolean;
        /**
         * @description Milliseconds.
         * @example 3
         */
        lag_ms: number;
        missing: string[];
        parked: {
          /**
           * @description Of the event that cannot be folded.
           * @example 00000000000000000042
           */
          position: string;
          /**
           * @description Why. Nothing personal.
           * @example ContactCreated for a document that exists
           */
          reason: string;
          /**
           * @description A stream that the view no longer folds.
           * @example contact-0123456789abcdef0123456789abcdef
           */
          stream: string;
          /**
           * @description Name of the view.
           * @example contacts
           */
          view: string;
        }[];
        /**
         * @description A position of the log; empty while nothing is known.
         * @example 00000000000000000042
         */
        position: string;
        /** @enum {string} */
        projector: 'leading' | 'standby' | 'elsewhere';
        rebuilding: boolean;
        /** @description By type. */
        unknown_events: {
          [key: string]: number;
        };
      };
      read_models: {
        reachable: boolean;
      };
      roles: {
        api: boolean;
        mailer: boolean;
        projector: boolean;
      };
    };
    /** @description Somebody looked. */
    ReadRecord: {
      actor: string | null;
      /** @description Null where the event cannot be read; so may be all but `position`. */
      at: string | null;
      /** @description Of the times that were asked for; null: none. */
      from: string | null;
      /**
       * @description Place in the log. Digits; positions of one log sort as text.
       * @example 00000000000000000042
       */
      position: string;
      request_id: string | null;
      subject: string | null;
      /** @description Of the times that were asked for; null: none. */
      to: string | null;
      what: string | null;
    };
    Rebuild: {
      /** @description The new views go live although they differ. */
      accept_differences?: boolean;
      /** @enum {string} */
      cause: 'request' | 'start';
      dry_run: boolean;
      /** @description Why it does not go on, or why it failed. */
      fault: string | null;
      finished_at: string | null;
      outcome: ('switched' | 'checked' | 'prepared' | 'differs' | 'poison') | null;
      poison: {
        /** @description Of the event that ended the rebuild, as stored. */
        data: string | null;
        /** Format: uuid */
        event_id: string;
        /**
         * @description Name of the event.
         * @example ContactUnsubscribed
         */
        event_type: string;
        /** @description Of the event that ended the rebuild, as stored. */
        metadata: string | null;
        /**
         * @description Of the event that cannot be folded.
         * @example 00000000000000000042
         */
        position: string;
        /**
         * @description Why. Nothing personal.
         * @example ContactCreated for a document that exists
         */
        reason: string;
        /**
         * @description A stream that the view no longer folds.
         * @example contact-0123456789abcdef0123456789abcdef
         */
        stream: string;
        /**
         * @description Name of the view.
         * @example contacts
         */
        view: string;
      } | null;
      progress: {
        /** @example 3 */
        documents_compared: number;
        /** @example 3 */
        events: number;
        /** @example 3 */
        events_per_second: number;
        /**
         * @description A position of the log; empty while nothing is known.
         * @example 00000000000000000042
         */
        position: string;
        /** @description Null while it cannot be told. */
        seconds_left: number | null;
        /** @description Of the bulk build. */
        share: number;
        /** @enum {string} */
        stage: 'filling' | 'catching_up' | 'comparing' | 'switching';
        /**
         * @description A position of the log; empty while nothing is known.
         * @example 00000000000000000042
         */
        until: string;
      } | null;
      /** Format: uuid */
      rebuild_id: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      requested_at: string;
      results: {
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
        /**
         * @description Name of the view.
         * @example contacts
         */
        name: string;
        /** @example 3 */
        storage_version: number;
        /** @example 3 */
        version: number;
      }[];
      /** @enum {string} */
      state: 'waiting' | 'running' | 'finished' | 'failed';
      views: string[];
    };
    RebuildRunningError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'A rebuild is running already';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 409;
      /** @constant */
      type: 'conflict';
    };
    RecipientErasedError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'The email cannot be released: its recipient asked to be erased';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 409;
      /** @constant */
      type: 'conflict';
    };
    /** @description What a page about a contact tells. */
    Report: {
      /**
       * @description In one sentence.
       * @example At 2026-03-01T10:00:00.000Z ada@example.com was subscribed to the list “News”.
       */
      answer: string;
      contact: components['schemas']['ContactAt'];
      emails: {
        /**
         * @description Id of an e-mail. Opaque, never used again.
         * @example eml_01JQ8ZK3V5W7X9YABCDEFGHJKM
         */
        email_id: string;
        /** @description What happened last. */
        outcome: string;
        outcome_at: string | null;
        requested_at: string | null;
        /** @description Null where the key may not see it. */
        subject: string | null;
      }[];
      /** @description The e-mails are complete up to there. */
      emails_until: string | null;
      /** @description The newest in the data folder that does not hold; null: there is none. */
      failing_seal: components['schemas']['FailingSeal'] | null;
      /** @description Every change, oldest first. */
      history: {
        event: components['schemas']['HistoryItem'];
        /** @description Number of the event in the log. */
        ordinal: number | null;
      }[];
      not_proven: string[];
      question: {
        /**
         * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
         * @example shop
         */
        asked_by: string;
        /**
         * @description As it was asked for.
         * @example ada@example.com
         */
        contact: string;
        list_id: string | null;
        /**
         * Format: date-time
         * @description ISO 8601, UTC, with milliseconds.
         * @example 2026-03-01T10:00:00.123Z
         */
        time: string;
      };
      /** @description The newest in the data folder that holds. */
      seal: components['schemas']['ReportSeal'] | null;
    };
    ReportSeal: {
      /**
       * @description Events that were sealed.
       * @example 3
       */
      count: number;
      /**
       * @description Link of the last of them.
       * @example 5f2b7c0d9e8a4b1c6d3e2f1a0b9c8d7e5f2b7c0d9e8a4b1c6d3e2f1a0b9c8d7e
       */
      head: string;
      /**
       * @description Of the public key that signed.
       * @example 5f2b7c0d9e8a4b1c6d3e2f1a0b9c8d7e5f2b7c0d9e8a4b1c6d3e2f1a0b9c8d7e
       */
      key_fingerprint: string;
      /**
       * @description Root of the tree over them.
       * @example 5f2b7c0d9e8a4b1c6d3e2f1a0b9c8d7e5f2b7c0d9e8a4b1c6d3e2f1a0b9c8d7e
       */
      root: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      sealed_at: string;
    };
    RequiredError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    ReservedNameError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    RevokedApiKey: {
      /**
       * @description Id of an API key: the actor of what is done with it.
       * @example key_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      key_id: string;
      /** @constant */
      state: 'revoked';
    };
    RotatedApiKey: {
      /**
       * @description Id of an API key: the actor of what is done with it.
       * @example key_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      key_id: string;
      /**
       * Format: date-time
       * @description Until then the secret before holds, too.
       * @example 2026-03-01T10:00:00.123Z
       */
      previous_until: string;
      /** @description Shown this once. */
      secret: string;
    };
    /** @description A contact that was created or saved. `email` is as the request has it. */
    SavedContact: {
      /**
       * @description Id of a contact. Opaque, never used again.
       * @example con_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      contact_id: string;
      /**
       * @description The e-mail address.
       * @example ada@example.com
       */
      email: string;
      status: components['schemas']['SubscriptionStatus'];
    };
    Subscription: {
      because: components['schemas']['EventReference'];
      /**
       * @description Id of a list. Opaque, never used again.
       * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      list_id: string;
      /**
       * @description Name of the list, as it was given.
       * @example Newsletter
       */
      list_name: string;
      status: components['schemas']['SubscriptionStatus'];
      /** @description The tags of the contact in this list, by id. */
      tags: components['schemas']['Tag'][];
    };
    SubscriptionAt: {
      /** @description The event that made it so; null: it has always been so. */
      because: components['schemas']['Evidence'] | null;
      /** @description The last consent that was recorded for the list, also after its deletion. */
      consent: {
        because: components['schemas']['Evidence'];
        /**
         * @description IPv4 or IPv6.
         * @example 203.0.113.7
         */
        ip?: string;
        /**
         * @description Why the data may be used.
         * @example consent
         */
        legal_basis?: string;
        /**
         * Format: date-time
         * @description When the person agreed.
         * @example 2026-03-01T10:00:00.123Z
         */
        occurred_at?: string;
        /**
         * @description Where the person agreed.
         * @example signup form
         */
        source?: string;
        /**
         * @description What the person agreed to, as it was shown.
         * @example Yes, send me the newsletter.
         */
        statement?: string;
      } | null;
      /**
       * @description Id of a list. Opaque, never used again.
       * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      list_id: string;
      /** @description As it was; null before the list was created. */
      list_name: string | null;
      /** @description The first event after the time that changed it; null: none. */
      next_change: components['schemas']['Evidence'] | null;
      /** @description An unreadable event that may be the next change. */
      next_unreadable?: components['schemas']['UnreadableEvent'];
      /** @description Null: not in this list. */
      status: components['schemas']['SubscriptionStatus'] | null;
      tags: {
        /** @description The event that made it so; null: it has always been so. */
        because: components['schemas']['Evidence'] | null;
        /** @description The first event after the time that changed it; null: none. */
        next_change: components['schemas']['Evidence'] | null;
        /** @description An unreadable event that may be the next change. */
        next_unreadable?: components['schemas']['UnreadableEvent'];
        /**
         * @description Id of a tag. Opaque, never used again.
         * @example tag_01JQ8ZK3V5W7X9YABCDEFGHJKM
         */
        tag_id: string;
        /**
         * @description Name of the tag, as it was given.
         * @example VIP
         */
        tag_name: string;
      }[];
    };
    /**
     * @description The status of a contact in a list.
     * @enum {string}
     */
    SubscriptionStatus: 'Subscribed' | 'Unsubscribed';
    Tag: {
      /**
       * @description Id of a tag. Opaque, never used again.
       * @example tag_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      tag_id: string;
      /**
       * @description Name of the tag, as it was given.
       * @example VIP
       */
      tag_name: string;
    };
    TagUse: {
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-03-01T10:00:00.123Z
       */
      created_at: string;
      /** @description Null while it exists. */
      deleted_at: string | null;
      /**
       * Format: date
       * @description First day of the first row.
       * @example 2026-03-01
       */
      from: string;
      /** @enum {string} */
      interval: 'day' | 'week' | 'month';
      /** @description One for each interval. */
      rows: {
        /**
         * @description The tag was attached.
         * @example 2
         */
        attached: number;
        /**
         * @description The tag was detached.
         * @example 2
         */
        detached: number;
        /**
         * @description Borne by a person who was erased.
         * @example 2
         */
        erased: number;
        /**
         * Format: date
         * @description First day.
         * @example 2026-03-01
         */
        from: string;
        /**
         * @description Bear it at the end of the interval.
         * @example 2
         */
        in_use: number;
        /**
         * @description Bore it in a list when that list was deleted.
         * @example 2
         */
        left_with_list: number;
        /**
         * @description Bore it when the tag itself was deleted.
         * @example 2
         */
        left_with_tag: number;
        /**
         * @description `attached` − `detached` − `erased` − `left_with_list` − `left_with_tag`.
         * @example 2
         */
        net: number;
        /**
         * Format: date
         * @description Last day.
         * @example 2026-03-01
         */
        to: string;
      }[];
      /**
       * @description Id of a tag. Opaque, never used again.
       * @example tag_01JQ8ZK3V5W7X9YABCDEFGHJKM
       */
      tag_id: string;
      /**
       * @description Name of the tag, as it was given.
       * @example VIP
       */
      tag_name: string;
      /**
       * Format: date
       * @description Last day of the last row.
       * @example 2026-03-01
       */
      to: string;
    };
    TooDeepError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    TooLargeError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Request body is too large';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 413;
      /** @constant */
      type: 'too_large';
    };
    TooManyBytesError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    TooManyCharactersError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    TooManyEventsError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    TooManyNamesError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    TooManyRowsError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    TooManyTagsError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    TooManyValuesError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    UnauthorizedError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Please send valid apikey in header!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 401;
      /** @constant */
      type: 'unauthorized';
    };
    UnavailableError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Service temporarily unavailable, please retry.';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 503;
      /** @constant */
      type: 'unavailable';
    };
    UnknownContactError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Please provide valid contact email!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'unknown_id';
    };
    UnknownFieldError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    UnknownFieldNearError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    UnknownGroupError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Please provide valid group id!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'unknown_id';
    };
    UnknownListError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Please provide valid list id!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'unknown_id';
    };
    UnknownParameterError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    UnknownParameterNearError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    UnknownScopeError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'validation_error';
    };
    UnknownTagError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Please provide valid tag id!';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 400;
      /** @constant */
      type: 'unknown_id';
    };
    UnknownViewError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      message: string;
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 404;
      /** @constant */
      type: 'not_found';
    };
    /** @description An event that this version of the service cannot read. Time, actor and request stand there where they are readable. */
    UnreadableEvent: {
      /**
       * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
       * @example shop
       */
      actor?: string;
      /**
       * Format: date-time
       * @description When it happened. Never earlier than the event before it in the same stream.
       * @example 2026-03-01T10:00:00.123Z
       */
      at?: string;
      /**
       * @description The event that caused this one; the correlation id where a request did.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      causation_id?: string;
      /** @description Null where nothing says whose it is. */
      contact_id: string | null;
      /**
       * @description One id per request.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      correlation_id?: string;
      /** Format: uuid */
      event_id: string;
      /**
       * @description Place in the log. Digits; positions of one log sort as text.
       * @example 00000000000000000042
       */
      position: string;
      /**
       * @description `X-Request-Id` of the request that caused it.
       * @example order-4711
       */
      request_id?: string;
      /**
       * @description Place in the stream, from 0.
       * @example 3
       */
      revision: number;
      /**
       * @description The stream that the event stands in.
       * @example contact-0123456789abcdef0123456789abcdef
       */
      stream: string;
      /**
       * @description The event in plain words.
       * @example Unsubscribed from the list "News".
       */
      summary: string;
      /**
       * @description Name of the event.
       * @example ContactUnsubscribed
       */
      type: string;
    };
    /** @description An event in its place that this version of the service cannot read; `data` is as stored. */
    UnreadableHistoryEvent: {
      /**
       * @description Id of the API key. `mailer`, `cli` and `service` are the service itself.
       * @example shop
       */
      actor?: string;
      /**
       * Format: date-time
       * @description When it happened. Never earlier than the event before it in the same stream.
       * @example 2026-03-01T10:00:00.123Z
       */
      at?: string;
      /**
       * @description The event that caused this one; the correlation id where a request did.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      causation_id?: string;
      /** @description Null where nothing says whose it is. */
      contact_id: string | null;
      /**
       * @description One id per request.
       * @example 6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001
       */
      correlation_id?: string;
      data: unknown;
      email?: components['schemas']['EmailOfHistory'];
      /** Format: uuid */
      event_id: string;
      /**
       * @description Place in the log. Digits; positions of one log sort as text.
       * @example 00000000000000000042
       */
      position: string;
      /**
       * @description `X-Request-Id` of the request that caused it.
       * @example order-4711
       */
      request_id?: string;
      /**
       * @description Place in the stream, from 0.
       * @example 3
       */
      revision: number;
      /**
       * @description The stream that the event stands in.
       * @example contact-0123456789abcdef0123456789abcdef
       */
      stream: string;
      /**
       * @description The event in plain words.
       * @example Unsubscribed from the list "News".
       */
      summary: string;
      /**
       * @description Name of the event.
       * @example ContactUnsubscribed
       */
      type: string;
      /** @constant */
      unreadable: true;
    };
    UnsupportedMediaTypeError: {
      /** @description The documented fields of the body, as far as they were sent. */
      data?: Record<string, never>;
      /** @constant */
      message: 'Content-Type must be application/json';
      /** @constant */
      status: 'Error';
      /** @constant */
      statusCode: 415;
      /** @constant */
      type: 'unsupported_media_type';
    };
    /** @description A document of a view. */
    ViewDocument: {
      /** @description As the view has made it. */
      document: {
        [key: string]: unknown;
      };
      /**
       * @description Id of the document.
       * @example 2026-03-01
       */
      id: string;
      /**
       * @description Of the last event that changed it.
       * @example 00000000000000000042
       */
      position: string;
    };
    ViewState: {
      /**
       * @description Milliseconds.
       * @example 3
       */
      lag_ms: number;
      /**
       * @description Name of the view.
       * @example contacts
       */
      name: string;
      parked: {
        /** Format: uuid */
        event_id: string;
        /**
         * @description Name of the event.
         * @example ContactUnsubscribed
         */
        event_type: string;
        /**
         * @description Of the event that cannot be folded.
         * @example 00000000000000000042
         */
        position: string;
        /**
         * @description Why. Nothing personal.
         * @example ContactCreated for a document that exists
         */
        reason: string;
        /**
         * @description A stream that the view no longer folds.
         * @example contact-0123456789abcdef0123456789abcdef
         */
        stream: string;
      }[];
      /**
       * @description A position of the log; empty while nothing is known.
       * @example 00000000000000000042
       */
      position: string;
      /** @description The rebuild that runs for this view. */
      rebuild_id: string | null;
      /** @enum {string} */
      state: 'live' | 'missing';
      /** @description Null while the view is missing. */
      storage_version: number | null;
      /** @example 3 */
      version: number;
    };
  };
  responses: {
    /** @description `The email cannot be cancelled` */
    EmailNotCancellable: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['EmailNotCancellableError'];
      };
    };
    /** @description `API key lacks the scope {names}` */
    Forbidden: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ForbiddenError'];
      };
    };
    /** @description `Idempotency-Key was used with a different request` */
    IdempotencyConflict: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['IdempotencyConflictError'];
      };
    };
    /** @description `Sorry! Something went wrong.` */
    Internal: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['InternalError'];
      };
    };
    /** @description `Sorry! Something went wrong at our side.` */
    InternalUpdate: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['InternalUpdateError'];
      };
    };
    /** @description `The API key cannot be rotated` */
    KeyNotRotatable: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['KeyNotRotatableError'];
      };
    };
    /** @description `Method not allowed` */
    MethodNotAllowed: {
      headers: {
        Allow: components['headers']['Allow'];
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['MethodNotAllowedError'];
      };
    };
    /** @description `There is no such contact` */
    NoSuchContact: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['NoSuchContactError'];
      };
    };
    /** @description `Resource not found` */
    NotFound: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['NotFoundError'];
      };
    };
    /** @description `Content-Type must be application/x-ndjson` */
    NotNdjson: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['NotNdjsonError'];
      };
    };
    /** @description `Too many requests hit the API too quickly.` */
    RateLimited: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'Retry-After': components['headers']['Retry-After'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['RateLimitedError'];
      };
    };
    /** @description `A rebuild is running already` */
    RebuildRunning: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['RebuildRunningError'];
      };
    };
    /** @description `Request body is too large` */
    TooLarge: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['TooLargeError'];
      };
    };
    /** @description `Please send valid apikey in header!` */
    Unauthorized: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['UnauthorizedError'];
      };
    };
    /** @description `Service temporarily unavailable, please retry.` */
    Unavailable: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'Retry-After': components['headers']['Retry-After'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['UnavailableError'];
      };
    };
    /** @description `Content-Type must be application/json` */
    UnsupportedMediaType: {
      headers: {
        'cache-control': components['headers']['cache-control'];
        'content-security-policy': components['headers']['content-security-policy'];
        'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
        'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
        'Preference-Applied': components['headers']['Preference-Applied'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        'referrer-policy': components['headers']['referrer-policy'];
        'x-content-type-options': components['headers']['x-content-type-options'];
        'x-frame-options': components['headers']['x-frame-options'];
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['UnsupportedMediaTypeError'];
      };
    };
  };
  parameters: {
    /** @description A repeat with this key gets the first answer and changes nothing. */
    'Idempotency-Key': string;
    /** @description Accepted without effect: a repeat is safe without it. */
    'Idempotency-Key-without-effect': string;
    /** @description `handling=strict`: unknown fields of the body are refused. */
    Prefer: string;
    /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
    'X-Min-Position': string;
    /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
    'X-Request-Id': string;
  };
  requestBodies: never;
  headers: {
    /** @description The methods of the path. */
    Allow: string;
    /** @description A security header for browsers. */
    'cache-control': string;
    /** @description A security header for browsers. */
    'content-security-policy': string;
    /** @description A security header for browsers. */
    'cross-origin-opener-policy': string;
    /** @description A security header for browsers. */
    'cross-origin-resource-policy': string;
    /** @description Of this version; for `If-None-Match`. */
    ETag: string;
    /** @description This answer was given before. */
    'Idempotent-Replayed': string;
    /** @description The path of what was created. */
    Location: string;
    /** @description The preference that was honoured. */
    'Preference-Applied': string;
    /** @description What is left, and the seconds until it starts again. */
    RateLimit: string;
    /** @description Requests, and seconds of the window. */
    'RateLimit-Policy': string;
    /** @description A security header for browsers. */
    'referrer-policy': string;
    /** @description Whole seconds. */
    'Retry-After': string;
    /** @description How to authenticate. */
    'WWW-Authenticate': string;
    /** @description A security header for browsers. */
    'x-content-type-options': string;
    /** @description A security header for browsers. */
    'x-frame-options': string;
    /** @description How far the log must have been read to see this write. */
    'X-Position': string;
    /** @description That of the request, or a new one. */
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
      /** @description A page to read this document, and to try the API */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          ETag: components['headers']['ETag'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
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
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          ETag: components['headers']['ETag'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
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
      /** @description Whether the process runs */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              alive: true;
            };
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
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
      /** @description Whether the service is ready, part by part */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Readiness'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      503: components['responses']['Unavailable'];
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
      /** @description This document */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          ETag: components['headers']['ETag'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
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
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          ETag: components['headers']['ETag'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  getEmailOutcomes: {
    parameters: {
      query?: {
        /** @description Only what happened then or later. */
        from?: string;
        /** @description What a row spans. */
        interval?: 'day' | 'week' | 'month';
        /** @description Only what happened then or earlier. */
        to?: string;
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
      /** @description What was requested to be sent, and what became of it */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['EmailOutcomes'];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `from and to must span at most {limit} intervals`, `from must not be after to`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `{field} must be a string`, `{field} must not be empty`, `{field} must be {names}` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyRowsError']
            | components['schemas']['InvalidRangeError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['NotOneOfError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  getListGrowth: {
    parameters: {
      query?: {
        /** @description Only what happened then or later. */
        from?: string;
        /** @description What a row spans. */
        interval?: 'day' | 'week' | 'month';
        /** @description Only what happened then or earlier. */
        to?: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Who joined a list, left it and came back */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ListGrowth'];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `from and to must span at most {limit} intervals`, `from must not be after to`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `{field} must be a string`, `{field} must not be empty`, `{field} must be {names}` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyRowsError']
            | components['schemas']['InvalidRangeError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['NotOneOfError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  getTagUse: {
    parameters: {
      query?: {
        /** @description Only what happened then or later. */
        from?: string;
        /** @description What a row spans. */
        interval?: 'day' | 'week' | 'month';
        /** @description Only what happened then or earlier. */
        to?: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        tag_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How often a tag was attached and detached */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['TagUse'];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `from and to must span at most {limit} intervals`, `from must not be after to`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `{field} must be a string`, `{field} must not be empty`, `{field} must be {names}` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyRowsError']
            | components['schemas']['InvalidRangeError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['NotOneOfError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listReads: {
    parameters: {
      query?: {
        /** @description Id of an API key: only what was read with it. */
        actor?: string;
        /** @description Id or address of a contact: only reads of its record. */
        contact?: string;
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description Only what happened then or later. */
        from?: string;
        /** @description The most entries of the answer. */
        limit?: number;
        /** @description Only what happened then or earlier. */
        to?: string;
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
      /** @description Who looked: the reads that were recorded */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ReadRecord'][];
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `from must not be after to`, `{field} must be a string`, `{field} must not be empty`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['InvalidRangeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NoSuchContact'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  getContactAt: {
    parameters: {
      query: {
        /** @description Id or name of a list: only what concerns it. */
        list_id?: string;
        /** @description The point in time. */
        time: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        contact: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A contact as it was at a time */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ContactAt'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `Unknown query parameter {field}. Did you mean {names}?`, `{field} is required`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `{field} must be a string`, `{field} must not be empty` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['UnknownParameterNearError']
            | components['schemas']['RequiredError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such contact`, `There is no such list`, `There is no such list. Did you mean {names}?`, `The contact was never in this list. {names}` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['NotFoundError']
            | components['schemas']['NoSuchContactError']
            | components['schemas']['NoSuchListError']
            | components['schemas']['NoSuchListNearError']
            | components['schemas']['NeverInListError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  getContactHistory: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description Only what happened then or later. */
        from?: string;
        /** @description The most entries of the answer. */
        limit?: number;
        /** @description Id or name of a list: only what concerns it. */
        list_id?: string;
        /** @description Only what happened then or earlier. */
        to?: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        contact: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What happened to a contact */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-03-01T10:00:00.123Z
             */
            answered_at: string;
            data: components['schemas']['HistoryItem'][];
            /**
             * @description The e-mails are complete up to here. Absent with `list_id`.
             * @example 00000000000000000042
             */
            emails_until?: string;
            /**
             * @description A time that was asked for had not come: until then the answer may change.
             * @constant
             */
            future?: true;
            head: string | null;
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /**
             * @description Which list was taken for a name.
             * @example "News" stands for the list lst_01J….
             */
            list_note?: string;
            /** @description Null: nothing was ever written to the log. */
            log_id: string | null;
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @description Number of events in the evidence chain up to there; null: no chain is known. */
            ordinal: number | null;
            /**
             * @description Of the last event of the log that the answer has seen.
             * @example 00000000000000000042
             */
            position: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
            /**
             * @description The events after `ordinal`, up to `position`, have no link yet.
             * @constant
             */
            unlinked?: true;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `Unknown query parameter {field}. Did you mean {names}?`, `from must not be after to`, `{field} must be a string`, `{field} must not be empty`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['UnknownParameterNearError']
            | components['schemas']['InvalidRangeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such contact`, `There is no such list`, `There is no such list. Did you mean {names}?`, `The contact was never in this list. {names}` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['NotFoundError']
            | components['schemas']['NoSuchContactError']
            | components['schemas']['NoSuchListError']
            | components['schemas']['NoSuchListNearError']
            | components['schemas']['NeverInListError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        contact: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A proof of the events of a contact */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Proof'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `The contact has more than {limit} events: use audience audit {names}` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['TooManyEventsError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such contact` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotFoundError'] | components['schemas']['NoSuchContactError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  getContactReport: {
    parameters: {
      query?: {
        /** @description Id or name of a list: only what concerns it. */
        list_id?: string;
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
        contact: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page about a contact, made to be printed */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Report'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
          'text/html': string;
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `Unknown query parameter {field}. Did you mean {names}?`, `The contact has more than {limit} events: use audience audit {names}`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `{field} must be a string`, `{field} must not be empty` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['UnknownParameterNearError']
            | components['schemas']['TooManyEventsError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such contact`, `There is no such list`, `There is no such list. Did you mean {names}?`, `The contact was never in this list. {names}` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['NotFoundError']
            | components['schemas']['NoSuchContactError']
            | components['schemas']['NoSuchListError']
            | components['schemas']['NoSuchListNearError']
            | components['schemas']['NeverInListError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description Id of an API key, or the name of one of the configuration: only what was done with it. */
        actor?: string;
        /** @description A position of the log, or `now`: only later events. */
        after?: string;
        /** @description Id or address of a contact: only the events of its stream. */
        contact?: string;
        /** @description `true`: server-sent events as they come. Then `format` and `limit` are refused. */
        follow?: 'true' | 'false';
        /** @description A page, or all as lines. */
        format?: 'json' | 'ndjson';
        /** @description Only what happened then or later. */
        from?: string;
        /** @description The most entries of the answer. */
        limit?: number;
        /** @description Id or name of a list: only events that name it. */
        list_id?: string;
        /** @description Only what this request did. */
        request_id?: string;
        /** @description Only what happened then or earlier. */
        to?: string;
        /** @description Names of events, separated by commas: only these. */
        types?: string;
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
      /** @description The events of the log, from the first one on */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['FeedEvent'][];
            /** @description There is more to read after `next_after`. */
            has_more: boolean;
            /**
             * @description Pass it on as `after`.
             * @example 00000000000000000042
             */
            next_after: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
          'application/x-ndjson': string;
          'text/event-stream': string;
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `after is not a position of this log`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `from must not be after to`, `{field} must be a string`, `{field} must not be empty`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `{field} must be {names}`, `limit must be a whole number from 1 to 200` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['InvalidAfterError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['InvalidRangeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['NotOneOfError']
            | components['schemas']['InvalidLimitError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `There is no such contact`, `There is no such list`, `There is no such list. Did you mean {names}?` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['NoSuchContactError']
            | components['schemas']['NoSuchListError']
            | components['schemas']['NoSuchListNearError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  getListAt: {
    parameters: {
      query: {
        /** @description Form of the lines. */
        format?: 'ndjson' | 'csv';
        /** @description The point in time. */
        time: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The members of a list as they were at a time */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} is required`, `{field} must be an ISO 8601 date, or a date and time with its zone`, `{field} must be a string`, `{field} must not be empty`, `{field} must be {names}` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['RequiredError']
            | components['schemas']['InvalidTimeError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['NotOneOfError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such list`, `There is no such list. Did you mean {names}?` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['NotFoundError']
            | components['schemas']['NoSuchListError']
            | components['schemas']['NoSuchListNearError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  findContact: {
    parameters: {
      query: {
        /** @description An e-mail address, in any case of letters. */
        email: string;
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
      /** @description Find a contact by its address */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ContactWithSubscriptions'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} is required`, `{field} must be a string`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listContacts: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
        /** @description Only contacts with this status. */
        status?: string;
        /** @description Only contacts with this tag. */
        tag_name?: string;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the contacts of a list */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ContactInList'][];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be a string`, `{field} contains invalid characters`, `status must be Subscribed or Unsubscribed`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidStatusError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        contact_id: string;
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Retrieve a contact of a list */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ContactInListWithSubscriptions'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  saveContacts: {
    parameters: {
      query?: {
        /** @description `true`: lines are checked, and nothing is saved. */
        dry_run?: 'true' | 'false';
        /** @description `false`: who has unsubscribed from the list stays so; all else of the line is saved. */
        resubscribe?: 'true' | 'false';
      };
      header?: {
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/x-ndjson': string;
      };
    };
    responses: {
      /** @description Create or update many contacts */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/x-ndjson': string;
        };
      };
      /** @description One of: `Unknown query parameter {field}`, `Idempotency-Key is not supported here`, `{field} must be a string`, `{field} must not be empty`, `{field} must be {names}` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['NotOneOfError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['NotNdjson'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        list_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          address?: string | null;
          city?: string | null;
          consent?: {
            ip?: string | null;
            legal_basis?: string | null;
            occurred_at?: string | null;
            source?: string | null;
            statement?: string | null;
          } | null;
          country?: string | null;
          /** @description Profile fields and consent may stand here instead of beside `email`. */
          data?: {
            address?: string | null;
            city?: string | null;
            consent?: {
              ip?: string | null;
              legal_basis?: string | null;
              occurred_at?: string | null;
              source?: string | null;
              statement?: string | null;
            } | null;
            country?: string | null;
            dateOfBirth?: string | null;
            firstName?: string | null;
            lastName?: string | null;
            phone?: string | null;
            state?: string | null;
            zipcode?: string | null;
          } | null;
          dateOfBirth?: string | null;
          /**
           * @description An e-mail address, in any case of letters.
           * @example ada@example.com
           */
          email: string;
          firstName?: string | null;
          lastName?: string | null;
          /** @description Ignored. */
          message?: unknown;
          phone?: string | null;
          state?: string | null;
          /**
           * @description `Subscribed` or `Unsubscribed`, in any case of letters.
           * @example Subscribed
           */
          status: string;
          zipcode?: string | null;
        };
      };
    };
    responses: {
      /** @description Contact created successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['SavedContact'];
            /** @constant */
            message: 'Contact created successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Idempotency-Key must be 1 to 255 visible ASCII characters`, `{field} is given twice`, `Please provide valid list id!`, `Email already exist!`, `{field} is required`, `{field} must be an object`, `{field} must be a string`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `status must be Subscribed or Unsubscribed`, `{field} must be at most {limit} characters`, `{field} must be a valid phone number`, `{field} must be a valid YYYY-MM-DD date`, `{field} must be a valid IP address`, `{field} must be an ISO 8601 date and time with its zone`, `{field} must not be in the future` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['InvalidIdempotencyKeyError']
            | components['schemas']['GivenTwiceError']
            | components['schemas']['UnknownListError']
            | components['schemas']['DuplicateEmailError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAnObjectError']
            | components['schemas']['NotAStringError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['InvalidStatusError']
            | components['schemas']['TooManyCharactersError']
            | components['schemas']['InvalidPhoneError']
            | components['schemas']['InvalidDateError']
            | components['schemas']['InvalidIpError']
            | components['schemas']['InvalidMomentError']
            | components['schemas']['InTheFutureError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyConflict'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  updateContactStatus: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          consent?: {
            ip?: string | null;
            legal_basis?: string | null;
            occurred_at?: string | null;
            source?: string | null;
            statement?: string | null;
          } | null;
          /**
           * @description An e-mail address, in any case of letters.
           * @example ada@example.com
           */
          contact_email: string;
          /**
           * @description `Subscribed` or `Unsubscribed`, in any case of letters.
           * @example Subscribed
           */
          status: string;
        };
      };
    };
    responses: {
      /** @description Contact status updated successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ChangedStatus'];
            /** @constant */
            message: 'Contact status updated successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid list id!`, `Please provide valid contact email!`, `Please provide valid contact email!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `status must be Subscribed or Unsubscribed`, `{field} must be at most {limit} bytes`, `{field} must be a valid email address`, `{field} must be an object`, `{field} must be at most {limit} characters`, `{field} must be a valid IP address`, `{field} must be an ISO 8601 date and time with its zone`, `{field} must not be in the future` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownListError']
            | components['schemas']['UnknownContactError']
            | components['schemas']['NotInListError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidStatusError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['NotAnObjectError']
            | components['schemas']['TooManyCharactersError']
            | components['schemas']['InvalidIpError']
            | components['schemas']['InvalidMomentError']
            | components['schemas']['InTheFutureError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  upsertContact: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          address?: string | null;
          city?: string | null;
          consent?: {
            ip?: string | null;
            legal_basis?: string | null;
            occurred_at?: string | null;
            source?: string | null;
            statement?: string | null;
          } | null;
          country?: string | null;
          /** @description Profile fields and consent may stand here instead of beside `email`. */
          data?: {
            address?: string | null;
            city?: string | null;
            consent?: {
              ip?: string | null;
              legal_basis?: string | null;
              occurred_at?: string | null;
              source?: string | null;
              statement?: string | null;
            } | null;
            country?: string | null;
            dateOfBirth?: string | null;
            firstName?: string | null;
            lastName?: string | null;
            phone?: string | null;
            state?: string | null;
            zipcode?: string | null;
          } | null;
          dateOfBirth?: string | null;
          /**
           * @description An e-mail address, in any case of letters.
           * @example ada@example.com
           */
          email: string;
          firstName?: string | null;
          lastName?: string | null;
          /** @description Ignored. */
          message?: unknown;
          phone?: string | null;
          state?: string | null;
          /**
           * @description `Subscribed` or `Unsubscribed`, in any case of letters.
           * @example Subscribed
           */
          status: string;
          tag_name?: string[] | null;
          zipcode?: string | null;
        };
      };
    };
    responses: {
      /** @description Contact saved successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['SavedContact'];
            /** @constant */
            message: 'Contact saved successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `{field} is given twice`, `Please provide valid list id!`, `a contact can have at most {limit} tags in a list`, `{field} is required`, `{field} must be an object`, `{field} must be a string`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `status must be Subscribed or Unsubscribed`, `{field} must be at most {limit} characters`, `{field} must be a valid phone number`, `{field} must be a valid YYYY-MM-DD date`, `{field} must be an array`, `{field} must contain only strings`, `{field} must have at most {limit} names`, `{field} must be a valid IP address`, `{field} must be an ISO 8601 date and time with its zone`, `{field} must not be in the future` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['GivenTwiceError']
            | components['schemas']['UnknownListError']
            | components['schemas']['TooManyTagsError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAnObjectError']
            | components['schemas']['NotAStringError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['InvalidStatusError']
            | components['schemas']['TooManyCharactersError']
            | components['schemas']['InvalidPhoneError']
            | components['schemas']['InvalidDateError']
            | components['schemas']['NotAnArrayError']
            | components['schemas']['NotOnlyStringsError']
            | components['schemas']['TooManyNamesError']
            | components['schemas']['InvalidIpError']
            | components['schemas']['InvalidMomentError']
            | components['schemas']['InTheFutureError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  addContactTags: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description An e-mail address, in any case of letters.
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
      };
    };
    responses: {
      /** @description Tags added successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AddedTags'];
            /** @constant */
            message: 'Tags added successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid list id!`, `Please provide valid contact email!`, `Please provide valid contact email!`, `a contact can have at most {limit} tags in a list`, `{field} is required`, `{field} must be an array`, `{field} must contain only strings`, `{field} must have at most {limit} names`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters`, `{field} must be at most {limit} bytes`, `{field} must be a valid email address` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownListError']
            | components['schemas']['UnknownContactError']
            | components['schemas']['NotInListError']
            | components['schemas']['TooManyTagsError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAnArrayError']
            | components['schemas']['NotOnlyStringsError']
            | components['schemas']['TooManyNamesError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidEmailError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  removeContactTags: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description An e-mail address, in any case of letters.
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
      };
    };
    responses: {
      /** @description Tags removed successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description Those of the named tags that exist. */
            data: components['schemas']['Tag'][];
            /** @constant */
            message: 'Tags removed successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid list id!`, `Please provide valid contact email!`, `Please provide valid contact email!`, `{field} is required`, `{field} must be an array`, `{field} must contain only strings`, `{field} must have at most {limit} names`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters`, `{field} must be at most {limit} bytes`, `{field} must be a valid email address` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownListError']
            | components['schemas']['UnknownContactError']
            | components['schemas']['NotInListError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAnArrayError']
            | components['schemas']['NotOnlyStringsError']
            | components['schemas']['TooManyNamesError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidEmailError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listEmails: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
        /** @description Only e-mails in this state. */
        state?: 'requested' | 'sending' | 'sent' | 'deferred' | 'failed' | 'in_doubt' | 'held' | 'cancelled';
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
      /** @description List the e-mails */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Email'][];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be a string`, `{field} must not be empty`, `{field} must be {names}`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['NotOneOfError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        email_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What became of an e-mail */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Email'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        email_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Email cancelled successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ChangedEmail'];
            /** @constant */
            message: 'Email cancelled successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Unknown query parameter {field}`, `Idempotency-Key is not supported here` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['EmailNotCancellable'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        email_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Email released successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ChangedEmail'];
            /** @constant */
            message: 'Email released successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Unknown query parameter {field}`, `Idempotency-Key is not supported here` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      /** @description One of: `The email cannot be released`, `The email cannot be released: what it said is erased`, `The email cannot be released: its recipient asked to be erased` */
      409: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['EmailNotReleasableError']
            | components['schemas']['EmailErasedError']
            | components['schemas']['RecipientErasedError'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        'application/json': {
          /**
           * @description The sender: an address, or `Name <address>`.
           * @example News <news@example.com>
           */
          from_email: string;
          /**
           * @description The body as HTML: at most 512 KiB, and 700 KiB as JSON.
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
      };
    };
    responses: {
      /** @description Email accepted for delivery! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          Location: components['headers']['Location'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AcceptedEmail'];
            /** @constant */
            message: 'Email accepted for delivery!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Idempotency-Key must be 1 to 255 visible ASCII characters`, `{field} cannot be rendered: {names}`, `{field} must be a string, a number or a boolean`, `{field} is required`, `{field} must be a string`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `{field} must be an object`, `{field} must be at most {limit} levels deep`, `{field} must have at most {limit} values`, `{field} contains a number that is too large` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['InvalidIdempotencyKeyError']
            | components['schemas']['InvalidTemplateError']
            | components['schemas']['NotAScalarError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['NotAnObjectError']
            | components['schemas']['TooDeepError']
            | components['schemas']['TooManyValuesError']
            | components['schemas']['InvalidNumberError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyConflict'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listGroups: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
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
      /** @description List the groups */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Group'][];
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        group_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Retrieve a group */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Group'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteGroupByPost: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        group_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Group deleted successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /**
               * @description Id of a group. Opaque, never used again.
               * @example grp_01JQ8ZK3V5W7X9YABCDEFGHJKM
               */
              group_id: string;
            };
            /** @constant */
            message: 'Group deleted successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid group id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownGroupError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        group_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Group deleted successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /**
               * @description Id of a group. Opaque, never used again.
               * @example grp_01JQ8ZK3V5W7X9YABCDEFGHJKM
               */
              group_id: string;
            };
            /** @constant */
            message: 'Group deleted successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid group id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownGroupError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  updateGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        group_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description At most 255 characters; trimmed.
           * @example Customers
           */
          group_name: string;
        };
      };
    };
    responses: {
      /** @description Group updated successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Group'];
            /** @constant */
            message: 'Group updated successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid group id!`, `Group name already exist!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownGroupError']
            | components['schemas']['DuplicateGroupNameError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalUpdate'];
      503: components['responses']['Unavailable'];
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
        'application/json': {
          /**
           * @description At most 255 characters; trimmed.
           * @example Customers
           */
          group_name: string;
        };
      };
    };
    responses: {
      /** @description Group created successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Group'];
            /** @constant */
            message: 'Group created successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Idempotency-Key must be 1 to 255 visible ASCII characters`, `Group name already exist!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['InvalidIdempotencyKeyError']
            | components['schemas']['DuplicateGroupNameError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyConflict'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listApiKeys: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
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
      /** @description List the API keys, revoked ones too */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ApiKey'][];
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  createApiKey: {
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
        'application/json': {
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
          scopes: (
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
            | 'audit:read'
            | 'analytics:read'
            | 'projections'
            | 'metrics'
            | 'privacy'
            | 'keys'
          )[];
        };
      };
    };
    responses: {
      /** @description Key created successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['CreatedApiKey'];
            /** @constant */
            message: 'Key created successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Unknown query parameter {field}`, `Idempotency-Key is not supported here`, `{field} must not be mailer, cli, service or the id of a key`, `{field} must be in the future`, `Key name already exist!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters`, `{field} must be an array`, `{field} must contain only scopes: {names}`, `{field} must be an ISO 8601 date and time with its zone` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError']
            | components['schemas']['ReservedNameError']
            | components['schemas']['NotInTheFutureError']
            | components['schemas']['DuplicateKeyNameError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError']
            | components['schemas']['NotAnArrayError']
            | components['schemas']['UnknownScopeError']
            | components['schemas']['InvalidMomentError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        key_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          reason?: string | null;
        };
      };
    };
    responses: {
      /** @description Key revoked successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['RevokedApiKey'];
            /** @constant */
            message: 'Key revoked successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Unknown query parameter {field}`, `Idempotency-Key is not supported here`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        key_id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /**
           * @description How long the secret before holds, too, in seconds. 0: it ends at once.
           * @default 86400
           */
          overlap_seconds?: number;
        };
      };
    };
    responses: {
      /** @description Key rotated successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['RotatedApiKey'];
            /** @constant */
            message: 'Key rotated successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Unknown query parameter {field}`, `Idempotency-Key is not supported here`, `{field} must be a whole number from 0 to 2592000` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError']
            | components['schemas']['InvalidOverlapError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['KeyNotRotatable'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listLists: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
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
      /** @description List the lists */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['List'][];
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Retrieve a list */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['List'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `X-Min-Position is not a position of this log`, `Please provide valid list id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['UnknownListError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteListByPost: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List deleted successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /**
               * @description Id of a list. Opaque, never used again.
               * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
               */
              list_id: string;
            };
            /** @constant */
            message: 'List deleted successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid list id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownListError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteList: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List deleted successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /**
               * @description Id of a list. Opaque, never used again.
               * @example lst_01JQ8ZK3V5W7X9YABCDEFGHJKM
               */
              list_id: string;
            };
            /** @constant */
            message: 'List deleted successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid list id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownListError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  updateList: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        list_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description At most 255 characters; trimmed.
           * @example Newsletter
           */
          list_name: string;
        };
      };
    };
    responses: {
      /** @description List updated successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['List'];
            /** @constant */
            message: 'List updated successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid list id!`, `List name already exist!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownListError']
            | components['schemas']['DuplicateListNameError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalUpdate'];
      503: components['responses']['Unavailable'];
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
        'application/json': {
          /**
           * @description At most 255 characters; trimmed.
           * @example Newsletter
           */
          list_name: string;
        };
      };
    };
    responses: {
      /** @description List created successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['List'];
            /** @constant */
            message: 'List created successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Idempotency-Key must be 1 to 255 visible ASCII characters`, `List name already exist!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['InvalidIdempotencyKeyError']
            | components['schemas']['DuplicateListNameError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyConflict'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listErasures: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
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
      /** @description List the erasures */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Erasure'][];
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        'application/json': {
          /**
           * @description An e-mail address, in any case of letters.
           * @example ada@example.com
           */
          email: string;
          reason?: string | null;
        };
      };
    };
    responses: {
      /** @description Erasure accepted! */
      202: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          Location: components['headers']['Location'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Erasure'];
            /** @constant */
            message: 'Erasure accepted!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 202;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Unknown query parameter {field}`, `Idempotency-Key is not supported here`, `{field} is required`, `{field} must be a string`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address`, `{field} must be 1 to 40 of a-z, 0-9 and _` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError']
            | components['schemas']['InvalidCodeError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        erasure_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How far an erasure is */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Erasure'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  exportPerson: {
    parameters: {
      query: {
        /** @description An e-mail address, in any case of letters. */
        email: string;
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
      /** @description What is stored about an address */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['PersonExport'];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
          'text/html': string;
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} is required`, `{field} must be a string`, `{field} must be at most {limit} bytes`, `{field} contains invalid characters`, `{field} must be a valid email address` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['TooManyBytesError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['InvalidEmailError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
      /** @description How far each view is */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ViewState'][];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          accept_differences?: boolean | null;
          dry_run?: boolean | null;
        };
      };
    };
    responses: {
      /** @description Rebuild views from the first event */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Rebuild'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Unknown query parameter {field}`, `Idempotency-Key is not supported here`, `{field} must be true or false` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['IdempotencyUnsupportedError']
            | components['schemas']['NotABooleanError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such view. There are: {names}; or all` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotFoundError'] | components['schemas']['UnknownViewError'];
        };
      };
      409: components['responses']['RebuildRunning'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  getRebuild: {
    parameters: {
      query?: {
        /** @description `true`: server-sent events until it is over. */
        follow?: 'true' | 'false';
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
      /** @description The last rebuild, or its progress as server-sent events */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Rebuild'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
          'text/event-stream': string;
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be a string`, `{field} must not be empty`, `{field} must be {names}` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['NotAStringError']
            | components['schemas']['EmptyError']
            | components['schemas']['NotOneOfError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listTags: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
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
      /** @description List the tags */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Tag'][];
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        tag_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Retrieve a tag */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Tag'];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `X-Min-Position is not a position of this log`, `Please provide valid tag id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['UnknownTagError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteTagByPost: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        tag_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Tag deleted successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /**
               * @description Id of a tag. Opaque, never used again.
               * @example tag_01JQ8ZK3V5W7X9YABCDEFGHJKM
               */
              tag_id: string;
            };
            /** @constant */
            message: 'Tag deleted successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid tag id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownTagError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        tag_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Tag deleted successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /**
               * @description Id of a tag. Opaque, never used again.
               * @example tag_01JQ8ZK3V5W7X9YABCDEFGHJKM
               */
              tag_id: string;
            };
            /** @constant */
            message: 'Tag deleted successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid tag id!` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownTagError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  updateTag: {
    parameters: {
      query?: never;
      header?: {
        /** @description Accepted without effect: a repeat is safe without it. */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key-without-effect'];
        /** @description `handling=strict`: unknown fields of the body are refused. */
        Prefer?: components['parameters']['Prefer'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        tag_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description At most 255 characters; trimmed.
           * @example Gold
           */
          tag_name: string;
        };
      };
    };
    responses: {
      /** @description Tag updated successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Tag'];
            /** @constant */
            message: 'Tag updated successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Please provide valid tag id!`, `Tag name already exist!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['UnknownTagError']
            | components['schemas']['DuplicateTagNameError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['InternalUpdate'];
      503: components['responses']['Unavailable'];
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
        'application/json': {
          /**
           * @description At most 255 characters; trimmed.
           * @example Gold
           */
          tag_name: string;
        };
      };
    };
    responses: {
      /** @description Tag created successfully! */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Idempotent-Replayed': components['headers']['Idempotent-Replayed'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Position': components['headers']['X-Position'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Tag'];
            /** @constant */
            message: 'Tag created successfully!';
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown field {field}`, `Unknown field {field}. Did you mean {names}?`, `Idempotency-Key must be 1 to 255 visible ASCII characters`, `Tag name already exist!`, `{field} is required`, `{field} must be a string`, `{field} contains invalid characters`, `{field} must be at most {limit} characters` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownFieldError']
            | components['schemas']['UnknownFieldNearError']
            | components['schemas']['InvalidIdempotencyKeyError']
            | components['schemas']['DuplicateTagNameError']
            | components['schemas']['RequiredError']
            | components['schemas']['NotAStringError']
            | components['schemas']['InvalidCharactersError']
            | components['schemas']['TooManyCharactersError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyConflict'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
      /** @description The views, and the fields that their documents are found by */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ListedView'][];
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
  listDocuments: {
    parameters: {
      query?: {
        /** @description `next_cursor` of the page before. */
        cursor?: string;
        /** @description The most entries of the answer. */
        limit?: number;
      };
      header?: {
        /** @description An `X-Position`: the answer shows at least this. At most 2 seconds, then 503. */
        'X-Min-Position'?: components['parameters']['X-Min-Position'];
        /** @description Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id. */
        'X-Request-Id'?: components['parameters']['X-Request-Id'];
      };
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The documents of a view */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ViewDocument'][];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /**
             * @description Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.
             * @example eyJhZnRlciI6ImxzdF8wMSJ9
             */
            next_cursor?: string;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log`, `{field} must be a string`, `No index of the view serves this query: {names}`, `limit must be a whole number from 1 to 200`, `cursor is not valid` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError']
            | components['schemas']['NotAStringError']
            | components['schemas']['NoIndexError']
            | components['schemas']['InvalidLimitError']
            | components['schemas']['InvalidCursorError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such view. There are: {names}` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotFoundError'] | components['schemas']['NoSuchViewError'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
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
        id: string;
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A document of a view */
      200: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ViewDocument'];
            /**
             * @description The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.
             * @constant
             */
            incomplete?: true;
            /** @constant */
            status: 'Success';
            /** @constant */
            statusCode: 200;
          };
        };
      };
      /** @description One of: `Request body must be a JSON object`, `Unknown query parameter {field}`, `X-Min-Position is not a position of this log` */
      400: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['InvalidJsonError']
            | components['schemas']['UnknownParameterError']
            | components['schemas']['InvalidPositionError'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description One of: `Resource not found`, `There is no such view. There are: {names}` */
      404: {
        headers: {
          'cache-control': components['headers']['cache-control'];
          'content-security-policy': components['headers']['content-security-policy'];
          'cross-origin-opener-policy': components['headers']['cross-origin-opener-policy'];
          'cross-origin-resource-policy': components['headers']['cross-origin-resource-policy'];
          'Preference-Applied': components['headers']['Preference-Applied'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimit-Policy'];
          'referrer-policy': components['headers']['referrer-policy'];
          'x-content-type-options': components['headers']['x-content-type-options'];
          'x-frame-options': components['headers']['x-frame-options'];
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotFoundError'] | components['schemas']['NoSuchViewError'];
        };
      };
      405: components['responses']['MethodNotAllowed'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['RateLimited'];
      500: components['responses']['Internal'];
      503: components['responses']['Unavailable'];
    };
  };
}

/** Method, path, and when a repeat is safe. */
export const operationTable = {
  addContactTags: ['post', '/v1/contacts/tags/{list_id}/add', 'safe'],
  cancelEmail: ['post', '/v1/email/{email_id}/cancel', 'unsafe'],
  createApiKey: ['post', '/v1/keys', 'unsafe'],
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
  getContact: ['get', '/v1/contacts/{list_id}/{contact_id}', 'safe'],
  getContactAt: ['get', '/v1/audit/contacts/{contact}/at', 'safe'],
  getContactHistory: ['get', '/v1/audit/contacts/{contact}/history', 'safe'],
  getContactProof: ['get', '/v1/audit/contacts/{contact}/proof', 'safe'],
  getContactReport: ['get', '/v1/audit/contacts/{contact}/report', 'safe'],
  getDocument: ['get', '/v1/views/{name}/{id}', 'safe'],
  getEmail: ['get', '/v1/email/{email_id}', 'safe'],
  getEmailOutcomes: ['get', '/v1/analytics/emails/outcomes', 'safe'],
  getErasure: ['get', '/v1/privacy/erasures/{erasure_id}', 'safe'],
  getGroup: ['get', '/v1/groups/{group_id}', 'safe'],
  getList: ['get', '/v1/lists/{list_id}', 'safe'],
  getListGrowth: ['get', '/v1/analytics/lists/{list_id}/growth', 'safe'],
  getLive: ['get', '/health/live', 'safe'],
  getOpenApi: ['get', '/openapi.json', 'safe'],
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
  listLists: ['get', '/v1/lists', 'safe'],
  listProjections: ['get', '/v1/projections', 'safe'],
  listReads: ['get', '/v1/audit/access', 'safe'],
  listTags: ['get', '/v1/tags', 'safe'],
  listViews: ['get', '/v1/views', 'safe'],
  releaseEmail: ['post', '/v1/email/{email_id}/release', 'unsafe'],
  removeContactTags: ['post', '/v1/contacts/tags/{list_id}/remove', 'safe'],
  requestErasure: ['post', '/v1/privacy/erasures', 'unsafe'],
  revokeApiKey: ['post', '/v1/keys/{key_id}/revoke', 'unsafe'],
  rotateApiKey: ['post', '/v1/keys/{key_id}/rotate', 'unsafe'],
  sendEmail: ['post', '/v1/email/send', 'key'],
  startRebuild: ['post', '/v1/projections/{name}/rebuild', 'unsafe'],
  updateContactStatus: ['post', '/v1/contacts/{list_id}/updatestatus', 'safe'],
  updateGroup: ['post', '/v1/groups/{group_id}/update', 'safe'],
  updateList: ['post', '/v1/lists/{list_id}/update', 'safe'],
  updateTag: ['post', '/v1/tags/{tag_id}/update', 'safe'],
  upsertContact: ['post', '/v1/contacts/{list_id}/upsertcontact', 'safe'],
} as const;
