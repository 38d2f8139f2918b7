import{a as e,i as t,n,t as r}from"./figures.js";import{Dr as i,Er as a,Fr as o,Ir as s,Rr as c,Wn as l,ar as u,rr as d,sr as f,t as p,wr as m,yr as h}from"./shared.js";import{n as g}from"./internals.js";var _=`/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick.
   lib/base.css is included before them; Internals.svelte sets --data, the color of data in charts, from the color map. */

/* Headline, choice of images. */
.lead { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 24px; align-items: center; padding: 16px 0 24px; }
.status { grid-column: 1; }
.lead [data-do=again] { grid-column: 1; justify-self: start; margin-top: 12px; }
.choice { grid-column: 2; grid-row: 1 / 3; }

/* Twelve figures, three in a row, whose parts are at one height. */
.probes { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0 48px; }
figure { display: grid; grid-row: span 7; grid-template: subgrid / minmax(0, 1fr); align-items: start; min-width: 0; padding-bottom: 44px; }
.drawing { grid-row: 5; } .take { grid-row: 6; } figcaption { grid-row: 7; }
.question { margin-top: 1px; font-size: 13px; line-height: 19px; color: var(--ink); }
.line { min-height: 38px; margin: 2px 0 10px; font-size: 13px; line-height: 19px; color: var(--quiet); }
/* Room for the longest sentence, so that reading a figure does not move it under the pointer. */
@media (max-width: 412px), (min-width: 768px) and (max-width: 864px) {
  :is([data-probe=distance], [data-probe=effective], [data-probe=norms], [data-probe=lens], [data-probe=sinks], [data-probe=heads], [data-probe=decision]) .line { min-height: 57px; }
}
figcaption { margin-top: 12px; font-size: 13px; line-height: 19px; color: var(--quiet); }
figcaption b { color: var(--ink); font-weight: 600; }
.line b { color: var(--ink); font-weight: 600; }
cite { display: block; margin-top: 4px; font-size: 13px; line-height: 17px; font-style: normal; }

.stage { position: relative; width: fit-content; max-width: 100%; min-height: 240px; cursor: crosshair; touch-action: manipulation; user-select: none; }
.stage.opens { cursor: pointer; }
.stage:focus-visible { outline-offset: 5px; border-radius: 0; }
[data-ready] .stage { min-height: 0; }
.tiles { display: grid; }
.tile { font-size: 12px; line-height: 16px; color: var(--quiet); }
.tile canvas { width: 100%; box-shadow: 0 0 0 1px var(--tile-line); }
.mark { position: absolute; pointer-events: none; box-shadow: 0 0 0 1px var(--page), 0 0 0 2.5px var(--ink); }
.mark.around { box-shadow: 0 0 0 1.5px var(--ink); }
.mark.round { border-radius: 50%; }
.mark.column { box-shadow: none; background: var(--ink); opacity: .08; }

.scale { margin-top: 12px; }
figure { scroll-margin-top: 16px; }

/* Files of a figure. */
.take { margin-top: 10px; font-size: 13px; line-height: 19px; }
.take summary { width: fit-content; padding: 6px 0; color: var(--quiet); cursor: pointer; }
.take summary:hover, .take[open] summary { color: var(--ink); }
.take .actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 4px 0 2px; }
.take .said { margin-top: 4px; color: var(--quiet); }

svg .uniform { stroke: var(--ink); stroke-dasharray: 4 4; }
svg .mean { stroke: var(--ink); stroke-width: 2; }
svg .dot { fill: var(--data); fill-opacity: .75; }
svg .part.position, svg .part.thin { fill: var(--data); }
svg .part.content { fill: var(--ink); }
svg .part.same { fill: var(--ink); fill-opacity: .3; }
svg .part.rest, svg .part.thin-rest { fill: var(--ink); fill-opacity: .12; }
svg .dotted { stroke-dasharray: 2 4; stroke-linecap: round; }
svg .band { fill: var(--data); fill-opacity: .22; }
svg .column { fill: var(--data); }

.key { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: -4px 0 8px; font-size: 12px; line-height: 18px; color: var(--quiet); }
.key span { display: inline-flex; align-items: center; gap: 6px; white-space: nowrap; }
.key i { width: 16px; border-top: 2px solid var(--ink); }
.key .data i { border-color: var(--data); }
.key .dotted i { border-top-style: dotted; }
.key .part i, .key .thin i { width: 12px; height: 8px; border: 0; background: var(--ink); }
.key .position i, .key .thin i { background: var(--data); }
.key .same i { opacity: .3; }
.key .rest i { opacity: .12; }
.key .thin i { height: 3px; }
.key .band i { height: 8px; border: 0; background: var(--data); opacity: .22; }

.foot { margin-top: 32px; }
.foot .keys { margin-left: auto; }

/* A last figure without a neighbor has a row to itself, with the caption next to it. */
@media (min-width: 1360px) {
  figure:last-child:nth-child(3n + 1) { grid-column: 1 / -1; grid-template-columns: repeat(3, minmax(0, 1fr)); column-gap: 48px; }
  figure:last-child:nth-child(3n + 1) > * { grid-column: 1; }
  figure:last-child:nth-child(3n + 1) figcaption { grid-column: 2; grid-row: 5; margin-top: 0; }
}
@media (max-width: 1359px) {
  .probes { grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 40px; }
}
@media (min-width: 768px) and (max-width: 1359px) {
  figure:last-child:nth-child(odd) { grid-column: 1 / -1; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 40px; }
  figure:last-child:nth-child(odd) > * { grid-column: 1; }
  figure:last-child:nth-child(odd) figcaption { grid-column: 2; grid-row: 5; margin-top: 0; }
}
@media (max-width: 767px) {
  .probes { grid-template-columns: minmax(0, 1fr); }
  .lead { grid-template-columns: minmax(0, 1fr); padding: 12px 0 20px; }
  .choice { grid-column: 1; grid-row: auto; flex-wrap: wrap; margin-top: 8px; }
  .foot .keys { margin-left: 0; }
}
@media (min-width: 1800px) {
  .question, .line, figcaption, .take { font-size: 15px; line-height: 22px; } .line { min-height: 44px; }
  cite, .key { font-size: 13px; } svg text { font-size: 13px; }
}
@media (max-width: 639px) {
  .foot .keys { display: none; }
}
`,v=f(`<article class="vitviz vitviz-internals figure" data-ready="figure"><!> <p class="caption"> </p></article>`);function y(e,t){s(t,!0);var n=v();let r;var f=m(n);g(f,{get page(){return t.page},get caption(){return t.caption},canSave:!1});var _=i(f,2),y=a(_,!0);c(n),h(e=>{r=l(n,``,r,{width:`640px`,"--data":e}),d(y,t.about)},[()=>p(t.page.theme.table(`seq`)[150])]),u(e,n),o()}async function b(i,a,o){let{model:s,images:c}=i.drawing?.reply??i.choice,l=i.drawing?.reply.provenance??null,u=`Model: ${s}, over ${c}.`,d={page:r(i,{theme:i.theme.light()}),caption:a,about:u},f=await n(y,d,[_],a.title,`${a.caption} ${u}`);return{name:t([`vitviz`,s,a.probe],o),blob:await e(f,o,l)}}export{b as drawFigure};