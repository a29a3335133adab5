import { Page } from '../parts/page.js';

export const Emails = () => <Page title="Emails">…</Page>;
