/** A page for an id that nothing has, and nothing else on it. */
import type { ComponentChildren } from 'preact';
import { to } from '../addresses.js';
import { Page } from './page.js';
import { Code } from './text.js';

interface UnknownProps {
  /** What the id would be of: "contact". */
  readonly what: string;
  readonly id: string;
  /** What else it may mean. */
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
