import { Page } from '../parts/page.js';

export const Email = () => <Page title="Email">…</Page>;
