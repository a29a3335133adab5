/**
 * Checks the links in exports of earlier versions (up to git 7a6bd710), in which each line has a last member `chain`: SHA-256
 * over the link before it and the leaf of the event. Links are compared while a file is read and are stored nowhere. Delete this
 * file at 1.0, with its use in import.ts, the member `chain` of line.ts, and the test of the recorded export.
 */
import { hash } from 'node:crypto';
import { hashBytes, toHex, type Hash } from '../eventstore/leaf.js';
import { BadLineError, type ImportedLine } from './line.js';

/** Creates a check that takes each line with its leaf, in order. Either all lines have a link or none has. */
export function createLinkCheck() {
  let link: Hash = '\0'.repeat(hashBytes);
  let hasLinks: boolean | undefined;
  /** @throws BadLineError if the line lost its link, or its link is not that of the lines up to it */
  return ({ chain }: Pick<ImportedLine, 'chain'>, leaf: Hash): void => {
    hasLinks ??= chain !== undefined;
    if (hasLinks && chain === undefined)
      throw new BadLineError('has no member chain, but the lines before it have one');
    if (!hasLinks && chain !== undefined)
      throw new BadLineError('has a member chain, but the lines before it have none');
    if (!hasLinks) return;
    link = hash('sha256', Buffer.from(link + leaf, 'latin1'), 'binary');
    if (chain !== toHex(link))
      throw new BadLineError('or a line before it was altered: its member chain does not match the lines up to it');
  };
}
