/** How the service is, now and over the last hour; and rebuilding views. */
import { Page } from '../parts/page.js';
import { may } from '../session.js';
import { Figures } from './service/figures.js';
import { Parts } from './service/parts.js';
import { Subscribers } from './service/subscribers.js';
import { Views } from './service/views.js';

export const Service = () => (
  <Page title="Service">
    <Parts />
    {may('projections') ? <Views /> : <p class="quiet">Views are shown to keys with the scope projections.</p>}
    {may('metrics') ? (
      <>
        <Subscribers />
        <Figures />
      </>
    ) : (
      <p class="quiet">Subscribers and charts are shown to keys with the scope metrics.</p>
    )}
  </Page>
);
