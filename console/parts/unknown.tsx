/** The page for an unknown id. */
import type { ComponentChildren } from 'preact';
import { to } from '../addresses.js';
import { Page } from './page.js';
import { Code } from './text.js';

interface UnknownProps {
  /** The kind of thing that the id names, such as "contact". */
  readonly what: string;
  readonly id: string;
  /** Another possible reason. */
  readonly children?: ComponentChildren;
}

export const Unknown = ({ what, id, children }: UnknownProps) => (
  <Page title={`No such ${what}`}>
    <p class="note" role="status">
      There is no {what} <Code>{id}</Code>. {children}
    </p>
    <p>
      <a href={to('/')}>Find something else</a>
    </p>
  </Page>
);
