import { describe, expect, test } from 'vitest';
import { placeLabels, pointsText, ticks, tickText, valueScale, valueTicks } from './axes';

const frame = { left: 44, right: 300, top: 10, bottom: 110 };

describe('ticks', () => {
  test.each([
    [1, 5, ['0', '0.2', '0.4', '0.6', '0.8', '1']],
    [0.3, 3, ['0', '0.1', '0.2', '0.3']],
    [1.12, 3, ['0', '0.5', '1']],
    [10, 4, ['0', '5', '10']],
    [47, 4.3, ['0', '10', '20', '30', '40']],
    [2350, 5, ['0', '500', '1000', '1500', '2000']],
    [0.01, 1, ['0', '0.01']],
    [0, 5, ['0']],
    [Number.NaN, 5, ['0']],
  ])('to %f, about %f', (end, count, texts) => {
    expect(ticks(end, count).map((tick) => tickText(tick))).toEqual(texts);
  });

  test('are few enough for the height of the axis', () => {
    expect(valueTicks(frame, 100)).toEqual([0, 50, 100]);
    expect(valueTicks({ ...frame, bottom: 40 }, 100)).toEqual([0, 50, 100]);
    expect(valueTicks({ ...frame, bottom: 800 }, 100)).toEqual([0, 20, 40, 60, 80, 100]);
  });

  test('print without rounding errors', () => {
    expect(tickText(0.1 + 0.2)).toBe('0.3');
    expect(tickText(0.1 + 0.2, (value) => `${100 * value} %`)).toBe('30 %');
  });
});

test('values are placed from the bottom', () => {
  const y = valueScale(frame, 4);
  expect([0, 1, 4].map(y)).toEqual([110, 85, 10]);
  expect(valueScale(frame, 0)(0)).toBe(110);
});

test('points of a polyline', () => {
  expect(
    pointsText([
      [1, 2],
      [3.5, 4],
    ]),
  ).toBe('1,2 3.5,4');
});

describe('labels', () => {
  const place = (...heights: number[]) =>
    placeLabels(
      heights.map((y) => ({ y })),
      frame,
    ).map(({ y }) => y);

  test('stay where there is room', () => {
    expect(place(20, 80, 50)).toEqual([20, 80, 50]);
  });

  test('move apart', () => {
    expect(place(20, 22, 24)).toEqual([20, 35, 50]);
    expect(place(24, 20)).toEqual([35, 20]);
  });

  test('stay above the bottom', () => {
    expect(place(105, 108, 200)).toEqual([80, 95, 110]);
  });

  test('are not changed in place', () => {
    const labels = [
      { y: 20, text: 'a' },
      { y: 20, text: 'b' },
    ];
    expect(placeLabels(labels, frame)[1]).toEqual({ y: 35, text: 'b' });
    expect(labels[1].y).toBe(20);
    expect(placeLabels([], frame)).toEqual([]);
  });
});
