import{a as e,i as t,n,t as r}from"./figures.js";import{a as i,i as a,n as o,o as s,r as c}from"./compare.js";import{Dr as l,Er as u,Fr as d,Ir as f,Rr as p,ar as m,er as h,rr as g,sr as _,wr as v,yr as y}from"./shared.js";var b=`/* An image or a map with its patches, and its color bar. */
.pair-stage { position: relative; width: calc(var(--longest) * var(--fit)); background: var(--fill); cursor: crosshair; touch-action: manipulation; user-select: none; }
.pair-stage canvas, .pair-stage img { position: absolute; inset: 0; width: 100%; height: 100%; image-rendering: pixelated; pointer-events: none; }
.pair-stage:focus-visible { outline-offset: 4px; border-radius: 0; }
.patch-grid.on-image { --grid-line: rgba(255, 255, 255, .26); }
.pair-mark { position: absolute; width: calc(100% / var(--columns)); height: calc(100% / var(--rows)); pointer-events: none; }
.pair-mark.read { box-shadow: 0 0 0 1.5px var(--ink), 0 0 0 3px var(--page), inset 0 0 0 1px var(--page); }
.pair-mark.query { box-shadow: 0 0 0 2px var(--color-accent), 0 0 0 3px var(--page), inset 0 0 0 1px var(--page); }
.pair-mark.crossed { --fill: var(--page); background: linear-gradient(to bottom right, transparent calc(50% - .6px), var(--quiet) 0 calc(50% + .6px), transparent 0) var(--fill); box-shadow: 0 0 0 1px var(--quiet); }
.pair-mark.gray { --fill: gray; }
.pair-bar { position: relative; height: 30px; margin-top: 12px; }
.pair-bar canvas { width: 100%; height: 10px; box-shadow: 0 0 0 1px var(--tile-line); }
.pair-bar i { position: absolute; top: -6px; width: 0; margin-left: -5px; border: 5px solid transparent; border-top: 6px solid var(--ink); border-bottom: 0; }
.pair-bar span { position: absolute; top: 12px; font-size: 12px; line-height: 16px; white-space: nowrap; color: var(--quiet); transform: translateX(-50%); }
.pair-bar span.first { transform: none; }
.pair-bar span.last { transform: translateX(-100%); }
.pair-unit { font-size: 12px; line-height: 17px; color: var(--quiet); }
`,x=`/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick. */

.vitviz-compare { --side: 312px; --image: 128px; container-type: inline-size; }
.pair-lead { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 6px 24px; align-items: start; padding: 10px 0 8px; }
.pair-lead .status { margin-top: 2px; }
.pair-actions, .pair-row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.pair-controls { display: flex; flex-wrap: wrap; gap: 10px 28px; margin-bottom: 14px; padding-bottom: 12px; border-bottom: 1px solid var(--hairline); }
.pair-controls .pair-row { gap: 8px 20px; min-height: 32px; }

/* What differs comes first. A, B and their difference share their rows, so that the maps are at one height. */
.pair-columns { display: grid; grid-template-columns: repeat(3, var(--side)) minmax(180px, 1fr); grid-template-rows: repeat(5, auto); gap: 0 max(28px, 2vw); align-items: start; }
.pair-side { display: grid; grid-row: span 5; grid-template: subgrid / minmax(0, 1fr); min-width: 0; }
.pair-head { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; min-height: 32px; margin-bottom: 10px; }
.pair-head h2 { min-width: 14px; font-size: 17px; }
.pair-name { min-width: 0; overflow-wrap: anywhere; font-size: 13px; color: var(--quiet); }
.pair-range { display: flex; flex: 1; align-items: center; gap: 10px; min-width: 0; font-size: 13px; white-space: nowrap; }
.pair-range input { flex: 1; min-width: 60px; height: 32px; margin: 0; accent-color: var(--color-accent); cursor: pointer; }
.pair-input { display: grid; grid-template-columns: var(--image) minmax(0, 1fr); gap: 14px; align-items: start; align-content: start; min-height: var(--image); margin-bottom: 14px; }
.pair-side h3 { margin-bottom: 6px; font-size: 14px; line-height: 20px; font-weight: 600; overflow-wrap: anywhere; }
.pair-text { margin-bottom: 14px; }
.pair-correlation { margin-bottom: 4px; font-size: 13px; }
.pair-correlation b { margin-right: 6px; font-size: 26px; line-height: 32px; font-weight: 600; }
.pair-note { font-size: 13px; line-height: 18px; color: var(--quiet); }
.pair-note + .pair-note { margin-top: 6px; }
.pair-warning { padding-left: 10px; border-left: 2px solid var(--control-line); color: var(--ink); }

.pair-image { --longest: var(--image); }
.pair-map { --longest: var(--side); }


.pair-picker summary { display: inline-flex; align-items: center; list-style: none; }
.pair-picker summary::-webkit-details-marker { display: none; }
.pair-picker[open] summary { margin-bottom: 10px; border-color: var(--color-accent); color: var(--color-accent); }
.pair-thumbs { display: grid; grid-template-columns: repeat(auto-fill, minmax(28px, 1fr)); gap: 6px; }
.pair-thumbs button { aspect-ratio: 1; padding: 0; border: 0; background: var(--fill); box-shadow: 0 0 0 1px var(--tile-line); cursor: pointer; }
.pair-thumbs button:hover { box-shadow: 0 0 0 1px var(--ink); }
.pair-thumbs button[aria-pressed=true] { box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }
.pair-thumbs img { width: 100%; height: 100%; object-fit: cover; }
.pair-picker .pair-row { gap: 8px 6px; margin-top: 10px; }
.pair-index { display: inline-flex; align-items: center; gap: 4px; font-size: 12px; color: var(--quiet); }
.pair-index input { width: 52px; height: 30px; padding: 0 4px; border: 1px solid var(--control-line); border-radius: 6px; background: none; color: var(--ink); font-size: 13px; appearance: textfield; }
.pair-index input::-webkit-inner-spin-button { display: none; }
.pair-index input::placeholder { color: var(--quiet); opacity: .7; }
.pair-ablation { display: grid; gap: 8px; }
.pair-ablation select { max-width: 100%; }
.pair-chip { position: relative; padding: 0 8px; }
.pair-ablation [aria-pressed=true] { border-color: var(--color-accent); background: var(--color-accent-soft); color: var(--color-accent); }

.pair-predictions { grid-row: span 5; min-width: 0; }
.pair-predictions h2 { height: 32px; margin-bottom: 10px; line-height: 32px; }
.pair-predictions table { width: 100%; margin-top: 14px; border-collapse: collapse; font-size: 13px; line-height: 18px; }
.pair-predictions th, .pair-predictions td { padding: 5px 0 5px 8px; border: 0; border-bottom: 1px solid var(--hairline); text-align: right; vertical-align: top; font-weight: 400; white-space: nowrap; }
.pair-predictions th:first-child { width: 50%; padding-left: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
.pair-predictions thead th { font-size: 12px; color: var(--quiet); }
.pair-predictions .changed { font-weight: 600; }
.pair-bars { display: grid; gap: 2px; margin: 4px 0 2px; }
.pair-bars i { height: 8px; }
.pair-key { display: inline-block; width: 8px; height: 8px; margin-right: 5px; }
:is(.pair-bars, .pair-predictions th) > i { background: var(--control-line); }
:is(.pair-bars, .pair-predictions th) > .b { background: var(--color-accent); }
.pair-alone { display: grid; gap: 12px; justify-items: start; padding: 24px 0; }
.pair-swap { margin-top: 28px; padding-top: 14px; border-top: 1px solid var(--hairline); }
.pair-swap summary { width: fit-content; font-size: 17px; font-weight: 600; cursor: pointer; }
.pair-swap .pair-note { max-width: 640px; margin-top: 6px; }
.pair-swap-chart { margin-top: 14px; min-height: 290px; }
.vitviz-compare .foot { margin-top: 28px; }

@media (max-width: 1359px) {
  .vitviz-compare { --side: min(300px, calc((100cqw - 56px) / 3)); }
  .pair-columns { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0 28px; }
  .pair-predictions { grid-row: auto; grid-column: 1 / -1; margin-top: 24px; }
  .pair-predictions table { max-width: 560px; }
}
@media (max-width: 1023px) {
  .pair-kinds { flex-wrap: wrap; }
  .pair-kinds .options { flex-wrap: wrap; height: auto; }
  .pair-kinds .options label + label { border-left: 0; }
  .pair-kinds .options span { height: 32px; }
  .pair-input { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 767px) {
  .vitviz-compare { --image: 100px; --side: calc((100cqw - 16px) / 2); }
  .pair-lead { grid-template-columns: minmax(0, 1fr); }
  .pair-columns { grid-template-columns: repeat(2, minmax(0, 1fr)); grid-template-rows: none; gap: 0 16px; }
  .pair-side { align-content: start; }
  .pair-difference { grid-column: 1 / -1; grid-row: auto; grid-template: none / minmax(0, 1fr); margin-bottom: 28px; }
  .pair-difference .pair-map { --longest: min(320px, 100cqw); }
  .pair-difference .pair-bar { max-width: 320px; }
  .pair-bar .inner { display: none; }
  .pair-range { flex-wrap: wrap; gap: 0 10px; }
  .pair-picker .pair-row { flex-direction: column; align-items: start; }
}
`,S=_(`<p class="address"> </p>`),C=_(`<article class="vitviz vitviz-compare figure"><h1 class="headline"> </h1> <div class="pair-columns"><!> <!> <!> <!></div> <p class="caption"> </p> <!></article>`);function w(e,t){f(t,!0);var n=C(),r=v(n),i=u(r,!0),s=l(r,2),_=v(s);a(_,{get page(){return t.page},get shown(){return t.shown}});var b=l(_,2);o(b,{get page(){return t.page},get shown(){return t.shown},side:`a`});var x=l(b,2);o(x,{get page(){return t.page},get shown(){return t.shown},side:`b`});var w=l(x,2);c(w,{get reply(){return t.shown.reply}}),p(s);var T=l(s,2),E=u(T,!0),D=l(T,2),O=e=>{var n=S(),r=u(n,!0);y(()=>g(r,t.address)),m(e,n)};h(D,e=>{t.address&&e(O)}),p(n),y(()=>{g(i,t.shown.reply.headline),g(E,t.caption)}),m(e,n),d()}var T=`/* Figures of Compare, in addition to lib/export/figure.css. Nested under the root. */

.vitviz-compare.figure { width: 1120px; --side: 338px; }
.figure :is(select, .pair-picker, .pair-thumbs, .pair-ablation, .pair-range, .pair-head .button) { display: none; }
.figure .pair-name { display: block; }
.figure .pair-predictions table { max-width: 720px; }
`;async function E(t,a,o,c,l){let{reply:u}=a,d=t.theme.light(),f=[a.a,a.b].map(({subject:e})=>e.model),p=f[0]===f[1]?`Model: ${f[0]}.`:`Models: A ${f[0]}, B ${f[1]}.`,m=`${i(u)} ${p} ${s(u)}`,h={page:r(t,{theme:d,readout:r(t.readout,{reading:null}),removes:!1}),shown:a,caption:m,address:c};return e(await n(w,h,[b,x,T],u.headline,m),o,l)}var D=({a:e,b:n},r)=>t([`vitviz compare`,e.name,n.name,e.title===n.title&&e.title],r);export{E as drawFigure,D as nameOf};