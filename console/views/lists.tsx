import { Page } from '../parts/page.js';

export const Lists = () => <Page title="Lists">…</Page>;
