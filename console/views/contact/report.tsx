/** The page to print about a person, as the API makes it, in a frame of its own in which nothing runs. */
import { useRef } from 'preact/hooks';
import { errorOf } from '../../../client/errors.js';
import { answerTo } from '../../lines.js';
import { useAnswer } from '../../answers.js';
import { Show } from '../../parts/answer.js';

interface ReportProps {
  readonly id: string;
  /** Undefined: as of now. */
  readonly at: string | undefined;
  readonly onClose: () => void;
}

export function Report({ id, at, onClose }: ReportProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const answer = useAnswer(
    async (client, signal) => {
      const request = client.http.GET('/v1/audit/contacts/{contact}/report', {
        params: { path: { contact: id }, query: at === undefined ? {} : { time: at } },
        parseAs: 'text',
        headers: { Accept: 'text/html' },
        signal,
      });
      const { data, error, response } = await answerTo(request, signal);
      if (!response.ok) throw errorOf(error, response);
      return String(data);
    },
    [id, at],
  );
  return (
    <section class="panel" aria-labelledby="report">
      <h2 id="report">Page for a regulator</h2>
      <Show answer={answer}>
        {(html) => (
          // Without allow-scripts nothing in it runs. The other two let this page open the dialog to print it.
          <iframe
            ref={frame}
            class="report"
            title="Report on the contact"
            sandbox="allow-same-origin allow-modals"
            srcdoc={html}
          />
        )}
      </Show>
      <p class="buttons">
        <button
          type="button"
          disabled={answer.data === undefined}
          onClick={() => frame.current?.contentWindow?.print()}
        >
          Print it
        </button>
        <button type="button" onClick={onClose}>
          Close it
        </button>
      </p>
    </section>
  );
}
