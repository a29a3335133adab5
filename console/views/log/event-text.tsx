/** What an event holds, as text: whatever people wrote in it is only shown. */
import { printable } from '../../../src/events/printable.js';

export const EventText = ({ data }: { readonly data: unknown }) => (
  <pre tabIndex={0}>
    <code>
      <bdi>
        {JSON.stringify(data, null, 2)
          .split('\n')
          .map((line) => `${printable(line)}\n`)}
      </bdi>
    </code>
  </pre>
);
