import{animationOf as e}from"./animation.js";import{i as t,r as n,t as r}from"./figures.js";import{a as i,i as a,n as o,o as s,r as c,s as l}from"./train.js";import{Dr as u,Er as d,Fr as f,Ir as p,Nr as m,Rr as h,Wn as g,ar as _,hr as v,rr as y,sr as b,wr as x,yr as S}from"./shared.js";import{s as C}from"./accuracy.js";var w=`/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick.
   Train.svelte sets --data, the color of data in charts. */

.vitviz-train { --largest-tile: 40px; --gap: 3px; --mean-gap: 8px; --names: 44px; }
.small { font-size: 13px; line-height: 18px; color: var(--quiet); }
.note { font-size: 12px; line-height: 18px; color: var(--quiet); }
h2 { white-space: nowrap; }
.fields select, .of select { appearance: auto; }

.views { padding-top: 12px; }
.halves { display: grid; grid-template-columns: 372px minmax(0, 1fr); gap: 28px 56px; padding-top: 16px; }
.setup, .watch { min-width: 0; }

/* The form. */
.lessons { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px; margin-top: 12px; }
.lesson { position: relative; display: grid; align-content: start; padding: 8px 10px; border: 1px solid var(--control-line); border-radius: 6px; cursor: pointer; }
.lesson:hover { background: var(--fill); }
.lesson:has(input:checked) { border-color: var(--color-accent); background: var(--color-accent-soft); box-shadow: inset 0 0 0 1px var(--color-accent); }
.lesson:has(input:focus-visible) { outline: 2px solid var(--color-accent); outline-offset: 1px; }
.lesson input { position: absolute; inset: 0; opacity: 0; cursor: pointer; }
.lesson b { font-weight: 600; }
.lesson .result { font-size: 12px; line-height: 16px; color: var(--quiet); }
.lesson:has(input:checked) .result { color: var(--ink); }
.lesson.experiment { grid-column: 1 / -1; }
.about-preset { margin-top: 8px; }
.corrected { justify-self: start; margin: 0 0 10px 28px; }
.presets { display: grid; margin-top: 10px; }
.preset { display: grid; grid-template-columns: 18px 1fr auto; gap: 0 10px; padding: 10px 8px; margin: 0 -8px; cursor: pointer; }
.preset + .preset { border-top: 1px solid var(--hairline); }
.preset:hover { background: var(--fill); }
.preset:has(input:checked) { background: var(--color-accent-soft); border-radius: 6px; border-top-color: transparent; }
.preset:has(input:checked) + .preset { border-top-color: transparent; }
.preset:has(input:focus-visible) { outline: 2px solid var(--color-accent); }
.preset input, td input[type=checkbox] { appearance: auto; }
.preset input { width: 15px; height: 15px; margin: 3px 0 0; accent-color: var(--color-accent); }
.preset b { font-weight: 600; }
.preset .size { font-size: 13px; line-height: 22px; }
.preset .about { grid-column: 2 / 4; font-size: 13px; line-height: 18px; color: var(--quiet); }
.preset:has(input:checked) .about { color: var(--ink); }

.section { margin-top: 12px; border-top: 1px solid var(--hairline); border-bottom: 1px solid var(--hairline); }
.section summary { padding: 8px 0; font-size: 13px; line-height: 20px; font-weight: 600; cursor: pointer; }
.changes { font-weight: 400; color: var(--color-accent); }
.section [data-do=reset] { margin: 4px 0 12px; }
.group { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px 20px; min-width: 0; margin: 0 0 14px; padding: 0; border: 0; }
.group legend { padding: 0 0 4px; font-size: 12px; line-height: 18px; color: var(--quiet); }
.group .field { grid-template-columns: minmax(0, 1fr) 84px; }
.group .refusal { grid-column: 1 / -1; }
.fields { display: grid; gap: 10px; margin-top: 14px; }
.field { display: grid; grid-template-columns: 90px minmax(0, 1fr); gap: 8px 12px; align-items: center; font-size: 13px; line-height: 18px; }
.field > span:first-child { color: var(--quiet); }
.field.changed > span:first-child { color: var(--color-accent); }
.field input { width: 100%; min-width: 0; height: 32px; padding: 0 8px; border: 1px solid var(--control-line); border-radius: 6px; background: var(--page); font-size: 13px; }
.field select { width: 100%; padding: 0 4px; }
.fields .field input { max-width: 200px; }
.fields .field select { width: auto; max-width: 100%; min-width: 0; justify-self: start; }
.pair { display: flex; gap: 8px; }
.pair input { width: 90px; }
.field input::placeholder { color: var(--quiet); opacity: 1; }
.field input:disabled { opacity: .45; }
.refused input, .refused select { border-color: var(--warn); box-shadow: inset 0 0 0 1px var(--warn); }
.refusal { font-size: 13px; line-height: 18px; color: var(--warn); }

.section + .section { margin-top: -1px; }
.preset-section .fields { margin: 2px 0 12px; }
.preset-section .presets { margin: 8px 0 12px; }
.dataset .fields { margin: 2px 0 12px; grid-template-columns: minmax(0, 1fr); }
.image-folder { display: grid; gap: 8px; }
.upload { position: relative; cursor: pointer; }
.upload input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
.upload:focus-within { outline: 2px solid var(--color-accent); outline-offset: 2px; }
.tick { display: flex; gap: 8px; align-items: center; font-size: 13px; line-height: 18px; }
.tick input { appearance: auto; width: 15px; height: 15px; margin: 0; accent-color: var(--color-accent); }
.survey { display: grid; gap: 4px; }
.survey td { white-space: normal; overflow-wrap: anywhere; }
.not-taken { display: grid; gap: 6px; max-height: 220px; margin: 0; padding: 6px 0; border: solid var(--hairline); border-width: 1px 0; overflow: auto; list-style: none; font-size: 12px; line-height: 18px; color: var(--quiet); overflow-wrap: anywhere; }
.not-taken b { font-weight: 600; color: var(--ink); }

.plan { display: grid; grid-template-columns: 80px minmax(0, 1fr); gap: 16px; align-items: start; margin: 16px 0 14px; }
.cut { position: relative; width: 80px; height: 80px; background: var(--tile-line); }
.cut img { width: 100%; height: 100%; image-rendering: pixelated; }
.cut .patch-grid { --grid-line: rgba(255, 255, 255, .5); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 12px; margin: 0; font-size: 13px; line-height: 18px; }
dt { color: var(--quiet); }
dd { margin: 0; }
.begin { position: sticky; z-index: 2; top: 0; display: flex; align-items: center; gap: 12px; margin: 0 -8px; padding: 8px; background: var(--page); }
.form :is(input, select, summary) { scroll-margin-block: 64px; }
.begin .note { min-width: 0; }

.closed { margin-top: 12px; font-size: 13px; line-height: 19px; color: var(--quiet); }

/* Progress and timeline. */
.now { display: flex; align-items: flex-end; justify-content: space-between; gap: 8px 24px; min-height: 52px; }
.now > div:first-child { min-width: 0; }
.headline { scroll-margin: 16px; }
.status { margin-top: 2px; }
.actions { display: flex; gap: 8px; flex: none; }
.whole { margin: 10px 0 16px; }
.curves { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) 210px; gap: 12px 32px; }
.probed { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); margin-top: 20px; }
.curves figure { min-width: 0; }
.curves h2 { font-size: 13px; line-height: 18px; }
.chart { min-height: 76px; margin-top: 2px; overflow: hidden; }
[data-curve=loss] .chart, [data-curve=accuracy] .chart { min-height: 176px; }
.probed[class] .chart { min-height: 120px; }
.small-curves { display: grid; gap: 4px; min-width: 0; }
.curves-note { margin-top: 4px; max-width: 100ch; }
svg .quiet { stroke: var(--quiet); stroke-width: 1.5; }
svg .end { stroke: none; fill: var(--ink); }
svg .end.quiet { fill: var(--quiet); }
svg :is(.name, .at-cursor) { stroke: var(--page); stroke-width: 4px; paint-order: stroke; fill: var(--ink); }
svg .name.quiet { stroke-width: 4px; stroke: var(--page); fill: var(--quiet); }
svg .band { stroke: none; opacity: .22; }
svg .mark { stroke: var(--warn); fill: var(--warn); }
.alarms { display: grid; gap: 4px; max-width: 100ch; margin: 8px 0; padding: 8px 12px; border-left: 3px solid var(--warn); list-style: none; font-size: 13px; line-height: 18px; }
svg .cursor { stroke: var(--color-accent); stroke-dasharray: 3 3; }

.time { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; margin: 14px 0 16px; padding-top: 14px; border-top: 1px solid var(--hairline); }
.time .snapshot { flex: 1; min-width: 160px; height: 32px; margin: 0; accent-color: var(--color-accent); cursor: pointer; }
.time [data-do=play] { min-width: 62px; }
.when { min-width: 116px; font-weight: 600; }
.of { display: flex; align-items: center; gap: 8px; min-width: 0; font-size: 13px; color: var(--quiet); white-space: nowrap; }
.of select { min-width: 0; max-width: 300px; color: var(--ink); }
.empty { padding: 9px 12px; border: 1px dashed var(--control-line); border-radius: 6px; font-size: 13px; line-height: 18px; color: var(--quiet); }

.live { display: grid; grid-template-columns: 168px minmax(0, 356px) minmax(0, 1fr); gap: 36px; align-items: start; }
.live h2 { margin-bottom: 6px; }
.matrix-column { container-type: inline-size; min-width: 0; }
.large { display: grid; gap: 8px; }
.probe-image, .map { width: 168px; box-shadow: 0 0 0 1px var(--tile-line); }
.probe-image { aspect-ratio: var(--aspect); image-rendering: pixelated; }
.map { position: relative; cursor: crosshair; touch-action: manipulation; }
.map canvas { width: 100%; aspect-ratio: var(--aspect); }
.map:focus-visible { border-radius: 0; }
.map .read { position: absolute; width: calc(100% / var(--columns)); height: calc(100% / var(--rows)); box-shadow: 0 0 0 1.5px var(--ink), inset 0 0 0 1px var(--page); pointer-events: none; }
.rebuilding { display: grid; grid-template-columns: repeat(2, minmax(0, 168px)); gap: 12px; }
.rebuilding .probe-image, .rebuilding .map { display: block; width: 100%; }
.rebuilding figcaption { margin-top: 4px; font-size: 12px; line-height: 18px; color: var(--quiet); }
.masking { touch-action: none; }
.masking i { position: absolute; width: calc(100% / var(--columns)); height: calc(100% / var(--rows)); background: var(--masked, #808080); }
.about-masks { margin-top: 8px; }
.map-line { min-height: 54px; margin-top: 6px; font-size: 12px; line-height: 18px; color: var(--quiet); }
.map-line b, .finding b { color: var(--ink); font-weight: 600; }
.probes { display: grid; grid-template-columns: repeat(5, 28px); gap: 7px; margin-top: 8px; }
.thumb { width: 28px; height: 28px; padding: 0; border: 0; background: none; cursor: pointer; }
.thumb:hover { box-shadow: 0 0 0 1.5px var(--ink); }
.thumb[aria-checked=true] { box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }
.forming { display: grid; grid-column: 1 / -1; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px 32px; }
.forming h2 { font-size: 13px; line-height: 18px; }
.forming figure { min-width: 0; }
.forming figure:has(+ [hidden]) { grid-column: 1 / -1; }
.forming .chart { min-height: 150px; }
.matrix-column .scale { margin-top: 12px; }

.predictions { display: grid; gap: 6px; list-style: none; font-size: 13px; line-height: 18px; }
.prediction { display: grid; grid-template-columns: 116px minmax(0, 1fr) 52px; gap: 8px; align-items: center; }
.prediction .value { text-align: right; }
.best .fill { background: var(--ink); }
.best .class-name { font-weight: 600; }
.what { margin-top: 18px; }
.finding { font-size: 13px; line-height: 19px; color: var(--quiet); }
.finding + .finding { margin-top: 6px; }
.saving { display: flex; align-items: center; gap: 8px; margin-top: 14px; font-size: 13px; color: var(--quiet); }
.saving .button { color: var(--ink); }

/* Runs. */
.runs { margin-top: 28px; }
.runs-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 12px; }
.wide { position: relative; overflow-x: auto; }
table { width: 100%; margin: 6px 0 0; border-collapse: collapse; font-size: 13px; line-height: 18px; }
th, td { padding: 7px 14px 7px 0; border: 0; border-bottom: 1px solid var(--hairline); text-align: left; white-space: nowrap; }
th { font-weight: 400; color: var(--quiet); white-space: normal; vertical-align: bottom; }
th.number, td.number { text-align: right; }
.runs th { white-space: nowrap; }
tr.followed td:nth-child(2) { font-weight: 600; }
td label { display: block; }
td input[type=checkbox] { display: block; width: 15px; height: 15px; margin: 0; accent-color: var(--color-accent); }
.sort { padding: 0; text-align: inherit; border: 0; background: none; color: inherit; cursor: pointer; }
.sort:hover { color: var(--ink); }
[aria-sort=ascending] .sort::after { content: " ↑"; }
[aria-sort=descending] .sort::after { content: " ↓"; }
.open { color: var(--quiet); }
.training, .stopping { color: var(--color-accent); }
td:is(.failed, .interrupted, .damaged) { color: var(--warn); }
th:last-child, td:last-child { padding-right: 0; }
.row-actions { display: flex; gap: 14px; align-items: center; justify-content: flex-end; min-height: 26px; }
.row-message { margin: 2px 0 4px auto; max-width: 46ch; text-align: right; white-space: normal; }
.row-actions input { width: 180px; height: 26px; padding: 0 6px; border: 1px solid var(--control-line); border-radius: 6px; background: var(--page); }
.link[data-act=really] { color: var(--warn); }

.sweeps { margin-top: 28px; }
.sweeps .runs-head { align-items: center; gap: 4px 12px; }
.sweeps .row-actions { margin-left: auto; }
.which { max-width: 220px; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 16px 48px; margin-top: 4px; align-items: start; }
.sides figure { min-width: 0; }
h3 { font-size: 13px; line-height: 18px; font-weight: 600; }
.plotted { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; margin-bottom: 8px; font-size: 13px; }
.plotted select { max-width: 100%; }
.sides .note { margin-top: 8px; max-width: 80ch; }
.sides .chart { min-height: 40px; }
.pending { color: var(--quiet); }
.sweep .field { grid-template-columns: minmax(0, 1fr) 120px; }
.sweep .field select { width: 100%; }
.sweep .fields { margin: 0 0 12px; }
.sweep .note { margin-bottom: 6px; }

.foot { margin-top: 24px; }
.foot .machine { margin-left: auto; }

@media (max-width: 1359px) {
  .halves { grid-template-columns: 320px minmax(0, 1fr); column-gap: 36px; }
  .live { grid-template-columns: 144px minmax(0, 1fr); gap: 24px; }
  .probe-image, .map { width: 144px; }
  .probes { grid-template-columns: repeat(4, 28px); gap: 10px; }
  .findings { grid-column: 1 / -1; }
  th, td { padding-right: 10px; }
  .row-actions { gap: 10px; }
  .curves { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .small-curves { grid-column: 1 / -1; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px 32px; }
}
@media (max-width: 1100px) {
  .halves { grid-template-columns: minmax(0, 1fr); gap: 32px; }
  .training-first :is(.watch, .forming) { order: -1; }
  .fields { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .live { grid-template-columns: 168px minmax(0, 356px) minmax(0, 1fr); gap: 28px; }
  .probe-image, .map { width: 168px; }
  .probes { grid-template-columns: repeat(5, 28px); gap: 7px; }
  .findings { grid-column: auto; }
  .group { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .runs .row-actions { flex-wrap: wrap; justify-content: flex-start; gap: 0 12px; width: 170px; }
}
@media (max-width: 960px) {
  .live { grid-template-columns: 168px minmax(0, 1fr); }
  .findings { grid-column: 1 / -1; }
}
@media (max-width: 767px) {
  .live { grid-template-columns: minmax(0, 1fr); gap: 24px; }
  .large { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
  .probe-image, .map { width: 100%; }
  .probes { grid-template-columns: repeat(10, minmax(0, 1fr)); gap: 6px; }
  .thumb { width: 100%; height: auto; aspect-ratio: 1; }
  .map-line { min-height: 36px; }
  .sides, .forming { grid-template-columns: minmax(0, 1fr); }
  .fields, .curves, .small-curves { grid-template-columns: minmax(0, 1fr); }
  .group { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .now { flex-wrap: wrap; }
  .foot .machine { margin-left: 0; }
}
@media (max-width: 639px) {
  .group { grid-template-columns: minmax(0, 1fr); }
  .of { width: 100%; }
  .of select { flex: 1; max-width: none; }
  .time .snapshot { min-width: 120px; height: 36px; }
  .when { min-width: 104px; }
  .field input { height: 36px; }
}
/* On narrow screens each run is a card: name and state, then the numbers with their labels, then the actions.
   Gradio gives rows and cells margins, which apply once they are not laid out as a table. */
@media (max-width: 959px) {
  .runs .wide { overflow: visible; }
  .runs :is(table, thead, tbody) { display: block; padding: 0; }
  .runs tr { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 14px; margin: 0; padding: 6px 0; border: 0; border-bottom: 1px solid var(--hairline); }
  .runs :is(th, td) { margin: 0; padding: 0; border: 0; white-space: normal; overflow-wrap: anywhere; }
  .runs td:empty, .runs th:not([data-key]) { display: none; }
  .runs thead tr::before { content: "Sort by"; color: var(--quiet); }
  .runs .sort { line-height: 40px; text-decoration: underline; text-underline-offset: 2px; }
  .runs tbody tr::before { content: ""; width: 100%; } /* ends the line of name and state */
  .runs td:first-child, .runs td:is([data-label=Name], [data-label=State]) { order: -1; }
  .runs td[data-label=Name] { flex: 1 1 0; min-width: 0; font-size: 15px; }
  .runs td[data-label]:not([data-label=Name], [data-label=State])::before { content: attr(data-label) " "; font-size: 12px; color: var(--quiet); }
  .runs td label { display: grid; place-items: center; width: 40px; height: 40px; margin: 0 -12px; }
  .runs td:last-child { width: 100%; }
  .runs .row-actions { flex-wrap: wrap; justify-content: flex-start; gap: 0 18px; }
  .runs .row-actions .link { line-height: 40px; }
  .row-message { margin-left: 0; text-align: left; }
  .runs .row-actions input { flex: 1; min-width: 120px; height: 40px; }
}
`,T=b(`<article class="vitviz vitviz-train figure"><h1 class="headline"> </h1> <div class="live"><!> <!> <!></div></article>`);function E(e,t){p(t,!0);let n=m(()=>t.runs.timeline),r=m(()=>v(n).now);var i=T(),b=x(i),w=d(b),E=u(b,2),D=x(E);c(D,{get runs(){return t.runs}});var O=u(D,2);o(O,{get runs(){return t.runs}});var k=u(O,2);a(k,{get runs(){return t.runs}}),h(E),h(i),S((e,n)=>{g(i,`width: 1120px; ${e??``}`),y(w,`${t.name??``}: ${n??``}`)},[()=>v(n).shape?C(v(n).shape):``,()=>v(r)?`epoch ${l(v(r).epoch)}, after ${s(v(r).seconds)}`:``]),_(e,i),f()}var D=.1,O=2.5;async function k(n,r,i,a){let o=r.images[n.timeline.image].name;return{name:t([i,o],a),blob:await e(A(n,r,i),a)}}async function*A(e,t,a){let{image:o,chosen:s}=e.timeline,c=Object.assign(new i(e),{image:o,chosen:s,past:t,shape:t.shape,images:t.images,snapshot:0}),l=r(e,{timeline:c,theme:e.theme.light()}),u=n(E,{runs:l,name:a},[w]);try{for(let e of t.snapshots.keys()){c.snapshot=e;let n=e===t.snapshots.length-1?O:D;yield{image:await u.draw(a,``),seconds:n}}}finally{u.close()}}export{k as animate};