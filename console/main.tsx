/** Where the console begins. */
import { render } from 'preact';
import { App } from './app.js';
import { resume, watchActivity } from './session.js';

// Its address is relative to that of the page, which changes without a load.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) icon.setAttribute('href', icon.href);

const place = document.getElementById('console');
if (place !== null) {
  watchActivity();
  await resume();
  render(<App />, place);
}
