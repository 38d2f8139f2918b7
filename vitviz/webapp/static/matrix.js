var e=`/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick. */

.vitviz {
  --largest-tile: 56px;
  --smallest-tile: 24px;
  --thumbnail: 14px;
  --names: 40px;
  --gap: 4px;
  --mean-gap: 10px;
  --rows: 8;
  --columns: 8;
  --aspect: 1; /* of the image, width by height */
  --heads: 6;
}

.matrix-box { position: relative; }
.has-more::after {
  content: "›"; position: absolute; z-index: 4; top: 0; right: -7px; bottom: 0; width: 40px; display: grid; place-items: center end; padding-right: 8px;
  background: linear-gradient(to right, transparent, var(--page) 70%); color: var(--ink); font-size: 28px; pointer-events: none;
}
.matrix-preview {
  --side: max(168px, 2.4 * var(--largest-tile));
  position: absolute; z-index: 6; display: grid; padding: 8px; border-radius: 6px; background: var(--page); pointer-events: none;
  box-shadow: 0 0 0 1px var(--control-line), 0 4px 16px rgba(0, 0, 0, .28); font-size: 13px; line-height: 18px; white-space: nowrap;
  transition: opacity 90ms linear 160ms;
}
@starting-style { .matrix-preview { opacity: 0; } }
.matrix-preview canvas { width: calc(var(--side) * min(1, var(--aspect))); aspect-ratio: var(--aspect); margin-bottom: 6px; }
.matrix-preview b { font-weight: 600; }
.matrix-preview span { font-size: 12px; color: var(--quiet); }

/* Matrix. Tiles are a whole number of pixels per patch, so that edges stay sharp; those of many heads or patches shrink
   below that to fit, down to a thumbnail that the preview enlarges. */
.matrix-frame { position: relative; margin: -7px -7px -7px -12px; padding: 7px 7px 7px 12px; overflow-x: auto; }
.matrix {
  --space: min(var(--gap), max(2px, (16 - var(--heads)) * 1px));
  --patch-step: calc(max(var(--columns), var(--rows) * var(--aspect)) * 1px);
  --room: calc((100cqw - var(--names) - var(--mean-gap) + var(--space)) / (var(--heads) + 1) - var(--space));
  --whole: round(down, min(var(--largest-tile), var(--room)), var(--patch-step));
  --tile: max(var(--whole), min(round(up, var(--smallest-tile), var(--patch-step)), max(var(--thumbnail), round(down, var(--room), 1px))));
  --tile-height: calc(var(--tile) / var(--aspect));
  display: grid; gap: var(--space); width: max-content;
  grid-template-columns: var(--names) repeat(var(--heads), var(--tile)) calc(var(--tile) + var(--mean-gap) - var(--space));
}
.matrix-row { display: contents; }
.label { display: grid; place-items: center; min-height: 18px; font-size: 12px; line-height: 1; white-space: nowrap; color: var(--quiet); }
.label[role=rowheader] { min-height: 0; } /* rows are as close as their maps */
.label[role=columnheader]:not(.mean) { font-size: clamp(9px, .7 * var(--tile), 12px); }
.label.on { color: var(--color-accent); font-weight: 600; }
.label.corner, .label[role=rowheader] { justify-content: end; padding-right: 6px; position: sticky; z-index: 3; left: 0; background: var(--page); }
.label.mean[role=columnheader] { padding-left: calc(var(--mean-gap) - var(--space)); }
.mean-row > * { margin-top: calc(var(--mean-gap) - var(--space)); }
.cell { position: relative; width: var(--tile); height: var(--tile-height); padding: 0; border: 0; background: var(--fill); box-shadow: 0 0 0 1px var(--tile-line); cursor: pointer; }
.cell.mean { margin-left: calc(var(--mean-gap) - var(--space)); }
.cell canvas { width: 100%; height: 100%; }
.many-patches canvas { image-rendering: auto; } /* a tile may have fewer pixels than patches */
.cell:hover { box-shadow: 0 0 0 1.5px var(--ink); }
.cell[aria-selected=true] { z-index: 1; box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }
.cell:focus-visible { z-index: 2; outline-offset: 4px; border-radius: 1px; }

/* The patch grid over an image. */
.patch-grid {
  position: absolute; inset: 0; --across: calc(100% / var(--columns)); --down: calc(100% / var(--rows)); pointer-events: none; box-shadow: inset 0 0 0 1px var(--tile-line);
  background:
    repeating-linear-gradient(to right, var(--grid-line) 0 1px, transparent 1px var(--across)),
    repeating-linear-gradient(to bottom, var(--grid-line) 0 1px, transparent 1px var(--down));
}
`;export{e as matrix_default};