import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Abilities,
  type Choice,
  CONTENTS,
  canPrintLink,
  contentsFor,
  describe as describeFile,
  formatsOf,
  hasPreview,
  nearestOffered,
  previewed,
  storeChoice,
  storedChoice,
} from './options';

const ALL: Abilities = {
  encodes: true,
  hasServer: true,
  layers: 6,
  isUpload: false,
  shown: 'attention',
  hasMethods: true,
  hasSet: false,
};
const VIEW: Choice = { content: 'view', format: 'png', size: 'content', link: true };

describe('what is offered', () => {
  test('an animation over layers needs two layers', () => {
    expect(contentsFor(ALL)).toEqual(CONTENTS);
    expect(contentsFor({ ...ALL, layers: 1 }).map(({ key }) => key)).not.toContain('layers');
  });

  test('several images are offered beside every content, as a figure without a link', () => {
    for (const shown of ['attention', 'features'] as const)
      expect(contentsFor({ ...ALL, shown, hasSet: true }).at(-1)?.key).toBe('images');
    expect(formatsOf('images', ALL)).toEqual(['png', 'svg', 'pdf']);
    expect(canPrintLink({ ...VIEW, content: 'images' }, ALL)).toBe(false);
  });

  test('methods that are left out for a large model are not offered, even if chosen before', () => {
    const abilities = { ...ALL, hasMethods: false };
    expect(contentsFor(abilities)).toEqual(CONTENTS.filter(({ key }) => key !== 'methods'));
    expect(nearestOffered({ ...VIEW, content: 'methods' }, abilities)).toEqual(VIEW);
    expect(formatsOf('view', abilities)).toContain('html');
  });

  test('figures and data are no animations, and only the whole view is a page', () => {
    expect(formatsOf('view', ALL)).toEqual(['png', 'svg', 'pdf', 'npz', 'csv', 'html']);
    expect(formatsOf('methods', ALL)).toEqual(['png', 'svg', 'pdf', 'npz', 'csv']);
    expect(formatsOf('sheet', ALL)).toEqual(['png', 'svg', 'pdf']);
    expect(formatsOf('patches', ALL)).toEqual(['gif', 'mp4']);
  });

  test('another view is saved as it is, and its choice does not stay', () => {
    for (const view of ['contributions', 'features', 'patching'] as const) {
      expect(contentsFor({ ...ALL, shown: view }).map(({ key }) => key)).toEqual([view]);
      expect(nearestOffered(VIEW, { ...ALL, shown: view })).toEqual({ ...VIEW, content: view });
      expect(formatsOf(view, ALL)).toEqual(['png', 'svg', 'pdf', 'npz', 'csv']);
      expect(nearestOffered({ ...VIEW, content: view }, ALL)).toEqual(VIEW);
      expect(describeFile({ ...VIEW, content: view, format: 'npz' })).toContain('all numbers of this view');
    }
  });

  test('MP4 needs an encoder', () => {
    expect(formatsOf('layers', { ...ALL, encodes: false })).toEqual(['gif']);
  });

  test('a format stays if the new content has it, else the first one is taken', () => {
    expect(nearestOffered({ ...VIEW, content: 'map', format: 'svg' }, ALL).format).toBe('svg');
    expect(nearestOffered({ ...VIEW, content: 'map', format: 'html' }, ALL).format).toBe('png');
    expect(nearestOffered({ ...VIEW, content: 'layers', format: 'mp4' }, { ...ALL, encodes: false }).format).toBe(
      'gif',
    );
    expect(nearestOffered({ ...VIEW, content: 'layers', format: 'gif' }, { ...ALL, layers: 1 })).toEqual(VIEW);
  });

  test('a link is printed where there is a caption, and not of an upload', () => {
    expect(canPrintLink(VIEW, ALL)).toBe(true);
    expect(canPrintLink(VIEW, { ...ALL, isUpload: true })).toBe(false);
    expect(canPrintLink({ ...VIEW, format: 'csv' }, ALL)).toBe(false);
    expect(canPrintLink({ ...VIEW, content: 'patches', format: 'mp4' }, ALL)).toBe(true);
  });
});

describe('a preview', () => {
  test('is the file, or one that the browser can show', () => {
    const shown = (['png', 'pdf', 'mp4'] as const).map((format) => previewed({ ...VIEW, format }).format);
    expect(shown).toEqual(['png', 'svg', 'gif']);
  });

  test('without a server figures are PNG or SVG', () => {
    const saved = { ...ALL, hasServer: false };
    expect(contentsFor(saved).map(({ key }) => key)).toEqual(['view', 'map', 'matrix', 'methods', 'sheet']);
    expect(formatsOf('view', saved)).toEqual(['png', 'svg']);
    expect(canPrintLink(VIEW, saved)).toBe(false);
  });

  test('is a sentence for data and for long animations', () => {
    expect(hasPreview(VIEW)).toBe(true);
    expect(hasPreview({ ...VIEW, format: 'npz' })).toBe(false);
    expect(describeFile({ ...VIEW, format: 'npz' })).toContain('NumPy arrays');
    expect(hasPreview({ ...VIEW, content: 'patches', format: 'gif' })).toBe(false);
    expect(describeFile({ ...VIEW, content: 'patches', format: 'gif' })).toContain('One frame per patch');
  });
});

describe('the choice saved last', () => {
  let stored: string | null;
  beforeEach(() => {
    stored = null;
    vi.stubGlobal('localStorage', {
      getItem: () => stored,
      setItem: (_: string, value: string) => {
        stored = value;
      },
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test('is remembered', () => {
    expect(storedChoice()).toEqual(VIEW);
    storeChoice({ content: 'matrix', format: 'pdf', size: '16:9', link: false });
    expect(storedChoice()).toEqual({ content: 'matrix', format: 'pdf', size: '16:9', link: false });
  });

  test('is replaced where it is invalid', () => {
    stored = '{"content": "zoo", "format": "exe", "size": 3, "link": "no"}';
    expect(storedChoice()).toEqual(VIEW);
    stored = 'text';
    expect(storedChoice()).toEqual(VIEW);
  });

  test('is not needed in a private window', () => {
    vi.unstubAllGlobals();
    vi.stubGlobal('localStorage', undefined);
    expect(storedChoice()).toEqual(VIEW);
    expect(() => storeChoice(VIEW)).not.toThrow();
  });
});
