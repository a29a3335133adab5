import { Page } from '../parts/page.js';

export const Keys = () => <Page title="Keys">…</Page>;
