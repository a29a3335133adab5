/** Where the console begins. */
import { render } from 'preact';
import { App } from './app.js';
import { resume, watchActivity } from './session.js';

const place = document.getElementById('console');
if (place !== null) {
  watchActivity();
  await resume();
  render(<App />, place);
}
