/** In place of a page whose code does not come: the service is away, or another version of it is up. */
import { Page } from './page.js';

export const NotLoaded = () => (
  <Page title="Not loaded">
    <div class="note note-bad" role="alert">
      <p>This page cannot be loaded: the service does not answer, or was updated meanwhile.</p>
    </div>
    <p>
      <button type="button" onClick={() => location.reload()}>
        Load it again
      </button>
    </p>
    <p class="quiet">Where this tab does not keep the key, you sign in once more.</p>
  </Page>
);
