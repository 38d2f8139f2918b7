import{$n as e,Ar as t,B as n,Bn as r,Dn as i,Dr as a,En as o,Er as s,Fr as c,Ft as l,Gn as u,Ir as d,Kn as f,Ln as p,Lr as m,M as h,Mn as g,Mr as _,Nr as v,Pr as ee,Rn as y,Rr as b,Rt as x,Tn as S,Tr as C,Ut as w,Wn as T,X as E,Y as D,Yn as te,Zn as ne,_r as re,ar as O,at as ie,br as ae,dr as oe,er as k,fr as A,gt as j,hr as M,j as se,jt as ce,k as le,kn as ue,kr as N,mt as de,nr as P,nt as fe,or as F,pt as pe,qn as I,qt as me,rr as L,sr as R,u as he,wn as z,wr as B,yr as V,zn as ge,zt as H}from"./shared.js";import{s as _e}from"./App.js";import{a as ve,i as ye,r as be,t as U,u as xe}from"./figures.js";import{n as Se,r as Ce,t as we}from"./video.js";import{a as Te,c as Ee,i as W}from"./session.svelte.js";import{r as De}from"./explanation.svelte.js";import{c as Oe,i as ke,n as Ae,o as je,r as Me,s as Ne}from"./explore.js";import{a as Pe,s as Fe}from"./accuracy.js";import{t as Ie}from"./Effect.js";import{t as Le}from"./ImageSet.js";import{o as Re}from"./viewSentences.js";var ze=`/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick.
   shared/base.css and shared/matrix.css are included before them. */

/* Image, map and tiles grow with the window, as long as the methods stay above the fold. */
.vitviz-explorer {
  --unit: clamp(1px, min(100vw / var(--zoom, 1) / 1400, (100vh / var(--zoom, 1) - 482px) / 418), 2px);
  --image: round(down, 208 * var(--unit), 8px);
  --map: round(down, 360 * var(--unit), 8px);
  --matrix: calc(466 * var(--unit));
  --largest-tile: calc(56 * var(--unit));
  --method: calc(68 * var(--unit));
}
.smooth canvas:not(.crisp, .class-cell) { image-rendering: auto; }
/* A first visit: a sentence in the header, and the tour. */
.intro { position: absolute; z-index: 2; top: calc(6px - var(--header)); left: 440px; right: 490px; display: flex; align-items: center; gap: 4px 10px; height: 40px; font-size: 13px; line-height: 17px; color: var(--quiet); }
.intro .button { margin: 0; flex: none; }
.toured { outline: 3px solid var(--color-accent); outline-offset: 5px; border-radius: 2px; }
.tour { position: fixed; inset: auto; width: 320px; max-width: calc(100vw - 16px); margin: 0; padding: 14px 16px; border: 1px solid var(--control-line); border-radius: 8px; background: var(--page); color: var(--ink); box-shadow: 0 8px 32px rgba(0, 0, 0, .25); font-size: 14px; line-height: 20px; }
.tour h3 { margin-bottom: 4px; font-size: 15px; font-weight: 600; }
.tour-buttons { display: flex; align-items: center; gap: 8px; margin-top: 12px; } .tour-buttons span { flex: 1; font-size: 12px; color: var(--quiet); }
/* Headline, status line, controls. */
.lead { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 24px; align-items: start; padding: 5px 0; }
/* A long headline is set smaller, in one line or two: nothing below moves. */
.lead .headline { align-self: end; margin: 0; font-size: clamp(16px, (100vw / var(--zoom, 1) - 472px) / (.5 * var(--letters)), 22px); line-height: 1.125; }
.summary { display: contents; }
.lead .status { grid-column: 1 / -1; }
.actions { grid-area: 1 / 2; min-height: 36px; display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.controls { display: flex; flex-wrap: wrap; gap: 12px 28px; padding-bottom: 12px; }
.shows-method .controls .choice:not(.display) { visibility: hidden; } /* options of the heads; nothing moves */
.controls { position: relative; } .resolution { position: absolute; }

/* Four columns. */
.columns { display: grid; gap: 24px max(32px, 2vw); align-items: start; grid-template-columns: var(--image) var(--map) minmax(0, var(--matrix)) minmax(170px, 1fr); }
.column { min-width: 0; }
.column-head { display: flex; align-items: center; justify-content: space-between; gap: 8px; height: 24px; margin-bottom: 6px; }
.column-head span { font-size: 13px; color: var(--quiet); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.column-head h2 { white-space: nowrap; }

/* Image and map: patches are never interpolated unless Display is Smoothed. */
.image-column { --side: var(--image); }
.map-column { --side: var(--map); }
.stage {
  position: relative; width: calc(var(--side) * min(1, var(--aspect))); aspect-ratio: var(--aspect);
  background: var(--fill); cursor: crosshair; touch-action: manipulation; user-select: none;
}
.stage canvas, .patch-grid { position: absolute; inset: 0; width: 100%; height: 100%; }
.stage:focus-visible { outline-offset: 3px; border-radius: 0; }
.image .patch-grid { --grid-line: rgba(255, 255, 255, .26); }
.stage .outlines { position: absolute; inset: 0; width: 100%; height: 100%; fill: none; pointer-events: none; }
.outlines path { stroke: var(--ink); stroke-width: 1.2px; stroke-linecap: round; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.outlines .outline-halo { stroke: var(--page); stroke-width: 2.6px; opacity: .45; }
.mark { position: absolute; width: calc(100% / var(--columns)); height: calc(100% / var(--rows)); pointer-events: none; }
.mark.query { box-shadow: 0 0 0 2px var(--color-accent), 0 0 0 3px var(--page), inset 0 0 0 1px var(--page); }
.mark.removed { --fill: var(--page); background: linear-gradient(to bottom right, transparent calc(50% - .6px), var(--quiet) 0 calc(50% + .6px), transparent 0) var(--fill); box-shadow: 0 0 0 1px var(--quiet); }
.grayed .image .mark.removed { --fill: gray; }
.grayed .map .mark.removed { --fill: transparent; }
.mark.read { box-shadow: 0 0 0 1.5px var(--ink), inset 0 0 0 1px var(--page); }
.tip {
  position: absolute; z-index: 5; padding: 4px 8px; border-radius: 4px; background: var(--ink); color: var(--page);
  font-size: 13px; line-height: 17px; white-space: nowrap; pointer-events: none; transform: translate(-50%, calc(-100% - 5px));
}
.tip b { font-weight: 600; }
.tip span { margin-left: 3px; }
.tip.below { transform: translate(-50%, 5px); }
.dropping .image { outline: 2px dashed var(--color-accent); outline-offset: 3px; }

.under-image { display: grid; grid-template-columns: 1fr auto; align-items: center; gap: 6px 12px; margin-top: 10px; }
.class-token { display: inline-flex; justify-self: start; align-items: center; gap: 8px; padding: 0; border: 0; background: none; font-size: 13px; white-space: nowrap; cursor: pointer; }
.class-token i { display: grid; place-items: center; width: 32px; height: 32px; box-shadow: inset 0 0 0 1px var(--control-line); color: var(--quiet); font: italic 14px/1 var(--math); }
.class-token:hover i { box-shadow: inset 0 0 0 1px var(--ink); }
.class-token[aria-pressed=true] { font-weight: 600; }
.class-token[aria-pressed=true] i { box-shadow: 0 0 0 2px var(--color-accent); color: var(--color-accent); }
.image-note { grid-column: 1 / 3; min-height: 32px; font-size: 12px; line-height: 16px; color: var(--quiet); overflow-wrap: anywhere; }

.picker { margin-top: 8px; }
.picker .choice, .picker .options { width: 100%; }
.picker .options label { flex: 1; }
.picker .options span { flex: 1; padding: 0 4px; }
.picker .options:has(:nth-child(4)) span { padding: 0 1px; font-size: 12px; }
/* All shelves have the same height, so that nothing below moves. */
.shelf { --shelf: calc(.6 * var(--image) + 14px); min-height: var(--shelf); margin-top: 12px; }
.group-title { margin: 6px 0 2px; font-size: 12px; line-height: 16px; color: var(--quiet); }
.crop { --original: 60px; display: flex; align-items: center; gap: 12px; height: var(--original); margin-bottom: 10px; }
.original { position: relative; flex: none; line-height: 0; overflow: hidden; box-shadow: 0 0 0 1px var(--tile-line); touch-action: none; }
.original img { display: block; min-width: 14px; min-height: 14px; max-width: calc(2 * var(--original)); max-height: var(--original); }
.original.movable { cursor: move; }
.crop-box { position: absolute; box-shadow: inset 0 0 0 2px var(--color-accent), 0 0 0 200px rgba(0, 0, 0, .5); }
.crop-text { flex: 1; min-width: 0; font-size: 12px; line-height: 16px; color: var(--quiet); }
.crop-text input { width: 100%; height: 24px; margin: 0; accent-color: var(--color-accent); cursor: pointer; }
.formats:not([hidden]) { display: block; margin-top: 4px; font-size: 12px; line-height: 16px; }
.shelf .status { margin-bottom: 8px; font-size: 13px; line-height: 17px; }
.shelf .absent { margin-top: 0; padding: 8px; }
.shelf .absent .button { width: 100%; padding: 0; font-size: 12px; }
.empty { position: relative; display: block; padding: 9px 12px; border: 1px dashed var(--control-line); border-radius: 6px; font-size: 13px; line-height: 18px; color: var(--quiet); }
.drop { cursor: pointer; }
.upload-row { display: grid; gap: 10px 8px; }
.upload-row.compact { grid-template-columns: 1fr auto; }
/* Open, the camera covers what is below it, so that nothing moves. */
.camera { position: absolute; z-index: 15; display: grid; grid-template-columns: 1fr 1fr; gap: 10px 8px; width: min(300px, 100vw - 32px); padding: 12px; border: 1px solid var(--control-line); border-radius: 6px; background: var(--page); box-shadow: 0 8px 24px rgba(0, 0, 0, .18); }
.camera[hidden] { display: none; }
.camera video { grid-column: 1 / 3; width: 100%; aspect-ratio: 4 / 3; object-fit: cover; background: var(--fill); }
.drop input { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; cursor: pointer; font-size: 0; }
.drop:focus-within { outline: 2px solid var(--color-accent); outline-offset: 2px; }
.dropping .drop { border-color: var(--color-accent); background: var(--color-accent-soft); }

/* Color bar and the tokens outside of the map. */
.bar { position: relative; height: 30px; margin-top: 12px; }
.bar.unused { visibility: hidden; }
.bar canvas { width: 100%; height: 10px; box-shadow: 0 0 0 1px var(--tile-line); background: var(--fill); }
.tick { position: absolute; top: 10px; padding-top: 4px; font-size: 12px; line-height: 16px; white-space: nowrap; color: var(--quiet); transform: translateX(-50%); }
.tick i { position: absolute; left: 50%; top: 0; height: 4px; border-left: 1px solid var(--quiet); }
.tick.first { transform: none; }
.tick.first i { left: 0; }
.tick.last { transform: translateX(-100%); }
.tick.last i { left: auto; right: 0; }
.caret { position: absolute; top: -6px; width: 0; margin-left: -5px; border: 5px solid transparent; border-top: 6px solid var(--ink); border-bottom: 0; }
.uniform { position: absolute; top: -4px; height: 14px; border-left: 1.5px dashed var(--ink); }
.bar-text { display: flex; justify-content: space-between; gap: 8px; min-height: 18px; margin-top: 4px; font-size: 12px; line-height: 18px; color: var(--quiet); }
.under-map { display: flex; align-items: center; gap: 10px; min-height: 40px; margin-top: 8px; }
.class-cell { flex: none; width: 32px; height: 32px; background: var(--fill); box-shadow: inset 0 0 0 1px var(--tile-line), 0 0 0 1px var(--tile-line); }
.class-weight { flex: 1; font-size: 13px; line-height: 18px; }
.outline-slider { display: inline-flex; align-items: center; gap: 8px; font-size: 13px; color: var(--quiet); }
.outline-slider input { width: 96px; height: 32px; margin: 0; accent-color: var(--color-accent); cursor: pointer; }

/* Matrix, in addition to shared/matrix.css. */
.matrix-column { container-type: inline-size; }
.query-frames { position: absolute; z-index: 1; width: 0; height: 0; overflow: visible; fill: none; stroke: var(--color-accent); pointer-events: none; }
.cell.ablated { background: linear-gradient(to bottom right, transparent calc(50% - .6px), var(--quiet) 0 calc(50% + .6px), transparent 0) var(--page); }
.cell:is(.ablated, .lacking) canvas { visibility: hidden; }
.head-empty .stage.map canvas, .head-empty .outlines, .head-empty .bar, .head-empty .bar-text, .head-empty .class-cell, .head-empty .class-weight, .head-empty .tip { visibility: hidden; }
.layer-select { display: none; }

/* Prediction. */
.predictions { display: grid; gap: 2px; list-style: none; }
.explain-class { display: grid; grid-template-columns: minmax(0, auto) 1fr auto; align-items: baseline; gap: 4px 6px; width: calc(100% + 16px); margin: 0 -8px; padding: 6px 8px; border: 0; border-radius: 4px; background: none; color: inherit; text-align: left; font-size: 13px; line-height: 18px; min-height: 40px; cursor: pointer; }
.explain-class:where(:enabled):hover { background: var(--fill); }
.explain-class:disabled { cursor: default; }
.explain-class[aria-pressed=true] { background: var(--color-accent-soft); }
.before { position: absolute; top: -3px; bottom: -3px; width: 2px; background: var(--ink); }
.effect { margin-top: 14px; padding-top: 12px; border-top: 1px solid var(--hairline); font-size: 13px; line-height: 19px; color: var(--quiet); }
.effect-points { line-height: 28px; color: var(--ink); }
.effect-points b { font-size: 20px; font-weight: 600; }
.effect > .button, .effect label { margin-top: 8px; }
.effect label { display: flex; align-items: center; gap: 8px; }
.effect select { flex: 1; min-width: 0; max-width: 200px; }
.removing .stage.image { cursor: cell; }
[data-do=remove][aria-pressed=true] { background: var(--color-accent-soft); color: var(--color-accent); box-shadow: inset 0 0 0 1px var(--color-accent); }
.contrast { display: flex; align-items: center; gap: 8px; margin-top: 10px; font-size: 13px; color: var(--quiet); }
.contrast select { min-width: 0; flex: 1; max-width: 200px; }
.class-search { display: grid; gap: 10px; }
.class-search label { display: grid; gap: 4px; min-width: 0; }
.class-search input { width: 100%; min-width: 0; cursor: text; }
.map-column .column-head { height: auto; min-height: 24px; }
.column-head .button { margin-top: -4px; margin-bottom: -4px; }
.column-head .map-title { min-width: 0; margin-block: -6px; line-height: 16px; white-space: normal; overflow-wrap: anywhere; } /* two lines have room */
.prediction:first-child .class-name { font-weight: 600; }
.value { grid-column: 3; }
.tag { grid-column: 2; justify-self: start; padding: 0 5px; border: 1px solid var(--control-line); border-radius: 4px; font-size: 12px; line-height: 16px; color: var(--quiet); }
.track { grid-column: 1 / 4; }
.prediction:first-child .fill { background: var(--ink); }
.explain-class[aria-pressed=true] .fill { background: var(--color-accent); }
.accuracy { margin-top: 14px; padding-top: 12px; border-top: 1px solid var(--hairline); font-size: 13px; line-height: 19px; color: var(--quiet); }
.accuracy:empty { display: none; }
.hint { margin-top: 10px; font-size: 13px; line-height: 19px; color: var(--quiet); }
.words { margin-top: 10px; }
.words label { display: grid; gap: 4px; font-size: 13px; }
.words textarea { width: 100%; min-width: 0; height: auto; padding: 6px 8px; line-height: 18px; cursor: text; resize: vertical; }
.words .hint { margin-top: 6px; }

/* Methods. */
.methods { margin-top: 8px; padding-top: 10px; border-top: 1px solid var(--hairline); }
.methods-head { position: relative; display: flex; align-items: baseline; gap: 0 12px; white-space: nowrap; }
.methods-head span { overflow: hidden; text-overflow: ellipsis; font-size: 12px; color: var(--quiet); }
.methods-head .score-note { flex: none; margin-left: auto; overflow: visible; }
.methods-head .progress { position: absolute; inset: auto 0 -6px; }
.helps { white-space: nowrap; }
.method-row { display: flex; gap: 12px 20px; margin-top: 8px; }
.method-groups { position: relative; flex: 1; display: flex; gap: 20px; min-width: 0; padding: 4px 4px 8px 0; overflow-x: auto; contain: inline-size; }
.method-group { flex: none; } .method-group:last-child { flex: 1; min-width: min-content; }
.other-methods { flex: none; width: 116px; } .few .other-methods { padding-top: 26px; }
.other-methods .button { width: 100%; height: auto; min-height: 32px; margin-bottom: 6px; padding: 4px 8px; font-size: 12px; line-height: 15px; white-space: normal; }
.on-request .progress { margin: -2px 0 8px; }
.group-name { min-height: 18px; margin-bottom: 4px; font-size: 12px; line-height: 18px; color: var(--quiet); }
.method-tiles { display: flex; flex-wrap: wrap; gap: 12px clamp(6px, .75vw, 32px); }
.method { display: grid; justify-items: start; align-content: start; min-width: 0; width: var(--method); padding: 0; border: 0; background: none; text-align: left; cursor: pointer; font-size: 13px; line-height: 18px; }
.method canvas { width: calc(var(--method) * min(1, var(--aspect))); aspect-ratio: var(--aspect); background: var(--fill); box-shadow: 0 0 0 1px var(--tile-line); }
.method.waiting canvas { visibility: hidden; }
.method-name { margin-top: 5px; font-size: 12px; line-height: 14px; min-height: 28px; }
.method .track { grid-column: 1; width: var(--method); height: 4px; margin-top: 3px; }
.method .track.waiting .random { display: none; }
.random { position: absolute; top: -3px; bottom: -3px; width: 2px; background: var(--ink); }
.method-score { display: flex; justify-content: space-between; gap: 2px; white-space: nowrap; width: var(--method); margin-top: 4px; font-size: 11px; }
.comparison { color: var(--quiet); } .comparison.below { color: var(--ink); font-weight: 600; } .fill.near { opacity: .55; }
.fill.below { background: repeating-linear-gradient(135deg, var(--quiet) 0 2px, transparent 2px 4px); }
/* The first methods are larger, with their words next to them. */
@media (min-width: 640px) {
  .few { --canvas: calc(var(--method) + 36px); }
  @media (max-width: 1359px) { .few { --canvas: var(--method); } }
  .few .method-groups { gap: max(20px, 2vw); }
  .few .method-tiles { gap: max(10px, 1.5vw); }
  .few .method { grid-template-columns: auto var(--method); grid-template-rows: auto auto 1fr; column-gap: 10px; width: auto; }
  .few .method canvas { grid-row: 1 / 4; width: calc(var(--canvas) * min(1, var(--aspect))); }
  .few .method .track { grid-column: 2; }
}
.shows-method .under-map { visibility: hidden; }
.method:hover canvas { box-shadow: 0 0 0 1.5px var(--ink); }
.method:focus-visible { outline-offset: 6px; }
.method[aria-pressed=true] canvas { box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }
.method[aria-pressed=true] .method-name { font-weight: 600; color: var(--color-accent); }
.method-about { max-width: 84ch; margin-top: 12px; font-size: 13px; line-height: 19px; color: var(--quiet); }
.method-about b { color: var(--ink); }
.formula { margin-right: 4px; padding: 1px 5px; border-radius: 3px; background: var(--fill); font-size: 12px; color: var(--ink); }

.jump { display: none; }
.keys { margin-top: 16px; padding-top: 8px; border-top: 1px solid var(--hairline); font-size: 12px; line-height: 18px; color: var(--quiet); }

/* Before the first image: placeholders. */
.vitviz-explorer:not([data-ready]) .tick, .vitviz-explorer:not([data-ready]) .mark { visibility: hidden; }

@media (max-width: 1799px) { [data-do=remove] .more { display: none; } }

/* Views: what the matrix and the map show. */
.view-tabs { display: flex; gap: 12px; } .column-head .matrix-note { font-size: 12px; }
.view-tabs button { padding: 0 0 3px; border: 0; border-bottom: 2px solid transparent; background: none; font-size: 14px; line-height: 19px; color: var(--quiet); cursor: pointer; white-space: nowrap; }
.view-tabs button:hover:enabled { color: var(--ink); }
.view-tabs button[aria-pressed=true] { color: var(--ink); font-weight: 600; border-color: var(--color-accent); }
.view-tabs button:disabled { opacity: .5; cursor: default; }

`,Be=`/* Narrow windows and touch.
   Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick. */

@media (max-width: 1359px) {
  .vitviz-explorer {
    --image: clamp(176px, 100vh - 584px, 224px); --map: clamp(240px, 100vh - 496px, 288px);
    --largest-tile: 48px; --names: 36px; --gap: 3px; --mean-gap: 8px; --method: 68px;
  }
  .shelf { --shelf: calc(.6 * var(--image)); height: var(--shelf); margin-inline: -4px; padding: 4px; overflow-y: auto; }
  .gallery:not(.large) { height: auto; }
  .group-title { margin: 2px 0; }
  .many-heads { --image: 184px; --map: 264px; }
  .columns { grid-template-columns: var(--image) var(--map) minmax(0, 1fr); gap: 16px 24px; }
  .bar-text { min-height: 36px; }
  .controls { gap: 10px 16px; }
  .controls .options span { padding: 0 8px; }
  .controls .choice { flex-direction: column; align-items: flex-start; gap: 3px; }
  .controls .name { font-size: 12px; line-height: 15px; }
  .outline-slider { flex-direction: column; align-items: flex-start; gap: 3px; }
  .outline-slider input { width: 80px; }
  .crop { --original: 44px; margin-bottom: 6px; }
  .picker .options:has(:nth-child(4)) span { font-size: 11px; }
  .compact .drop { padding: 6px 10px; }
  [data-do=remove] { padding: 0 8px; }
  .under-image { gap: 6px; }
  .class-token i { width: 28px; height: 28px; }
  .prediction-column { grid-column: 1 / -1; display: grid; grid-template-columns: auto 1fr auto; align-items: center; gap: 4px 16px; padding-top: 8px; border-top: 1px solid var(--hairline); }
  .prediction-column > * { grid-column: 1 / -1; }
  .prediction-column > .column-head { grid-column: 1; margin: 0; }
  .prediction-column > .contrast { grid-area: 1 / 3; margin: 0; }
  .predictions { grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 14px 20px; }
  .accuracy { margin-top: 4px; padding-top: 0; border: 0; }
  .lead .status { font-size: 14px; }
  .samples .thumbs { gap: 5px 14px; }
  .methods-head { flex-wrap: wrap; }
  .methods-head .score-note { width: 100%; white-space: normal; }
}
@media (min-width: 761px) and (max-width: 1150px) {
  .vitviz-explorer:not(.figure) .tick:nth-last-child(2) { visibility: hidden; } /* the last one has the room */
  /* Room for two lines of each, so that nothing moves under the pointer. */
  .lead { padding: 5px 0 3px; }
  .lead .headline { align-self: start; min-height: 46px; font-size: 18px; line-height: 23px; }
  .status { min-height: 36px; line-height: 18px; }
}
@media (max-width: 760px) {
  .lead { grid-template-columns: 1fr; gap: 6px; }
  .lead .headline { min-height: 0; margin-bottom: 2px; font-size: clamp(16px, 2 * (100vw / var(--zoom, 1) - 32px) / (.6 * var(--letters)), 22px); line-height: 1.27; }
  .summary { display: block; min-height: 102px; }
  .actions { grid-area: auto; }
}
@media (min-width: 1024px) and (max-width: 1535px), (max-width: 639px) {
  .intro .what { display: none; }
}
@media (max-width: 1199px) {
  .intro { left: 378px; right: 310px; gap: 4px 2px; font-size: 12px; line-height: 15px; }
  .intro .button { padding: 0 5px; }
}
@media (min-width: 761px) and (max-width: 1359px) {
  /* An ablation takes the room of the lines that it replaces. */
  .effect { display: grid; grid-template: auto auto / auto 1fr auto auto auto; gap: 0 16px; align-items: center; min-height: 46px; margin-top: 10px; padding: 0; border: 0; }
  .effect-from { grid-area: 2 / 1; }
  .effect > :not(.effect-what, .effect-from) { grid-row: 1 / 3; margin: 0; }
}
@media (max-width: 1023px) {
  .intro { position: static; height: auto; min-height: 32px; padding-top: 8px; }
  .columns { grid-template-columns: var(--image) minmax(0, 1fr); }
  .matrix-column { grid-column: 1 / -1; }
  .vitviz-explorer { --map: min(336px, 100vw - 312px); --largest-tile: 56px; }
  .map-column { max-width: var(--map); }
}
@media (max-width: 639px) {
  .column-head .matrix-note { display: none; }
  .vitviz-explorer { --image: min(272px, 100vw - 116px); --map: min(352px, 100vw - 32px); --largest-tile: 40px; --names: 40px; }
  .lead { padding: 12px 0 10px; }
  .summary { min-height: 100px; }
  .status { font-size: 14px; }
  .flow { display: flex; flex-direction: column; reading-flow: flex-visual; } /* Tab follows the visual order */
  .columns { display: contents; }
  .column { margin-bottom: 20px; }
  .image-column { order: 1; }
  .map-column { order: 2; }
  .map-column .column-head { min-height: 40px; }
  .bar.unused, .bar.unused ~ .bar-text, .bar.unused ~ .under-map { display: none; }
  .controls { order: 3; flex-direction: column; gap: 10px; padding: 0; }
  .matrix-column { order: 4; margin-top: 18px; }
  .matrix-column .column-head { flex-wrap: wrap; height: auto; }
  .prediction-column { order: 5; }
  .methods { order: 6; margin-top: 0; }
  .method-row, .method-groups { flex-wrap: wrap; }
  .other-methods { width: 100%; } .few .other-methods { padding-top: 0; }
  .method-tiles { display: grid; gap: 16px 6px; grid-template-columns: repeat(3, minmax(0, 104px)); justify-content: space-between; }
  .method-group { width: 100%; }
  .method, .method .track, .method-score { width: 100%; max-width: 104px; }
  .method-name { white-space: normal; }
  .method-score { flex-wrap: wrap; gap: 0 6px; }
  .method canvas { width: calc(100% * min(1, var(--aspect))); }
  .controls .choice, .outline-slider { align-items: stretch; }
  .shows-method .controls .choice:not(.display) { display: none; }
  .outline-slider input { width: 100%; }
  .controls .options { width: 100%; }
  .controls .options label, .controls .options span { flex: 1; }
  .predictions { grid-template-columns: 1fr; gap: 0; }
  .image-column { display: grid; grid-template-columns: var(--side) minmax(0, 1fr); gap: 0 10px; }
  .image-column:has(.shelf[data-shelf=sample][hidden]) { --side: var(--map); column-gap: 0; } /* no strip next to it */
  .image-column > *, .picker > * { grid-column: 1 / 3; }
  .image-column > .stage { grid-area: 2 / 1; }
  .picker { display: contents; }
  .picker .choice { margin-top: 10px; }
  .shelf { height: auto; padding: 0; margin-inline: 0; overflow: visible; }
  .large .count { display: none; }
  .gallery:not(.large) { height: 240px; }
  .shelf[data-shelf=sample] { grid-area: 2 / 2; align-self: stretch; position: relative; height: auto; margin: 0; }
  .samples { position: absolute; inset: -4px; padding: 4px 8px; overflow-y: auto; scrollbar-width: none; }
  .samples .thumbs { grid-template-columns: 1fr; gap: 11px; }
  .group-title { margin: 8px 0 4px; overflow: hidden; text-overflow: ellipsis; }
  .keys { display: none; }
  /* A choice made below the map is shown here, with a link back to the map. */
  .jump { display: block; position: fixed; z-index: 20; inset: auto 0 0; padding: 12px 16px; border: 0; border-top: 1px solid var(--control-line); background: var(--page); text-align: left; font-size: 14px; line-height: 20px; cursor: pointer; }
  .jump::after { content: " Show"; color: var(--color-accent); font-weight: 600; }

  /* More than eight heads: one layer at a time, its heads side by side with their numbers. */
  .many-heads .layer-select { display: flex; align-items: center; gap: 8px; margin-bottom: 10px; font-size: 13px; color: var(--quiet); }
  .many-heads .matrix { --tile: max(round(down, 52px, var(--patch-step)), round(up, 32px, var(--patch-step))); display: block; width: 100%; }
  .many-heads .matrix-row { display: none; }
  .many-heads .matrix-row.current { display: flex; flex-wrap: wrap; gap: 22px 8px; margin: 0; padding-top: 18px; }
  .many-heads .matrix-row .label { display: none; }
  .many-heads .cell, .many-heads .cell.mean { margin: 0; }
  .many-heads .cell::after { content: attr(data-head); position: absolute; left: 0; right: 0; top: -18px; font-size: 12px; line-height: 16px; text-align: center; color: var(--quiet); }
}
@media (max-width: 480px) {
  .summary { min-height: 120px; }
}
@media (max-width: 340px) {
  .summary { min-height: 140px; }
}
@media (pointer: coarse) {
  .vitviz-explorer { --smallest-tile: 32px; --thumbnail: 24px; }
  .outline-slider input { height: 32px; }
}
`,Ve=`/* Several images on one scale. */

.image-set { margin-top: 8px; padding: 10px 0 4px; border-top: 1px solid var(--hairline); }
.set-head { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; min-height: 32px; }
.set-title { flex: 1 1 240px; font-size: 12px; line-height: 16px; color: var(--quiet); }
.set-actions { display: flex; flex-wrap: wrap; gap: 8px; }
.set-actions label.button { position: relative; display: inline-flex; align-items: center; }
.set-actions input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; font-size: 0; }
.set-actions label:focus-within { outline: 2px solid var(--color-accent); outline-offset: 2px; }
.set-actions [aria-pressed=true] { background: var(--color-accent-soft); color: var(--color-accent); box-shadow: inset 0 0 0 1px var(--color-accent); }
.image-set > .progress { margin-top: 6px; }
.set-tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(188px, 1fr)); gap: 14px 16px; margin-top: 10px; }
.set-tile { position: relative; min-width: 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; width: 100%; padding: 0; border: 0; background: none; text-align: left; cursor: pointer; }
.pair img, .pair canvas { width: 100%; aspect-ratio: var(--aspect); background: var(--fill); box-shadow: 0 0 0 1px var(--tile-line); }
.pair img { object-fit: cover; image-rendering: auto; }
.pair span { grid-column: 1 / 3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 12px; line-height: 16px; }
.set-name { margin-top: 5px; }
.set-prediction { min-height: 16px; color: var(--quiet); }
.pair[aria-pressed=true] .set-name { font-weight: 600; color: var(--color-accent); }
.pair:hover :is(img, canvas) { box-shadow: 0 0 0 1.5px var(--ink); }
.set-remove { position: absolute; top: 4px; left: 4px; width: 24px; height: 24px; padding: 0; border: 0; border-radius: 4px; background: rgba(20, 22, 26, .72); color: #fff; font-size: 16px; line-height: 24px; cursor: pointer; opacity: 0; }
.set-tile:hover .set-remove, .set-remove:focus-visible { opacity: 1; }
.set-foot { display: flex; flex-wrap: wrap; gap: 8px 32px; margin-top: 12px; font-size: 12px; line-height: 16px; color: var(--quiet); }
.set-scale { width: min(380px, 100%); }
.set-scale p { margin-top: 2px; }
.set-note { flex: 1 1 240px; }
@media (max-width: 639px) {
  .image-set { order: 2; margin-bottom: 16px; }
  .set-title { flex-basis: 100%; }
  .set-tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
}
@media (pointer: coarse) {
  .set-remove { opacity: 1; }
}
`,He=`/* Loaded with the view, nested in a selector of the page. */
.ledger {
  --line: clamp(12px, (var(--map) + 60px) / (2 * var(--layers) + 4) - 2px, 26px);
  --text: 44px; /* room for a number after the longest bar */
  display: grid; grid-template-columns: 50px minmax(130px, 1fr) repeat(var(--heads), minmax(min(14px, 236px / var(--heads)), calc(var(--largest-tile) - 14px)));
  grid-auto-rows: var(--line); gap: 2px; position: relative; overflow-x: auto; padding: 3px; margin: -3px;
}
.ledger > * { min-width: 0; }
.ledger-key, .ledger-head, .ledger-name { display: flex; align-items: center; font-size: 12px; line-height: 1; color: var(--quiet); white-space: nowrap; }
.ledger-key { grid-area: 1 / 2; gap: 4px; }
.ledger-key .swatch { width: 10px; height: 10px; background: var(--quiet); }
.ledger-key .swatch + .swatch, .ledger-key .mlp { margin-left: 6px; }
.ledger-key .mlp { background: repeating-linear-gradient(135deg, var(--quiet) 0 1.5px, transparent 1.5px 4px); box-shadow: inset 0 0 0 1px var(--quiet); }
.ledger-head { grid-row: 1; justify-content: center; }
.ledger-name { grid-column: 1; justify-content: flex-end; padding-right: 8px; }
.ledger-name.on, .ledger-head.on { color: var(--color-accent); font-weight: 600; }
.ledger-name.sum { color: var(--ink); font-weight: 600; }
.bar-row {
  grid-column: 2; position: relative; height: auto; padding: 0; border: 0; cursor: default;
}
.bar-row:is(.attention, .sum) { cursor: pointer; }
.bar-row:hover { background-color: var(--fill); }
.bar-row[aria-pressed=true] { box-shadow: 0 0 0 2px var(--color-accent); z-index: 1; }
.bar-row:focus-visible, .amount-cell:focus-visible { outline: 2px solid var(--color-accent); outline-offset: 2px; border-radius: 1px; z-index: 2; }

/* Bars are placed within the row without the room for numbers. */
.bar-row > i, .bar-row > span { position: absolute; pointer-events: none; }
.bar-row > .amounts { inset: 0 var(--text) 0 0; }
.amounts > * { position: absolute; }
.zero { left: calc(var(--zero) * 1%); top: 0; bottom: 0; width: 1px; background: var(--hairline); }
.amount { top: 2px; bottom: 2px; min-width: 1.5px; background: var(--positive); }
.amount.negative { background: var(--negative); }
.mlp .amount { --stripe: var(--positive); background: repeating-linear-gradient(135deg, var(--stripe) 0 2px, transparent 2px 5px); box-shadow: inset 0 0 0 1px var(--stripe); }
.mlp .amount.negative { --stripe: var(--negative); }
.other .amount { background: var(--quiet); }
.sum .amount { background: var(--ink); }
.joint { top: -4px; height: 8px; border-left: 1px solid var(--quiet); }
.amount-text { top: 50%; padding-left: 4px; font-size: 12px; line-height: 1; transform: translateY(-50%); white-space: nowrap; color: var(--ink); }
.sum .amount-text { font-weight: 600; }
.deep .mlp .amount-text, .deep .attention .amount-text { display: none; }
.amount-cell { display: grid; place-items: center; padding: 0; border: 0; overflow: hidden; container-type: inline-size; box-shadow: inset 0 0 0 1px var(--tile-line); cursor: pointer; }
.amount-cell:hover { box-shadow: 0 0 0 1.5px var(--ink); }
.amount-cell[aria-pressed=true] { z-index: 1; box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }
.amount-cell.ablated { background: linear-gradient(to bottom right, transparent calc(50% - .6px), var(--quiet) 0 calc(50% + .6px), transparent 0) var(--page) !important; }
.amount-cell span { font-size: 12px; line-height: 1; }
@container (max-width: 33px) { .amount-cell span { display: none; } }
.ledger-note { margin-top: 6px; font-size: 13px; line-height: 17px; color: var(--quiet); }
@media (max-width: 639px) {
  .ledger { grid-template-columns: 46px minmax(126px, 1fr) repeat(var(--heads), minmax(26px, 36px)); }
  .ledger-name { position: sticky; left: -3px; z-index: 3; background: var(--page); }
}
`,Ue=`/* Loaded with the view, nested in a selector of the page. */
.film-options { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-bottom: 10px; font-size: 13px; color: var(--quiet); }
.film-options label { display: flex; align-items: center; gap: 6px; cursor: pointer; }
.film-options input { appearance: auto; width: 15px; height: 15px; margin: 0; accent-color: var(--color-accent); }
.film { --frame: clamp(56px, 300px / var(--layers) + 54px, 112px); display: grid; gap: 8px; grid-template-columns: repeat(auto-fill, minmax(var(--frame), 1fr)); padding: 4px; margin: -4px; }
@media (max-width: 1359px) { .film { --frame: clamp(56px, 300px / var(--layers) + 30px, 84px); } }
.frame { display: grid; grid-template-columns: 1fr auto; gap: 4px 2px; padding: 0; border: 0; background: none; color: inherit; text-align: left; font-size: 12px; line-height: 16px; cursor: pointer; }
.frame canvas { grid-column: 1 / 3; width: 100%; aspect-ratio: var(--aspect); box-shadow: 0 0 0 1px var(--tile-line); background: repeating-linear-gradient(135deg, var(--hairline) 0 1px, transparent 1px 6px); }
.frame:hover canvas { box-shadow: 0 0 0 1.5px var(--ink); }
.frame[aria-pressed=true] canvas { box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }
.frame[aria-pressed=true] .frame-name { color: var(--color-accent); font-weight: 600; }
.frame-text { color: var(--quiet); }
.film-note { margin-top: 6px; font-size: 13px; line-height: 17px; color: var(--quiet); }
.nearest { margin-top: 6px; padding-top: 6px; border-top: 1px solid var(--hairline); }
.nearest h3 { margin: 0 0 4px; font-size: 13px; font-weight: 600; }
.nearest-images { display: grid; grid-template-columns: repeat(8, minmax(0, 1fr)); gap: 6px; padding: 0; list-style: none; }
.nearest-images li { display: grid; font-size: 11px; line-height: 14px; min-width: 0; }
.nearest-images img { width: 100%; aspect-ratio: 1; image-rendering: pixelated; box-shadow: 0 0 0 1px var(--tile-line); margin-bottom: 2px; }
.nearest-images span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.nearest-images span + span { color: var(--quiet); }
.nearest-progress { display: grid; grid-template-columns: 1fr auto; gap: 6px 12px; align-items: center; font-size: 12px; color: var(--quiet); }
.nearest-progress .progress { grid-column: 1 / 3; }
`,We=`/* Loaded with the view, nested in a selector of the page. */
.patched-images { display: flex; align-items: center; gap: 10px; margin-bottom: 12px; color: var(--quiet); }
.patched-images figure { display: flex; align-items: center; gap: 8px; margin: 0; min-width: 0; }
.patched-images canvas { width: 40px; aspect-ratio: var(--aspect); image-rendering: pixelated; box-shadow: 0 0 0 1px var(--tile-line); background: var(--fill); }
.patched-images figcaption { font-size: 12px; line-height: 16px; max-width: 90px; overflow-wrap: anywhere; }
.patched-images b { display: block; color: var(--ink); }
.patched-images .button { margin-left: auto; }
.patching-progress { display: grid; grid-template-columns: 1fr auto; gap: 6px 12px; align-items: center; margin-bottom: 10px; font-size: 12px; color: var(--quiet); }
.patching-progress .progress { grid-column: 1 / 3; }
.patching-grid {
  --line: clamp(14px, (var(--map) - 20px) / (var(--layers) + 1) - 2px, 34px);
  display: grid; grid-template-columns: 58px repeat(var(--heads), minmax(min(14px, 300px / var(--heads)), 56px)) minmax(30px, 56px);
  grid-auto-rows: var(--line); gap: 2px; position: relative; overflow-x: auto; padding: 4px; margin: -4px;
}
.patching-grid > * { min-width: 0; }
.corner, .patching-head { display: grid; place-items: center; font-size: 12px; line-height: 1; color: var(--quiet); white-space: nowrap; }
.corner { justify-content: end; padding-right: 8px; }
.patching-layer { padding: 0 8px 0 0; border: 0; background: none; color: var(--quiet); font-size: 12px; text-align: right; text-decoration: underline dotted; text-underline-offset: 3px; white-space: nowrap; cursor: pointer; }
.patching-layer:hover { color: var(--ink); }
.patching-layer[aria-pressed=true] { color: var(--color-accent); font-weight: 600; }
.patching-cell { display: grid; place-items: center; padding: 0; border: 0; overflow: hidden; container-type: inline-size; box-shadow: inset 0 0 0 1px var(--tile-line); cursor: pointer; }
.patching-cell:last-child, .patching-cell:has(+ .patching-layer) { margin-left: 4px; cursor: default; }
.patching-cell:hover { box-shadow: 0 0 0 1.5px var(--ink); }
.patching-cell[aria-pressed=true] { z-index: 1; box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }
.patching-cell span { font-size: 12px; line-height: 1; }
@container (max-width: 33px) { .patching-cell span { display: none; } }
.patching-note { margin-top: 6px; font-size: 13px; line-height: 17px; color: var(--quiet); }
@media (max-width: 639px) {
  .patching-grid { grid-template-columns: 52px repeat(var(--heads), minmax(34px, 56px)) minmax(34px, 56px); }
  .patching-layer, .corner { position: sticky; left: -4px; z-index: 3; padding-right: 4px; background: var(--page); }
}
`,Ge=R(`<h1 class="headline"> </h1>`),Ke=R(`<!> <!>`,1),qe=R(`<div class="columns"><!> <!> <!> <!></div>`),Je=R(`<p class="address"> </p>`),Ye=R(`<article data-ready="figure"><!> <!> <p class="caption"> </p> <!></article>`);function Xe(e,t){d(t,!0);let n={matrix:`matrix-figure`,methods:`methods-figure`,images:`images-figure`,layers:`frame`,patches:`frame`},r=v(()=>t.explorer.session),i=v(()=>M(r).drawing),o=v(()=>M(r).explanation?.shape),l=v(()=>({image:![`map`,`matrix`,`methods`].includes(t.content),map:![`matrix`,`methods`,`sheet`].includes(t.content),matrix:![`map`,`methods`,`layers`,`patches`].includes(t.content),prediction:!(t.content in n)&&![`map`,`sheet`].includes(t.content)}));var p=Ye(),m=B(p),h=e=>{var n=Ge(),r=s(n,!0);V(()=>L(r,t.title)),O(e,n)};k(m,e=>{t.title&&e(h)});var g=a(m,2),_=e=>{Me(e,{get explorer(){return t.explorer},isWhole:!0})},ee=e=>{Le(e,{get explorer(){return t.explorer},get set(){return t.explorer.set},isFigure:!0})},y=e=>{var n=Ke(),r=C(n);Oe(r,{get explorer(){return t.explorer},get shape(){return M(o)},isFigure:!0});var i=a(r,2);ke(i,{get explorer(){return t.explorer},get shape(){return M(o)}}),O(e,n)},x=e=>{Ne(e,{get explorer(){return t.explorer}})},S=e=>{ke(e,{get explorer(){return t.explorer},get shape(){return M(o)}})},w=e=>{var n=qe(),i=B(n),s=e=>{Oe(e,{get explorer(){return t.explorer},get shape(){return M(o)},isFigure:!0})};k(i,e=>{M(l).image&&e(s)});var c=a(i,2);Ne(c,{get explorer(){return t.explorer}});var u=a(c,2),d=e=>{var n=F(),i=C(n);te(i,()=>t.Panel,(e,n)=>{n(e,{get explorer(){return t.explorer},get panel(){return M(r).panel}})}),O(e,n)},f=e=>{ke(e,{get explorer(){return t.explorer},get shape(){return M(o)}})};k(u,e=>{t.Panel?e(d):M(l).matrix&&e(f,1)});var p=a(u,2),m=e=>{Ae(e,{get explorer(){return t.explorer},get Effect(){return Ie}})};k(p,e=>{M(l).prediction&&e(m)}),b(n),O(e,n)};k(g,e=>{t.content===`methods`?e(_):t.content===`images`&&t.explorer.set?e(ee,1):t.content===`sheet`?e(y,2):t.content===`map`?e(x,3):t.content===`matrix`?e(S,4):e(w,-1)});var E=a(g,2),D=s(E,!0),ne=a(E,2),re=e=>{var n=Je(),r=s(n,!0);V(()=>L(r,t.address)),O(e,n)};k(ne,e=>{t.address&&e(re)}),b(p),V((e,n)=>{u(p,1,e),T(p,n),L(D,t.caption)},[()=>f([`vitviz vitviz-explorer figure`,n[t.content]??(M(l).prediction?`whole`:t.content),{"many-heads":M(o)&&Pe(M(o)),smooth:M(r).view.smooth,"shows-method":M(i).method!==void 0,"head-empty":!M(i).method&&M(i).whyEmpty!==``,grayed:M(r).ablation.patch_mode===`gray`}]),()=>M(o)&&Fe(M(o))]),O(e,p),c()}var Ze=[ze,Be,He,Ue,We,Ve,`/* Figures of Explore, in addition to lib/export/figure.css. Nested under the root. */

.vitviz-explorer.figure { --image: 240px; --map: 328px; --largest-tile: 56px; --names: 44px; --gap: 4px; --mean-gap: 10px; --method: 90px; }
.figure.whole { width: 1120px; }
.figure .columns { grid-template-columns: var(--image) var(--map) minmax(0, 1fr); gap: 20px 36px; }
.figure :is(.view-tabs button:not([aria-pressed=true]), .class-search, .nearest:has(.button), .class-token[aria-pressed=false]) { display: none !important; }
.figure .view-tabs button { border: 0; padding: 0; font-size: 15px; line-height: 20px; }
.figure :is(.truth, .class-name, .predicted, .map-title, .nearest-images span) { white-space: normal; overflow: visible; }
.figure .class-token { font-weight: 400; }
.figure .explain-class { margin: 0; width: 100%; padding: 6px 0; background: none !important; }
.figure .explain-class[aria-pressed=true] .class-name { color: var(--color-accent); font-weight: 600; }
.figure .bar-text { min-height: 18px; }
.figure .under-map { min-height: 0; }
.figure.shows-method .under-map { display: none; }
.figure .image-note { min-height: 0; }
.figure .accuracy { border: 0; padding: 0; margin-top: 2px; }
.figure .prediction-column { padding-top: 10px; }

/* The large map alone. */
.figure.map { --map: 480px; width: calc(var(--map) + 48px); }
.figure.map .column-head { display: none; }

/* Frames of animations: image and map side by side. */
.figure.frame { --image: 360px; --map: 360px; width: calc(2 * 360px + 36px + 48px); }
.figure.frame .columns { grid-template-columns: var(--image) var(--map); }

/* The matrix, and a contact sheet of its maps in large tiles. */
.figure.matrix-figure { width: min(1120px, max(420px, 48px + var(--names) + var(--mean-gap) + (var(--heads) + 1) * 60px)); }
.figure.sheet { --largest-tile: 144px; --gap: 6px; width: min(1120px, max(520px, 48px + var(--names) + var(--mean-gap) + (var(--heads) + 1) * 150px)); }
.figure.sheet .image-column { --image: 144px; margin-bottom: 14px; }
.figure.images-figure { width: 1120px; }
.figure .image-set { margin: 0; padding: 0; border: 0; }
.figure .set-head, .figure .set-note { display: none; }
.figure .pair[aria-pressed=true] .set-name { font-weight: 400; color: inherit; }
.figure .set-tiles { margin: 0; grid-template-columns: repeat(auto-fill, minmax(160px, 1fr)); }
.figure.methods-figure { width: 1120px; }
.figure.methods-figure .methods { margin: 0; padding: 0; border: 0; }
.figure .method-groups { justify-content: flex-start; gap: 18px 36px; }
.figure .method-tiles { gap: 16px 18px; }
`],Qe={hover:-1,read:-1,method:null};function $e(e,t={}){let{session:n,theme:r}=e,{drawing:i,panel:a,view:o,pointer:s}=n,c={pointer:U(s,Qe),view:{...o,...t},query:t.query??i.query,panel:a&&U(a,{progress:null,pointed:null})},l=U(n,c);return c.drawing=new Te(l),U(e,{session:l,theme:r.light()})}async function et(e,t,n){let{drawing:r,view:i}=e.session,a=r.panel?je(i.content):void 0,o=a?(await a()).default:null,[s,c]=[rt(e,t),G(e,t)];return be(Xe,{explorer:e,content:t,title:s,caption:c,address:n,Panel:o},Ze)}async function tt(e,t,n,r){let i=$e(e),a=await et(i,t,r);try{let e=await a.draw(rt(i,t)||`Attribution methods`,G(i,t));return n===`16:9`?xe(e):e}finally{a.close()}}var nt=[`matrix`,`sheet`,`layers`,`patches`];function rt({session:{drawing:e},set:t},n){return n===`methods`?``:n===`images`?t?.shown?.sheet.title??``:nt.includes(n)?n===`patches`?e.direction===`to`?`What attends to each patch`:`What each patch attends to`:`${it(e)}, by ${n===`layers`?`layer`:`layer and head`}`:e.headline}function it({query:e,direction:t,shape:n}){if(!n)return`Attention`;let r=l(e,n,`these `),i=e.length>1?`attend`:`attends`;return t===`to`?`What attends to ${r}`:`What ${r} ${i} to`}function G({session:e,set:t},n){let{drawing:r,explanation:i,view:a}=e;if(!i)return``;let{reply:o,shape:s,subject:c,isAblated:l}=i,{caption:u,truth:d,note:f}=o.image,p=[u,d===null?``:`true label ${o.classes[d]}`,f].filter(Boolean).join(`, `),m=`${j(s.layers,`layer`,`layers`)}, ${j(s.heads,`head`,`heads`)}`,h=`Model: ${c.model} (${m}).`,g=l&&`${pe(de(De(c)))}.`;if(n===`images`&&t?.shown){let{images:e,scale:n,note:r}=t.shown.sheet;return[h,`${j(e.length,`image`,`images`)}${n?` on one scale`:``}.`,r&&`${r}.`,g,o.credit].filter(Boolean).join(` `)}let _=r.panel===null&&n!==`methods`,v=e.hasHead&&(n===`methods`||r.method?.forClass||r.panel!==null&&n!==`features`);return[...nt.includes(n)||n===`methods`?[]:[H(r.line)],h,`Image: ${p}.`,_&&!r.method&&!nt.includes(n)&&`${it(r)}.`,_&&`Color scale: ${Ee(a.scale,r.limits)}.`,v&&`Explained class: ${x(e.targetNames)}.`,g,o.credit].filter(Boolean).join(` `)}function at({session:e,set:t},r,i){let{drawing:a,explanation:o}=e;if(!o)return ye([`vitviz`],i);let{subject:s,shape:c,isAblated:u}=o;if(r===`images`&&t?.shown){let{images:e,title:n}=t.shown.sheet;return ye([`vitviz`,s.model,j(e.length,`image`,`images`),n],i)}let{query:d,direction:f,method:p,title:m}=a,h=![`matrix`,`methods`,`sheet`].includes(r),g=(!p||!h)&&r!==`methods`&&(d.length>0||f===`to`),_=d.length>1?`${ce(d[0],c)} and ${d.length-1} more`:l(d,c);return ye([`vitviz`,s.model,s.image.kind===`upload`?`upload`:n(s.image),h&&m,g&&`${f} ${_}`,u&&`ablated`,r!==`view`&&r],i)}var ot=1,st=.2,ct=24,lt=256;async function*ut(e,t,n){let{explanation:r,view:i}=e.session;if(!r)return;let{shape:a}=r,o=i.layer===`pool`?w:i.layer,s=t===`layers`?Array.from({length:a.layers},(e,t)=>({content:`attention`,layer:t})):dt(a).filter(e=>!Re(e,a)).map(e=>({content:`attention`,layer:o,query:[e]})),c=s.length>ct?st:ot;for(let r of s){r.query&&await ft(e.session,r.query);let i=$e(e,r),a=await et(i,t,n);try{yield{image:await a.draw(``,G(i,t)),seconds:c}}finally{a.close()}}}function dt({rows:e,columns:t}){let n=1;for(;Math.ceil(e/n)*Math.ceil(t/n)>lt;)n++;let r=e=>{let t=Math.min(Math.floor(n/2),e-1);return Array.from({length:Math.ceil((e-t)/n)},(e,r)=>t+r*n)};return r(e).flatMap(e=>r(t).map(n=>e*t+n))}async function ft({direction:e,engine:t,explanation:n},r){for(;n&&!me(n,r,e);)try{let i=await t.request(`explanations/rows`,{subject:n.subject,query:r,direction:e},W);n.keepRows(r,e,i)}catch(e){if(!S(e)||!e.isBusy)throw e;await h(se)}}var K=[`png`,`svg`,`pdf`,`npz`,`csv`],q=[`png`,`svg`,`pdf`],pt=[`png`,`svg`],J=[`gif`,`mp4`],mt=[{key:`view`,name:`Whole view`,about:`Image, map, matrix and prediction`,formats:[...q,`npz`,`csv`,`html`]},{key:`map`,name:`Map`,about:`The large map with its color bar`,formats:q},{key:`matrix`,name:`Matrix`,about:`All layers and heads, with means`,formats:q},{key:`methods`,name:`Methods`,about:`All attribution maps, with scores`,formats:[...q,`npz`,`csv`]},{key:`sheet`,name:`Contact sheet`,about:`All layers and heads in large tiles`,formats:q},{key:`layers`,name:`Animation over layers`,about:`The head, or mean, layer by layer`,formats:J},{key:`patches`,name:`Animation over patches`,about:`Each patch as the query in turn`,formats:J}],ht=[{key:`contributions`,name:`Contributions`,about:`Image, map, bars that sum to the logit, and heads`,formats:K},{key:`features`,name:`Features`,about:`Image, map and all layers`,formats:K},{key:`patching`,name:`Patching`,about:`Both images, map, heads and MLPs`,formats:K}],gt={key:`images`,name:`Several images`,about:`Each beside its map, on one scale`,formats:q},_t=[...mt,...ht,gt],Y={png:{name:`PNG`,about:`300 dpi`},svg:{name:`SVG`,about:`vector, text stays text`},pdf:{name:`PDF`,about:`vector, text stays text`},npz:{name:`NPZ`,about:`NumPy arrays: the large map, the maps of all layers and heads, probabilities, scale limits`},csv:{name:`CSV`,about:`A table of all values, one a line, for a spreadsheet`},html:{name:`HTML`,about:`This explorer as one file, opened on this view: works in any browser, without vitviz or a network`},gif:{name:`GIF`,about:`256 colors`},mp4:{name:`MP4`,about:`encoded in this browser`}},vt=[[`content`,`As content`],[`16:9`,`16:9`]],yt=e=>_t.find(({key:t})=>t===e)??mt[0],X=e=>q.includes(e.format),Z=e=>yt(e.content).formats===J,Q=e=>X(e)||e.content===`layers`,bt=e=>({...e,format:e.format===`pdf`?`svg`:e.format===`mp4`?`gif`:e.format}),xt=({content:e,format:t})=>e===`patches`?`One frame per patch, of fine grids every second or third row and column: drawing them takes a while`:t===`npz`&&yt(e).formats===K?`NumPy arrays: all numbers of this view`:Y[t].about;function St({layers:e,shown:t,hasMethods:n,hasSet:r,hasServer:i}){return[...t===`attention`?mt:ht.filter(({key:e})=>e===t),...r?[gt]:[]].filter(({key:t,formats:r})=>(t!==`layers`||e>1)&&(t!==`methods`||n)&&(i||r!==J))}var Ct=(e,{encodes:t,hasServer:n})=>yt(e).formats.filter(e=>(e!==`mp4`||t)&&(n||pt.includes(e))),wt=(e,{isUpload:t,hasServer:n})=>n&&!t&&e.content!==`images`&&(X(e)||Z(e));function Tt(e,t){let n=St(t),r=(n.find(({key:t})=>t===e.content)??n[0]).key,i=Ct(r,t);return{...e,content:r,format:i.includes(e.format)?e.format:i[0]}}var Et=`vitviz-save`,$={content:`view`,format:`png`,size:`content`,link:!0};function Dt(){try{let{content:e,format:t,size:n,link:r}=JSON.parse(localStorage.getItem(Et)??`{}`);return{content:_t.find(({key:t})=>t===e)?.key??$.content,format:t!==void 0&&t in Y?t:$.format,size:vt.find(([e])=>e===n)?.[0]??$.size,link:typeof r==`boolean`?r:$.link}}catch{return $}}function Ot(e){try{localStorage.setItem(Et,JSON.stringify(e))}catch{}}var kt=`The browser does not allow copying`,At=class{explorer;#e;#t=t(null);get node(){return M(this.#t)}set node(e){N(this.#t,e)}#n=new Map;#r=t(Dt());#i=t(null);get preview(){return M(this.#i)}set preview(e){N(this.#i,e)}#a=t(``);get previewed(){return M(this.#a)}set previewed(e){N(this.#a,e)}#o=t(``);get busy(){return M(this.#o)}set busy(e){N(this.#o,e)}#s=t(``);get message(){return M(this.#s)}set message(e){N(this.#s,e)}#c=t(!1);get isError(){return M(this.#c)}set isError(e){N(this.#c,e)}#l=t(``);get code(){return M(this.#l)}set code(e){N(this.#l,e)}#u=v(()=>({encodes:Ce(),hasServer:!this.explorer.catalog.lists.static,layers:this.#e.explanation?.shape.layers??1,isUpload:[this.#e.subject?.image,this.#e.view.other].some(e=>e?.kind===`upload`),hasSet:!!this.explorer.set?.shown,shown:this.#e.drawing.panel?this.#e.view.content:`attention`,hasMethods:this.#e.methods.skipped===null}));get abilities(){return M(this.#u)}set abilities(e){N(this.#u,e)}#d=v(()=>Tt(M(this.#r),this.abilities));get choice(){return M(this.#d)}set choice(e){N(this.#d,e)}constructor(e){this.explorer=e,this.#e=e.session}open(){this.node&&!this.node.open&&(this.node.showModal(),this.#n=new Map,this.code=``,this.previewed=``,this.update())}close(){this.node?.close()}choose(e){N(this.#r,{...this.choice,...e})}async update(){if(!this.node?.open)return;this.#f(``);let{choice:e}=this,t=this.#n,n=JSON.stringify(e),r=Q(e)?await this.#p(bt(e)):null;t===this.#n&&n===JSON.stringify(this.choice)&&(this.preview&&URL.revokeObjectURL(this.preview.url),this.preview=r&&!S(r)?{...r,url:URL.createObjectURL(r.blob)}:null,S(r)&&this.#f(r.message,!0),this.previewed=n)}#f(e,t=!1){this.message=e,this.isError=t}#p(e){let t=JSON.stringify(e),n=this.#n,r=n.get(t);return r||(r=this.#m(e),n.set(t,r),r.then(e=>S(e)&&n.delete(t))),r}async#m(e){let{explorer:t,abilities:n}=this,{content:r,size:i,format:a}=e,{engine:s}=this.#e,{subject:c,view:l}=Mt(this.#e),u=e.link&&wt(e,n)?_e():null,d={name:at(t,r,a),caption:G(t,r)};if(X(e))try{let[n,a]=await Promise.all([tt(t,r,i,u),(r===`images`&&t.set?t.set.provenance():s.request(`explanations/provenance`,{subject:c,view:l},W)).catch(()=>null)]);return{...d,blob:await ve(n,e.format,a),isUntraced:!a}}catch{return new z(le)}if(Z(e)){let n=await jt(ut(t,e.content,u),e.format);return S(n)?n:{...d,blob:n}}let f={subject:c,view:l,format:a,methods:r===`methods`};return s.request(`explanations/file`,f,W).then(({src:e})=>({...d,blob:D(e)})).catch(o)}async save(){let{choice:e}=this;this.busy=`save`,this.#f(``);let t=await this.#p(e);if(this.busy=``,S(t))return this.#f(t.message,!0);ie(t.name,t.blob),Ot(e),this.close();let n=t.isUntraced?` It has no provenance, as the server did not respond.`:``;this.#e.status.say(`Saved as ${t.name}.${n}`)}async copyImage(){this.busy=`copy`;let e=this.#p({...this.choice,format:`png`}),t=await E(`image/png`,e.then(Nt)),n=await e;this.busy=``,S(n)?this.#f(n.message,!0):t?this.#f(`Copied as PNG.`):this.#f(`${kt}: save the file instead.`,!0)}async copyCode(){this.busy=`code`;let{subject:e,view:t}=Mt(this.#e),n=this.#e.engine.request(`explanations/code`,{subject:e,view:t},W),r=n.then(({code:e})=>new Blob([e],{type:`text/plain`})),i=await E(`text/plain`,r),a=await n.catch(o);if(this.busy=``,S(a))return this.#f(a.message,!0);this.code=a.code,this.#f(i?`Code copied.`:`${kt}: select the code below.`,!i)}get canCopy(){return X(this.choice)}};async function jt(e,t){let{animationOf:n}=await i(async()=>{let{animationOf:e}=await import(`./animation.js`);return{animationOf:e}},[],import.meta.url);try{return await n(e,t)}catch(e){return S(e)?e:new z(we)}}function Mt({explanation:e,panel:t,targetClass:n,view:r}){if(!e)throw Error(`nothing is shown`);let i=e.reply.classes.length?[n,...r.target.slice(1)]:[],{truth:a}=e.reply.image;return{subject:e.subject,view:{...r,target:i,truth:a,...t?.saved}}}function Nt(e){if(S(e))throw e;return e.blob}var Pt=R(`<p class="about"> </p>`),Ft=R(`<canvas aria-hidden="true"></canvas>`),It=R(`<img/>`),Lt=R(`<figure><div class="sheet"><!> <p class="wait">Drawing…</p></div> <figcaption> </figcaption></figure>`);function Rt(t,n){d(n,!0);let r=v(()=>n.saving.choice),i=v(()=>Q(M(r))&&n.saving.previewed!==JSON.stringify(M(r))),o=()=>matchMedia(`(prefers-reduced-motion: reduce)`).matches;function l(e){let t=new Image;t.onload=()=>{e.width=t.naturalWidth,e.height=t.naturalHeight,e.getContext(`2d`)?.drawImage(t,0,0)},t.src=n.saving.preview?.url??``}var p=Lt(),m=B(p),h=B(m),g=e=>{var t=Pt(),n=s(t);V(e=>L(n,`${e??``}.`),[()=>xt(M(r))]),O(e,t)},_=v(()=>!Q(M(r))),ee=t=>{var i=F(),a=C(i),s=t=>{var r=F(),i=C(r);e(i,()=>n.saving.preview.url,e=>{var t=Ft();I(t,()=>l),O(e,t)}),O(t,r)},c=v(()=>Z(M(r))&&o()),u=e=>{var t=It();V(()=>{y(t,`src`,n.saving.preview.url),y(t,`alt`,`Preview. ${n.saving.preview.caption??``}`)}),O(e,t)};k(a,e=>{M(c)?e(s):e(u,-1)}),O(t,i)};k(h,e=>{M(_)?e(g):n.saving.preview&&e(ee,1)});var x=a(h,2);b(m);var S=a(m,2),w=s(S,!0);b(p),V(e=>{u(p,1,f([`preview`,{drawing:M(i)}])),y(p,`aria-busy`,M(i)),y(x,`hidden`,!M(i)),L(w,e)},[()=>Q(M(r))?n.saving.preview?.caption??``:``]),O(t,p),c()}var zt=R(`<label class="content"><input type="radio" name="save-content"/><span><b> </b><small> </small></span></label>`),Bt=R(`<p class="note"> </p>`),Vt=R(`<label class="check"><input type="checkbox" name="save-link"/>Link to this view in the caption</label>`),Ht=R(`<section class="code" tabindex="0" aria-label="Python code"><pre> </pre></section>`),Ut=R(`<button type="button" class="button" data-do="code">Copy code</button>`),Wt=R(`<button type="button" class="button" data-do="copy"> </button>`),Gt=R(`<dialog class="save" aria-label="Save figure" closedby="any"><header><h2>Save figure</h2> <button type="button" class="button plain" data-do="close" aria-label="Close">✕</button></header> <div class="save-body"><div class="save-options"><div class="contents" role="radiogroup" aria-label="Content"></div> <!> <!> <!> <!></div> <!></div> <!> <footer><p role="status"> </p> <!> <!> <button type="button" class="button primary" data-do="save"> </button></footer></dialog>`);function Kt(e,t){d(t,!0);let n=ue(t,`saving`,7);ae(()=>{n().choice,re(()=>n().update())});let i=v(()=>n().choice),o=v(()=>n().preview!==null&&bt(M(i)).format===M(i).format),l=v(()=>Q(M(i))&&n().preview?`${Y[M(i).format].name}: ${Y[M(i).format].about}${M(o)?`, ${fe(n().preview.blob.size)}`:``}`:``);var h=Gt(),_=B(h),x=a(B(_),2);b(_);var S=a(_,2),C=B(S),w=B(C);ne(w,21,()=>St(n().abilities),({key:e,name:t,about:n})=>e,(e,t)=>{let o=()=>M(t).key,c=()=>M(t).name,l=()=>M(t).about;var u=zt(),d=B(u);p(d);var f=a(d),m=B(f),h=s(m,!0),g=a(m),_=s(g,!0);b(f),b(u),V(()=>{r(d,o()),ge(d,M(i).content===o()),L(h,c()),L(_,l())}),A(`change`,d,()=>n().choose({content:o()})),O(e,u)}),b(w);var T=a(w,2);{let e=v(()=>Ct(M(i).content,n().abilities).map(e=>[e,Y[e].name]));he(T,{name:`save-format`,label:`Format`,title:`Format`,get value(){return M(i).format},get options(){return M(e)},onchoose:e=>n().choose({format:e})})}var E=a(T,2),D=e=>{var t=Bt(),n=s(t,!0);V(()=>L(n,Se)),O(e,t)},te=v(()=>Z(M(i))&&!n().abilities.encodes);k(E,e=>{M(te)&&e(D)});var ie=a(E,2),oe=e=>{he(e,{name:`save-size`,label:`Size`,title:`Size`,get value(){return M(i).size},get options(){return vt},onchoose:e=>n().choose({size:e})})},j=v(()=>X(M(i)));k(ie,e=>{M(j)&&e(oe)});var se=a(ie,2),ce=e=>{var t=Vt(),r=B(t);p(r),m(),b(t),V(()=>ge(r,M(i).link)),A(`change`,r,e=>n().choose({link:e.currentTarget.checked})),O(e,t)},le=v(()=>wt(M(i),n().abilities));k(se,e=>{M(le)&&e(ce)}),b(C),Rt(a(C,2),{get saving(){return n()}}),b(S);var N=a(S,2),de=e=>{var t=Ht(),r=B(t),i=s(r,!0);b(t),V(()=>L(i,n().code)),O(e,t)};k(N,e=>{n().code&&e(de)});var P=a(N,2),F=B(P),pe=s(F,!0),I=a(F,2),me=e=>{var t=Ut();V(()=>t.disabled=n().busy===`code`),A(`click`,t,()=>n().copyCode()),O(e,t)};k(I,e=>{n().abilities.hasServer&&e(me)});var R=a(I,2),z=e=>{var t=Wt(),r=s(t,!0);V(()=>{t.disabled=n().busy===`copy`,L(r,n().busy===`copy`?`Copying…`:`Copy image`)}),A(`click`,t,()=>n().copyImage()),O(e,t)};k(R,e=>{n().canCopy&&e(z)});var H=a(R,2);ee(H,!0);var _e=s(H,!0);b(P),b(h),g(h,e=>n().node=e,()=>n()?.node),V(()=>{y(h,`data-preview`,n().previewed||void 0),y(h,`data-busy`,n().busy||void 0),u(F,1,f([`message`,{error:n().isError}])),L(pe,n().message||M(l)),H.disabled=n().busy===`save`,L(_e,n().busy===`save`?`Saving…`:`Save`)}),A(`click`,x,()=>n().close()),A(`click`,H,()=>n().save()),O(e,h),c()}oe([`click`,`change`]);function qt(e){let t=new At(e);return P(Kt,{target:e.root??e.host.element,props:{saving:t}}),_(),()=>t.open()}export{qt as mountDialog};