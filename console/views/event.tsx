import { Page } from '../parts/page.js';

export const EventPage = () => <Page title="EventPage">…</Page>;
