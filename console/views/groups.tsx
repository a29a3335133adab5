import { Page } from '../parts/page.js';

export const Groups = () => <Page title="Groups">…</Page>;
