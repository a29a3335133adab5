/** Groups over HTTP, to the letter of the contract. */
import { describeNamedThings } from './named-things.js';

describeNamedThings({ word: 'Group', prefix: 'grp', unknownRead: 404 });
