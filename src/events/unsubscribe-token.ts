/** The token of the link with which the recipient of an e-mail refuses further mail. It tells nothing about the person, and it never ends. */
import { createHash, createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Which e-mail, to whom, to the subscribers of which list. */
export interface UnsubscribeLink {
  readonly emailId: string;
  readonly contactKey: string;
  readonly listId: string;
}

export interface UnsubscribeTokens {
  /** Only characters that a URL takes as they are; always the same for the same e-mail. */
  make(link: UnsubscribeLink): string;
  /** `undefined`: not made with this key, whatever is wrong with it. */
  read(token: string): UnsubscribeLink | undefined;
  /** What events say instead of the token: it proves which token it was, and is none. */
  hash(token: string): string;
}

/** Version 1, the e-mail, the contact's key, the list, and the first 132 bits of the HMAC-SHA-256 over these characters. */
const form = /^(1([0-9A-Z]{26})([0-9a-f]{32})([0-9A-Z]{26}))([\w-]{22})$/;

export function createUnsubscribeTokens(key: KeyObject): UnsubscribeTokens {
  const signature = (text: string): string => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  return {
    make({ emailId, contactKey, listId }) {
      const signed = `1${ulidOf(emailId)}${contactKey}${ulidOf(listId)}`;
      return signed + signature(signed);
    },
    read(token) {
      const [, signed, email, contactKey, list, mac] = form.exec(token) ?? [];
      if (signed === undefined || contactKey === undefined || mac === undefined) return undefined;
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(signature(signed)))) return undefined;
      return { emailId: `eml_${email ?? ''}`, contactKey, listId: `lst_${list ?? ''}` };
    },
    hash: (token) => createHash('sha256').update(token).digest('base64url'),
  };
}

/** An id without its prefix. */
const ulidOf = (id: string): string => id.slice(4);
