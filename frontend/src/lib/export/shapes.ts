/* SVG shapes and texts of the page as primitives. */

import { colorOf, segmentsOf } from './css';
import { outlineOf, type Segment, transformed } from './drawing';
import type { Pen } from './walk';

/** Draw an SVG element without its children. */
export function drawShape(pen: Pen, element: SVGElement, style: CSSStyleDeclaration) {
  if (element instanceof SVGTextElement) drawSvgText(pen, element, style);
  const matrix = element instanceof SVGGeometryElement ? element.getScreenCTM() : null;
  if (!(element instanceof SVGGeometryElement) || !matrix) return;
  const isScaled = style.vectorEffect !== 'non-scaling-stroke';
  const scale = isScaled ? Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c)) : 1;
  const x = (px: number, py: number) => matrix.a * px + matrix.c * py + matrix.e - pen.left;
  const y = (py: number, px: number) => matrix.b * px + matrix.d * py + matrix.f - pen.top;
  const segments = shapeOf(element).map((segment) => transformed(segment, x, y));
  const isLine = element instanceof SVGLineElement;
  const fill = isLine ? null : colorOf(style.fill, pen.opacity * Number(style.fillOpacity));
  const stroke = colorOf(style.stroke, pen.opacity * Number(style.strokeOpacity));
  const dash = (style.strokeDasharray.match(/[\d.]+/g) ?? []).map((part) => scale * Number(part));
  const line = stroke && {
    stroke,
    strokeWidth: scale * Number.parseFloat(style.strokeWidth),
    ...(dash.length && { dash }),
    isRound: style.strokeLinecap === 'round',
  };
  if (segments.length && (fill || line)) pen.add({ kind: 'path', segments, ...(fill && { fill }), ...line });
}

/** The outline of a shape in its own coordinates. */
function shapeOf(element: SVGGeometryElement): Segment[] {
  const number = (name: string) => Number(element.getAttribute(name) ?? 0);
  if (element instanceof SVGRectElement) {
    return outlineOf({ x: number('x'), y: number('y'), width: number('width'), height: number('height') });
  }
  if (element instanceof SVGCircleElement) {
    const r = number('r');
    return outlineOf({ x: number('cx') - r, y: number('cy') - r, width: 2 * r, height: 2 * r, radius: r });
  }
  if (element instanceof SVGLineElement)
    return [
      ['M', number('x1'), number('y1')],
      ['L', number('x2'), number('y2')],
    ];
  if (element instanceof SVGPolylineElement || element instanceof SVGPolygonElement) {
    const points = [...element.points].map(({ x, y }, i): Segment => [i ? 'L' : 'M', x, y]);
    return element instanceof SVGPolygonElement ? [...points, ['Z']] : points;
  }
  return segmentsOf(element.getAttribute('d') ?? '');
}

function drawSvgText(pen: Pen, element: SVGTextElement, style: CSSStyleDeclaration) {
  const text = (element.textContent ?? '').trim();
  const color = colorOf(style.fill, pen.opacity);
  const matrix = element.getScreenCTM();
  if (!text || !color || !matrix) return;
  const start = element.getStartPositionOfChar(0);
  const stroke = colorOf(style.stroke, pen.opacity);
  pen.add({
    kind: 'text',
    text,
    x: matrix.a * start.x + matrix.e - pen.left,
    y: matrix.d * start.y + matrix.f - pen.top,
    width: matrix.a * element.getComputedTextLength(),
    size: matrix.d * Number.parseFloat(style.fontSize),
    color,
    isBold: Number(style.fontWeight) >= 600,
    isItalic: style.fontStyle !== 'normal',
    ...(stroke && { halo: { color: stroke, width: matrix.a * Number.parseFloat(style.strokeWidth) } }),
  });
}
