/** The tokens of the links in emails with which recipients refuse mail or choose their lists. A token says nothing about the person. */
import { createHash, createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** The link in an email to a list. It never expires. */
export interface UnsubscribeLink {
  readonly emailId: string;
  readonly contactKey: string;
  readonly listId: string;
}

/** The link to all lists, which is sent to the address itself. It works for one contact and not for a later contact with the same address. */
interface ListsLink extends Omit<UnsubscribeLink, 'listId'> {
  readonly contactId: string;
  /** Milliseconds since the epoch, a whole second. */
  readonly until: number;
}

interface ReadToken {
  /** The token without the characters that follow it in the path. */
  readonly token: string;
  readonly link: UnsubscribeLink | ListsLink;
}

export interface UnsubscribeTokens {
  /** Returns a token of characters that need no encoding in a URL. The same link always has the same token. */
  make(link: UnsubscribeLink): string;
  makeForLists(link: ListsLink): string;
  /**
   * Reads the token at the start of `text`, or returns undefined if it was not made with this key. Ignores what
   * follows the token and decodes percent-encoded characters, because mail programs add and encode some.
   * Does not check whether a link to all lists has expired.
   */
  read(text: string): ReadToken | undefined;
  /** Returns the hash that events record in place of the token. The hash identifies the token but does not work as a token. */
  hash(token: string): string;
}

/** Version, email id, contact key, list id, and the first 132 bits of the HMAC-SHA-256 of the preceding characters. */
const listForm = /^(1([0-9A-Z]{26})([0-9a-f]{32})([0-9A-Z]{26}))([\w-]{22})/;
/** Version, email id, contact key, contact id, end in hexadecimal seconds, and the same bits of an HMAC-SHA-256. */
const allListsForm = /^(p2([0-9A-Z]{26})([0-9a-f]{32})([0-9A-Z]{26})([0-9a-f]{9}))([\w-]{22})/;

export function createUnsubscribeTokens(key: KeyObject): UnsubscribeTokens {
  const signature = (text: string): string => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  const sign = (text: string): string => text + signature(text);

  /** Returns the token and its parts, or undefined if the text has another form or the HMAC is wrong. */
  function verified(text: string, form: RegExp): readonly string[] | undefined {
    const found = form.exec(text);
    const [mac = '', signed = ''] = [found?.at(-1), found?.[1]];
    if (found === null || !timingSafeEqual(Buffer.from(mac), Buffer.from(signature(signed)))) return undefined;
    const [token, , ...parts] = found;
    return [token, ...parts];
  }

  return {
    make: ({ emailId, contactKey, listId }) => sign(`1${ulidOf(emailId)}${contactKey}${ulidOf(listId)}`),
    makeForLists({ emailId, contactKey, contactId, until }) {
      const end = Math.floor(until / 1000).toString(16);
      return sign(`p2${ulidOf(emailId)}${contactKey}${ulidOf(contactId)}${end.padStart(9, '0')}`);
    },
    read(text) {
      const decoded = withoutPercentEncoding(text);
      const [token, email = '', contactKey = '', id = '', end] =
        verified(decoded, listForm) ?? verified(decoded, allListsForm) ?? [];
      if (token === undefined) return undefined;
      const emailId = `eml_${email}`;
      const isForList = token.startsWith('1');
      return {
        token,
        link: isForList
          ? { emailId, contactKey, listId: `lst_${id}` }
          : { emailId, contactKey, contactId: `con_${id}`, until: Number.parseInt(end ?? '', 16) * 1000 },
      };
    },
    hash: (token) => createHash('sha256').update(token).digest('base64url'),
  };
}

/** Decodes each percent code by itself, because a malformed code after the token must not break the link. */
const withoutPercentEncoding = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Returns an id without its prefix. */
const ulidOf = (id: string): string => id.slice(4);
