/** Lists over HTTP, to the letter of the contract. */
import { describeNamedThings } from './named-things.js';

describeNamedThings({ word: 'List', prefix: 'lst', unknownRead: 400 });
