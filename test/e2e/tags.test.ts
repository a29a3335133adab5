/** Tags over HTTP, to the letter of the contract. */
import { describeNamedThings } from '../support/named-things.js';

describeNamedThings({ word: 'Tag', prefix: 'tag', unknownRead: 400 });
