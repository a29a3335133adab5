/** Groups over HTTP, to the letter of the contract. */
import { describeNamedThings } from '../support/named-things.js';

describeNamedThings({ word: 'Group', prefix: 'grp', unknownRead: 404 });
