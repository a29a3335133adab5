/** The endpoints that describe the API. */
import { z } from 'zod';
import { read } from '../../http/endpoint.js';

export const docsEndpoints = {
  openApi: read('getOpenApi', '/openapi.json', {
    scope: 'none',
    summary: 'This document',
    answer: { others: { 'application/json': z.record(z.string(), z.unknown()) }, cached: true },
  }),
  page: read('getDocs', '/docs', {
    scope: 'none',
    summary: 'A page to read this document, and to try the API',
    answer: { others: { 'text/html': z.string() }, cached: true },
  }),
};
