/** The tokens of the links in e-mails with which their recipients refuse mail, or say which lists they want. They tell nothing about the person. */
import { createHash, createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Which e-mail, to whom, to the subscribers of which list. */
export interface UnsubscribeLink {
  readonly emailId: string;
  readonly contactKey: string;
  readonly listId: string;
}

/** Sent to the address itself, so that who opens it may see and choose all lists. */
interface ListsLink extends Omit<UnsubscribeLink, 'listId'> {
  /** Milliseconds since the epoch, a whole second. */
  readonly until: number;
}

export interface UnsubscribeTokens {
  /** Only characters that a URL takes as they are; always the same for the same e-mail. */
  make(link: UnsubscribeLink): string;
  /** `undefined`: not made with this key, whatever is wrong with it. Has no end. */
  read(token: string): UnsubscribeLink | undefined;
  makeForLists(link: ListsLink): string;
  /** Whoever reads it looks whether it has ended. */
  readForLists(token: string): ListsLink | undefined;
  /** What events say instead of the token: it proves which token it was, and is none. */
  hash(token: string): string;
}

/** Version 1, the e-mail, the contact's key, the list, and the first 132 bits of the HMAC-SHA-256 over these characters. */
const form = /^(1([0-9A-Z]{26})([0-9a-f]{32})([0-9A-Z]{26}))([\w-]{22})$/;
/** The same with an end in seconds, in hex, in place of the list. */
const listsForm = /^(p1([0-9A-Z]{26})([0-9a-f]{32})([0-9a-f]{9}))([\w-]{22})$/;

export function createUnsubscribeTokens(key: KeyObject): UnsubscribeTokens {
  const signature = (text: string): string => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);

  function parts(token: string, of: RegExp): { emailId: string; contactKey: string; last: string } | undefined {
    const [, signed, email, contactKey, last, mac] = of.exec(token) ?? [];
    if (signed === undefined || contactKey === undefined || last === undefined || mac === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(signature(signed)))) return undefined;
    return { emailId: `eml_${email ?? ''}`, contactKey, last };
  }

  return {
    make({ emailId, contactKey, listId }) {
      const signed = `1${ulidOf(emailId)}${contactKey}${ulidOf(listId)}`;
      return signed + signature(signed);
    },
    read(token) {
      const found = parts(token, form);
      return found && { emailId: found.emailId, contactKey: found.contactKey, listId: `lst_${found.last}` };
    },
    makeForLists({ emailId, contactKey, until }) {
      const end = Math.floor(until / 1000).toString(16);
      const signed = `p1${ulidOf(emailId)}${contactKey}${end.padStart(9, '0')}`;
      return signed + signature(signed);
    },
    readForLists(token) {
      const found = parts(token, listsForm);
      if (found === undefined) return undefined;
      const { emailId, contactKey, last } = found;
      return { emailId, contactKey, until: Number.parseInt(last, 16) * 1000 };
    },
    hash: (token) => createHash('sha256').update(token).digest('base64url'),
  };
}

/** An id without its prefix. */
const ulidOf = (id: string): string => id.slice(4);
