import { Page } from '../parts/page.js';

export const Find = () => <Page title="Find">…</Page>;
