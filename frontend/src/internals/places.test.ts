import { describe, expect, test } from 'vitest';
import { columnPlaces, layerAxis, layerMark } from './layers';
import { type Places, walk } from './places';
import { tilePlaces, tileSide } from './tiles';

const PLAN = { count: 3, rows: 2, columns: 3, across: 2, gap: 10, ratio: 1, paint: () => {} };
const BOXES = [0, 70, 140].map((left) => ({ left, top: 0, width: 60, height: 40 }));

describe('keys', () => {
  const places = tilePlaces(PLAN);

  test('the first key reads the start', () => {
    expect(walk({ ...places, start: 7 }, -1, 'ArrowLeft', false)).toBe(7);
  });

  test('a key moves to the neighbor, with Shift to the same place of the next map', () => {
    const index = places.indexOf({ t: 0, row: 1, column: 1 });
    expect(places.partsOf(walk(places, index, 'ArrowRight', false))).toEqual({ t: 0, row: 1, column: 2 });
    expect(places.partsOf(walk(places, index, 'ArrowRight', true))).toEqual({ t: 1, row: 1, column: 1 });
    expect(places.partsOf(walk(places, index, 'ArrowDown', true))).toEqual({ t: 2, row: 1, column: 1 });
  });

  test('places without a map are skipped', () => {
    const last = places.indexOf({ t: 2, row: 0, column: 2 });
    expect(places.partsOf(walk(places, last, 'ArrowRight', false))).toEqual({ t: 2, row: 0, column: 0 });
    const above = places.indexOf({ t: 1, row: 1, column: 0 });
    expect(places.partsOf(walk(places, above, 'ArrowDown', false))).toEqual({ t: 1, row: 0, column: 0 });
  });

  test('Shift moves by one where there are no maps', () => {
    const columns: Places = columnPlaces({ left: 0, right: 50, top: 0, bottom: 10 }, 5);
    expect(walk(columns, 1, 'ArrowRight', true)).toBe(2);
  });
});

describe('tiles', () => {
  test('a map is as wide as whole pixels per value allow', () => {
    expect(tileSide(130, PLAN)).toBe(60);
    expect(tileSide(134, PLAN)).toBe(60); // room for 62
    expect(tileSide(26, { ...PLAN, columns: 5 })).toBe(8); // 5 would waste too much
  });

  test('the pointer reads the value under it', () => {
    const places = tilePlaces(PLAN);
    expect(places.partsOf(places.at({ x: 75, y: 25 }, BOXES))).toEqual({ t: 1, row: 1, column: 0 });
    expect(places.partsOf(places.at({ x: 59.9, y: 39.9 }, BOXES))).toEqual({ t: 0, row: 1, column: 2 });
    expect(places.at({ x: 65, y: 10 }, BOXES)).toBe(-1);
  });

  test('the mark is at the value, within its map', () => {
    const places = tilePlaces(PLAN);
    const index = places.indexOf({ t: 1, row: 1, column: 2 });
    expect(places.box(index, BOXES)).toEqual({ left: 110, top: 20, width: 20, height: 20, around: BOXES[1] });
  });

  test('a whole map is one place, without a mark around it', () => {
    const places = tilePlaces({ ...PLAN, whole: true });
    expect(places.grid).toEqual({ rows: 2, columns: 2 });
    expect(places.at({ x: 145, y: 39 }, BOXES)).toBe(2);
    expect(places.box(2, BOXES)).toEqual({ ...BOXES[2], around: null });
    expect(places.holds(3)).toBe(false);
  });
});

describe('layers', () => {
  const frame = { left: 30, right: 130, top: 5, bottom: 105 };

  test('the input of the first layer is “in”', () => {
    expect(layerMark(0)).toBe('in');
    expect(layerAxis({ ...frame, right: 330 }, 3, 0).labels.map(({ text }) => text)).toEqual(['in', 'layer 1', '2']);
  });

  test('labels that do not fit are omitted', () => {
    const { labels, band } = layerAxis(frame, 5, 1);
    expect(band).toBe(20);
    expect(labels).toEqual([
      { x: 40, text: 'layer 1' },
      { x: 100, text: '4' },
    ]);
  });

  test('the pointer reads the layer of its column', () => {
    const places = columnPlaces(frame, 5);
    expect([29, 30, 129, 130].map((x) => places.at({ x, y: 0 }, []))).toEqual([-1, 0, 4, -1]);
    expect(places.box(1, [])).toEqual({ left: 50, top: 5, width: 20, height: 100, style: 'column' });
  });
});
