import { Page } from '../parts/page.js';

export const Contact = () => <Page title="Contact">…</Page>;
