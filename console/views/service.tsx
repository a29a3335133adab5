import { Page } from '../parts/page.js';

export const Service = () => <Page title="Service">…</Page>;
