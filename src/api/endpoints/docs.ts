/** The endpoints that describe the API. */
import { z } from 'zod';
import { endpoint, read } from './endpoint.js';

const shared = { ...read, scope: 'none' } as const;

export const docsEndpoints = {
  openApi: endpoint({
    ...shared,
    id: 'getOpenApi',
    path: '/openapi.json',
    summary: 'This document',
    answer: { others: { 'application/json': z.record(z.string(), z.unknown()) }, cached: true },
  }),
  page: endpoint({
    ...shared,
    id: 'getDocs',
    path: '/docs',
    summary: 'A page to read this document, and to try the API',
    answer: { others: { 'text/html': z.string() }, cached: true },
  }),
};
