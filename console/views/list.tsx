import { Page } from '../parts/page.js';

export const List = () => <Page title="List">…</Page>;
