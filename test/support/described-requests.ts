/** Tells whether the published OpenAPI document allows what a request carries. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, type Schema } from '../e2e/fuzzing/json-arbitraries.js';
import { apiDocument } from './api-description.js';

const ajv = new Ajv2020({ strict: false, validateSchema: false, inlineRefs: false, code: { optimize: false } });
addFormats.default(ajv);
ajv.addSchema(apiDocument, 'api');

/** Compiles a schema whose references point into the document. */
export const compileRequest = (schema: Schema): ValidateFunction =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Schema);

export const whyForbidden = ({ errors }: ValidateFunction): string => ajv.errorsText(errors);

const isShort = (text: string): boolean => text.trim() === text;

/** Returns whether a service may take a value that its schema forbids: white space is removed, and blank evidence is no evidence. */
export function isTolerated(value: unknown): boolean {
  if (typeof value === 'string') return !isShort(value);
  if (Array.isArray(value)) return value.some(isTolerated);
  if (!isObject(value)) return false;
  const { occurred_at: time, ip, status } = value;
  const isOtherCase = typeof status === 'string' && /^(?:un)?subscribed$/i.test(status);
  return time === '' || ip === '' || isOtherCase || Object.values(value).some(isTolerated);
}

/** A lone surrogate is not Unicode text, and patterns cannot exclude it. */
export const isText = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.entries(value).flat().every(isText);
};
