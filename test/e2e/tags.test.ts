/** Tags over HTTP, to the letter of the contract. */
import { describeNamedThings } from './named-things.js';

describeNamedThings({ word: 'Tag', prefix: 'tag', unknownRead: 400 });
