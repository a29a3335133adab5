import { Page } from '../parts/page.js';

export const Log = () => <Page title="Log">…</Page>;
