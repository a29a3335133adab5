/** Writes a composed message as `build()` of nodemailer does, by its encoders, but not by its streams: those cost three quarters of composing. */
import { encode as base64, wrap as wrapBase64 } from 'nodemailer/lib/base64';
import type MimeNode from 'nodemailer/lib/mime-node';
import { encode as quotedPrintable, wrap as wrapQuotedPrintable } from 'nodemailer/lib/qp';

/** CRLF throughout, and at the end. Contents are texts, in quoted-printable or base64. */
export function assembled(message: MimeNode): Buffer {
  const text = written(message);
  return Buffer.from((text.endsWith('\n') ? text : `${text}\r\n`).replaceAll(/(?<!\r)\n/g, '\r\n'));
}

function written(node: MimeNode): string {
  const headers = `${node.buildHeaders()}\r\n\r\n`;
  const { boundary } = node;
  if (boundary === undefined || boundary === false) return headers + contentOf(node);
  const parts = node.childNodes.map((part) => `--${boundary}\r\n${written(part)}`);
  return `${headers}${parts.join('\r\n')}\r\n--${boundary}--\r\n`;
}

function contentOf(node: MimeNode): string {
  const content = Buffer.from(typeof node.content === 'string' ? node.content : '');
  return node.getHeader('Content-Transfer-Encoding') === 'base64'
    ? wrapBase64(base64(content))
    : wrapQuotedPrintable(quotedPrintable(content));
}
