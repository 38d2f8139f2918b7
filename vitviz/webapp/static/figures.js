import{Dn as e,Mr as t,O as n,gr as r,hn as i,ir as a,nr as o}from"./shared.js";var s=`Helvetica, Arial, "Liberation Sans", sans-serif`,c=({size:e,isBold:t,isItalic:n})=>`${n?`italic `:``}${t?`bold `:``}${e}px ${s}`,l={width:1280,height:720};function u(e){let t=Math.min(l.width/e.width,l.height/e.height),[n,r]=[(l.width-t*e.width)/2,(l.height-t*e.height)/2];return{...e,...l,primitives:e.primitives.map(e=>d(e,t,n,r))}}function d(e,t,n,r){let i=e=>n+t*e,a=e=>r+t*e;if(e.kind===`text`){let n=e.halo&&{...e.halo,width:t*e.halo.width};return{...e,x:i(e.x),y:a(e.y),width:t*e.width,size:t*e.size,halo:n}}if(e.kind===`image`)return{...e,x:i(e.x),y:a(e.y),width:t*e.width,height:t*e.height};let o={strokeWidth:e.strokeWidth&&t*e.strokeWidth,dash:e.dash?.map(e=>t*e)};if(e.kind===`path`)return{...e,...o,segments:e.segments.map(e=>f(e,i,a))};let s=e.radius&&t*e.radius;return{...e,...o,radius:s,x:i(e.x),y:a(e.y),width:t*e.width,height:t*e.height}}function f(e,t,n){if(e[0]===`Z`)return e;if(e[0]!==`C`)return[e[0],t(e[1],e[2]),n(e[2],e[1])];let[,r,i,a,o,s,c]=e;return[`C`,t(r,i),n(i,r),t(a,o),n(o,a),t(s,c),n(c,s)]}function p({x:e,y:t,width:n,height:r,radius:i=0}){let[a,o]=[e+n,t+r],s=Math.min(i,n/2,r/2);if(s<=0)return[[`M`,e,t],[`L`,a,t],[`L`,a,o],[`L`,e,o],[`Z`]];let c=s*.4477;return[[`M`,e+s,t],[`L`,a-s,t],[`C`,a-c,t,a,t+c,a,t+s],[`L`,a,o-s],[`C`,a,o-c,a-c,o,a-s,o],[`L`,e+s,o],[`C`,e+c,o,e,o-c,e,o-s],[`L`,e,t+s],[`C`,e,t+c,e+c,t,e+s,t],[`Z`]]}var m=e=>e.map(([e,...t])=>e+t.map(h).join(` `)).join(``),h=e=>String(Math.round(100*e)/100),g=[137,80,78,71,13,10,26,10],_=33,ee=1/.0254;async function v(e){let t=new Blob([e]).stream().pipeThrough(new CompressionStream(`deflate`));return new Uint8Array(await new Response(t).arrayBuffer())}async function te({width:e,height:t,data:n}){let r=new Uint8Array(t*(1+4*e));for(let i=0;i<t;i++)r.set(n.subarray(4*e*i,4*e*(i+1)),i*(1+4*e)+1);let i=new Uint8Array([...x(e),...x(t),8,6,0,0,0]);return S([new Uint8Array(g),b(`IHDR`,i),b(`IDAT`,await v(r)),b(`IEND`)])}function y(e,t,n){let r=x(Math.round(t*ee)),i=[...new TextEncoder().encode(`vitviz`),0,0,0,0,0],a=S([new Uint8Array(i),new TextEncoder().encode(n)]),o=[b(`pHYs`,new Uint8Array([...r,...r,1]))];return n&&o.push(b(`iTXt`,a)),S([e.subarray(0,_),...o,e.subarray(_)])}function b(e,t=new Uint8Array){let n=S([new TextEncoder().encode(e),t]);return S([new Uint8Array(x(t.length)),n,new Uint8Array(x(re(n)))])}var x=e=>[e>>>24,e>>>16&255,e>>>8&255,e&255];function S(e){let t=new Uint8Array(e.reduce((e,{length:t})=>e+t,0)),n=0;for(let r of e)t.set(r,n),n+=r.length;return t}var ne=Uint32Array.from({length:256},(e,t)=>{let n=t;for(let e=0;e<8;e++)n=n&1?n>>>1^3988292384:n>>>1;return n});function re(e){let t=4294967295;for(let n of e)t=t>>>8^ne[(t^n)&255];return~t>>>0}async function C(e,t,n){if(!e)return``;let r=t.primitives.filter(e=>e.kind===`image`&&e.name!==``),i=await Promise.all(r.map(e=>ie(e,t,n(e))));return JSON.stringify({...e,panels:i}).replace(/[\u007f-\uffff]/g,e=>`\\u${e.charCodeAt(0).toString(16).padStart(4,`0`)}`)}async function ie(e,t,n){let r=e.panel?.scale;return{name:e.name,rectangle:T(e,t),colormap:r?r.kind===`linear`?`seq`:`div`:null,limits:r?se(r):null,sha256:await D(n.data)}}var w=e=>Math.min(1,Math.max(0,e));function T({x:e,y:t,width:n,height:r},i){let[a,o]=[e,e+n].map(e=>w(e/i.width)),[s,c]=[t,t+r].map(e=>w(e/i.height));return[a,s,o,c]}function ae(e,t,n){let{left:r,top:i,width:a,height:o}=oe(T(n,t),e.width,e.height),s=e.getContext(`2d`);if(!s)throw Error(`the browser has no 2d canvas`);return s.getImageData(r,i,Math.max(1,a),Math.max(1,o))}function oe(e,t,n){let[r,i,a,o]=e.map((e,r)=>Math.round(e*(r%2?n:t)));return{left:r,top:i,width:a-r,height:o-i}}var E=8;function se(e){return e.kind===`uniform`?[e.uniform/E,e.uniform*E]:[e.kind===`signed`?-e.limit:e.low??0,e.limit]}async function D(e){if(!globalThis.crypto?.subtle)return null;let t=await crypto.subtle.digest(`SHA-256`,e);return[...new Uint8Array(t)].map(e=>e.toString(16).padStart(2,`0`)).join(``)}var ce=300,O=96,le=16e6,k=([e,t,n,r])=>`rgb(${e} ${t} ${n} / ${r})`;function A(e,t){let n=document.createElement(`canvas`);n.width=Math.round(t*e.width),n.height=Math.round(t*e.height);let r=n.getContext(`2d`);if(!r)throw Error(`the browser has no 2d canvas`);r.fillStyle=`#fff`,r.fillRect(0,0,n.width,n.height),r.scale(t,t);for(let t of e.primitives)ue(r,t);return n}function ue(e,t){if(t.kind===`image`){e.imageSmoothingEnabled=!t.isPixelated,e.imageSmoothingQuality=`high`,e.globalAlpha=t.opacity,e.drawImage(de(t.pixels),t.x,t.y,t.width,t.height),e.globalAlpha=1;return}if(t.kind===`text`){e.font=c(t),t.halo&&(Object.assign(e,{strokeStyle:k(t.halo.color),lineWidth:t.halo.width,lineJoin:`round`}),e.setLineDash([]),e.strokeText(t.text,t.x,t.y)),e.fillStyle=k(t.color),e.fillText(t.text,t.x,t.y);return}let n=new Path2D(m(t.kind===`path`?t.segments:p(t)));if(t.fill&&(e.fillStyle=k(t.fill),e.fill(n)),t.stroke){let r=t.isRound?`round`:`butt`;Object.assign(e,{strokeStyle:k(t.stroke),lineWidth:t.strokeWidth,lineCap:r,lineJoin:t.isRound?`round`:`miter`}),e.setLineDash([...t.dash??[]]),e.stroke(n)}}function de({width:e,height:t,data:n}){let r=document.createElement(`canvas`);Object.assign(r,{width:e,height:t});let i=new ImageData(e,t);return i.data.set(n),r.getContext(`2d`)?.putImageData(i,0,0),r}async function j(e,t){let n=Math.min(ce/O,Math.sqrt(le/(e.width*e.height))),r=A(e,n),i=await new Promise(e=>r.toBlob(e,`image/png`));if(!i)throw Error(`the browser could not encode the image`);let a=new Uint8Array(await i.arrayBuffer()),o=await C(t,e,t=>ae(r,e,t));return new Blob([y(a,n*O,o)],{type:`image/png`})}var M=e=>e.replace(/[&<>"]/g,e=>`&#${e.charCodeAt(0)};`),N=e=>Object.entries(e).filter(([,e])=>e!==void 0&&e!==``).map(([e,t])=>` ${e}="${typeof t==`number`?h(t):M(String(t))}"`).join(``);async function P(e,t){let{width:n,height:r,title:i,description:a}=e,o=await Promise.all(e.primitives.map(F));return[`<svg xmlns="http://www.w3.org/2000/svg"${N({width:n,height:r,viewBox:`0 0 ${n} ${r}`})} role="img" aria-labelledby="title desc"${N({"font-family":s})}>`,`<title id="title">${M(i)}</title>`,`<desc id="desc">${M(a)}</desc>`,...t?[`<metadata id="vitviz">${M(t)}</metadata>`]:[],`<rect width="${n}" height="${r}" fill="#fff"/>`,...o,`</svg>`,``].join(`
`)}async function F(e){if(e.kind===`image`)return L(e);if(e.kind===`text`){let{text:t,x:n,y:r,size:i,width:a,isBold:o,isItalic:s,halo:c}=e,l={"font-size":i,"font-weight":o?`bold`:void 0,"font-style":s?`italic`:void 0},u=c&&{...I(`stroke`,c.color),"stroke-width":c.width,"paint-order":`stroke`},d=t.length>1?a:void 0;return`<text${N({x:n,y:r,...l,...I(`fill`,e.color),...u,textLength:d,lengthAdjust:d&&`spacingAndGlyphs`,"xml:space":/ {2}|^ | $/.test(t)?`preserve`:void 0})}>${M(t)}</text>`}let t=e.stroke&&{...I(`stroke`,e.stroke),"stroke-width":e.strokeWidth,"stroke-dasharray":e.dash?.map(h).join(` `),"stroke-linecap":e.isRound?`round`:void 0,"stroke-linejoin":e.isRound?`round`:void 0},n=N({...e.fill?I(`fill`,e.fill):{fill:`none`},...t});return e.kind===`path`?`<path d="${m(e.segments)}"${n}/>`:e.radius?`<path d="${m(p(e))}"${n}/>`:`<rect${N({x:e.x,y:e.y,width:e.width,height:e.height})}${n}/>`}function I(e,[t,n,r,i]){let a=[t,n,r].map(e=>Math.round(e).toString(16).padStart(2,`0`)).join(``);return{[e]:`#${a}`,[`${e}-opacity`]:i<1?i:void 0}}async function L({x:e,y:t,width:n,height:r,pixels:a,isPixelated:o,opacity:s,name:c}){let l=o?`image-rendering: pixelated`:void 0,u=`data:image/png;base64,${i(await te(a))}`;return`<image${N({id:c,x:e,y:t,width:n,height:r,opacity:s<1?s:void 0,preserveAspectRatio:`none`,style:l})} href="${u}"/>`}async function R(t,n,r){if(n===`png`)return j(t,r);if(n===`svg`){let e=await C(r,t,({pixels:e})=>e);return new Blob([await P(t,e)],{type:`image/svg+xml`})}let[{embedded:i,pdfOf:a},{rasterize:o}]=await Promise.all([e(()=>import(`./pdf.js`),[],import.meta.url),e(()=>import(`./glyph.js`),[],import.meta.url)]),s=await C(r,t,i);return new Blob([await a(t,s,o)],{type:`application/pdf`})}var z=(e,t)=>`${e.filter(Boolean).join(` `).toLowerCase().replace(/[^a-z0-9]+/g,`-`).slice(0,B).replace(/^-|-$/g,``)}.${t}`,B=180,V=`/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick.
   Colors are Gradio's own variables, so that theme and dark mode apply. */

.vitviz {
  --math: "STIX Two Text", "Cambria", "Iowan Old Style", Georgia, "Liberation Serif", serif;
  --control-line: #868d97;
  --tile-line: rgba(20, 24, 30, .13);
  --grid-line: rgba(20, 24, 30, .10);
  --warn: #9a4a00;
  --quiet: var(--body-text-color-subdued);
  --fill: var(--background-fill-secondary);
  --hairline: var(--border-color-primary);
  --ink: var(--body-text-color);
  --page: var(--body-background-fill);
  color: var(--ink);
  font: 400 15px/1.47 var(--font);
  font-variant-numeric: tabular-nums;
  scrollbar-color: var(--control-line) transparent;
  -webkit-font-smoothing: antialiased;
}
.dark & .vitviz {
  --control-line: #717985;
  --tile-line: rgba(235, 240, 250, .16);
  --grid-line: rgba(235, 240, 250, .09);
  --warn: #f0a860;
}

*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
h1, h2, h3, p, ol, figure { margin: 0; padding: 0; color: inherit; }
h1, .headline { font-size: 22px; line-height: 1.27; font-weight: 600; letter-spacing: -.012em; text-wrap: balance; overflow-wrap: anywhere; white-space: normal; }
h2 { font-size: 15px; line-height: 20px; font-weight: 600; }
button, select, input { font: inherit; color: inherit; }
canvas, img, svg { display: block; }
canvas { image-rendering: pixelated; }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--color-accent); outline-offset: 2px; border-radius: 3px; }
.voice, .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
kbd { padding: 0 4px; border: 1px solid var(--hairline); border-radius: 3px; font: inherit; background: none; color: inherit; }

.model, .model label { display: flex; align-items: center; gap: 8px; min-width: 0; font-size: 13px; }
.model label span { color: var(--quiet); }
.printed { display: none; }
.status { min-height: 22px; color: var(--quiet); overflow-wrap: anywhere; }
.status b { color: var(--ink); font-weight: 600; }
.status.error { color: var(--warn); }

.button {
  height: 32px; padding: 0 12px; border: 1px solid var(--control-line); border-radius: 6px;
  background: transparent; font-size: 13px; line-height: 18px; white-space: nowrap; cursor: pointer;
  transition: background 120ms, border-color 120ms;
}
a.button { display: inline-flex; align-items: center; color: inherit; text-decoration: none; }
.button:hover { background-color: var(--fill); border-color: var(--quiet); }
.button:disabled { opacity: .45; cursor: default; }
.button.plain { height: 32px; margin: 0 -8px 0 0; padding: 0 8px; border-color: transparent; color: var(--color-accent); }
.button.plain:hover { background: var(--color-accent-soft); }
.button.primary { border-color: var(--color-accent); background: var(--color-accent); color: var(--button-primary-text-color); font-weight: 600; }
.button.primary:hover:not(:disabled) { background: var(--button-primary-background-fill-hover); }
.link { padding: 0; border: 0; background: none; color: var(--color-accent); font-size: 13px; line-height: 18px; text-decoration: underline; text-underline-offset: 2px; cursor: pointer; }
.link:disabled { opacity: .45; cursor: default; }
select.button { text-overflow: ellipsis; padding: 0 8px; appearance: auto; background: var(--page); }

.select { display: inline-flex; align-items: center; gap: 8px; min-width: 0; font-size: 13px; color: var(--quiet); }
.select select { min-width: 0; max-width: 100%; color: var(--ink); }
.choice { display: inline-flex; align-items: center; gap: 8px; min-width: 0; }
.choice .name { font-size: 13px; color: var(--quiet); white-space: nowrap; }
.options { display: inline-flex; height: 32px; border: 1px solid var(--control-line); border-radius: 6px; }
.options label { position: relative; display: flex; cursor: pointer; }
.options label + label { border-left: 1px solid var(--hairline); }
.options input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.options span { display: flex; align-items: center; justify-content: center; padding: 0 10px; border-radius: 5px; font-size: 13px; white-space: nowrap; transition: background 120ms; }
.options label:hover span { background: var(--fill); }
.options input:checked + span { z-index: 1; background: var(--color-accent-soft); color: var(--color-accent); font-weight: 600; box-shadow: 0 0 0 1px var(--color-accent); }
.options input:focus-visible + span { outline: 2px solid var(--color-accent); outline-offset: 3px; }

svg { overflow: visible; }
svg text { font-family: inherit; font-size: 12px; fill: var(--quiet); }
svg .halo { fill: var(--ink); stroke: var(--page); stroke-width: 4px; paint-order: stroke; }
svg .grid { stroke: var(--hairline); }
svg .curve { fill: none; stroke-width: 2; }
svg .ink { stroke: var(--ink); }
svg .data { stroke: var(--data); }

/* Thumbnails, class names and bars, the footer. */
.thumb img { width: 100%; height: 100%; image-rendering: pixelated; }
.class-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.track { position: relative; height: 6px; background: var(--hairline); }
.fill { position: absolute; inset: 0 auto 0 0; background: var(--quiet); }
.foot { display: flex; flex-wrap: wrap; gap: 4px 24px; padding-top: 8px; border-top: 1px solid var(--hairline); font-size: 12px; line-height: 18px; color: var(--quiet); }

/* Progress, and a dataset to download. */
.absent { margin-top: 12px; padding: 10px 12px; border: 1px dashed var(--control-line); border-radius: 6px; font-size: 13px; line-height: 18px; }
.absent .sentence { margin-bottom: 8px; color: var(--quiet); overflow-wrap: anywhere; }
.absent.failed .sentence { color: var(--warn); }
.downloading { margin-bottom: 8px; font-size: 12px; color: var(--quiet); }
.progress { height: 4px; background: var(--hairline); }
.progress i { display: block; height: 100%; background: var(--color-accent); }

/* A color scale with its labels. */
.scale canvas { width: 100%; height: 8px; box-shadow: 0 0 0 1px var(--tile-line); }
.scale div { display: flex; justify-content: space-between; gap: 8px; margin-top: 4px; font-size: 12px; line-height: 16px; color: var(--quiet); }

@media (max-width: 639px) {
  h1, .headline { font-size: 19px; line-height: 25px; }
  .button { height: 36px; }
  .options { height: 40px; }
}
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { transition: none !important; animation: none !important; }
}

/* High contrast removes backgrounds and shadows: selected options get an outline, and data keep their colors. */
@media (forced-colors: active) {
  :is([aria-selected=true], [aria-pressed=true], [aria-checked=true], input:checked + span, .preset:has(input:checked)) { outline: 2px solid Highlight; outline-offset: 1px; }
  .mark { outline: 2px solid CanvasText; }
  :is(.track, .fill, .random, .before, .progress, .progress i, .patch-grid, .key span) { forced-color-adjust: none; }
}

/* Help at a term. */
.help { display: inline-grid; place-items: center; width: 16px; height: 16px; margin-left: 5px; padding: 0; border: 1px solid var(--control-line); border-radius: 50%; background: none; color: var(--quiet); font-size: 11px; line-height: 1; vertical-align: 1px; cursor: help; position: relative; }
.help::after { content: ""; position: absolute; inset: -5px; } /* a larger target */
.help:hover, .help:has(+ :popover-open) { border-color: var(--color-accent); color: var(--color-accent); }
.help-text { position: fixed; inset: auto; width: max-content; max-width: min(340px, 100vw - 16px); margin: 0; padding: 10px 14px; border: 1px solid var(--control-line); border-radius: 8px; background: var(--page); color: var(--ink); font-size: 13px; line-height: 19px; white-space: normal; box-shadow: 0 6px 24px rgba(0, 0, 0, .18); }
`,H=`/* The light theme of the page, where Gradio does not provide it. Nested under the root. */

& {
  --body-background-fill: #ffffff;
  --background-fill-secondary: #f5f6f7;
  --border-color-primary: #dfe2e6;
  --body-text-color: #1a1d21;
  --body-text-color-subdued: #59606a;
  --color-accent: #0b5cad;
  --color-accent-soft: #e7f0fa;
  --button-primary-text-color: #ffffff;
  --button-primary-background-fill-hover: #094a8b;
}
`,fe=`/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick. */

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
`,pe=`/* A clean sheet on paper: the data in their colors, without controls. Explore and Compare fill the sheet, upright or across.
   Charts of other pages are laid out for the screen by scripts, so they are scaled down (app.css), with larger type, and
   keep the columns of a wide screen. */
@media print {
  *, *::before, *::after { -webkit-print-color-adjust: exact; print-color-adjust: exact; transition: none !important; }
  .model label, .intro, .on-request, .effect label, .take, .actions, .controls, .picker, .button, .outline-slider, .jump, .tip, .keys, .contrast, .saving, .choice, .row-actions, .setup, .time input, .time .of, .probes .thumb, .mark.read, .help, .hint, .on-screen, .foot :has(kbd) { display: none !important; }
  .printed { display: block; font-size: 12px; }
  .lead, .status, .summary { min-height: 0; }
  .column, .methods, .method, figure, .findings, .matrix-frame, tr, .prediction { break-inside: avoid; }
  h1, h2 { break-after: avoid; }
  .matrix-frame, .wide { overflow: visible; }

  .vitviz-explorer { --image: 230px; --map: 312px; --matrix: 520px; --largest-tile: 50px; --names: 44px; padding: 0 8px; }
  .view-tabs button:not([aria-pressed=true]), .method-about, .other-methods, .score-parts { display: none; }
  .bar-text { min-height: 18px; } .under-image, .methods, .accuracy, .predictions { margin-top: 4px; }
  .columns { grid-template-columns: var(--image) var(--map) minmax(0, 1fr); gap: 8px 24px; }
  .columns .matrix-column { grid-column: auto; max-width: none; }
  .columns .prediction-column { grid-column: 1 / -1; }
  .predictions { grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 14px 20px; }
  .lead, .lead .headline { padding: 0; min-height: 0; }
  @media (max-width: 900px) {
    .vitviz-explorer { --image: 220px; --map: 328px; }
    .few .method-tiles, .few .method-groups { gap: 8px; }
    .columns .matrix-column { grid-column: 1 / -1; grid-row: 2; }
    .columns .prediction-column { display: block; grid-column: auto; padding: 0; border: 0; }
    .columns .predictions { grid-template-columns: minmax(0, 1fr); gap: 6px; }
  }

  .pair-controls, .pair-swap, .vitviz-compare .foot { display: none; }
  .vitviz-compare { --side: calc((100cqw - 48px) / 3); --image: 110px; }
  .pair-columns { grid-template: repeat(5, auto) / repeat(3, minmax(0, 1fr)); gap: 0 24px; }
  .pair-difference { grid-row: span 5; grid-column: auto; grid-template: subgrid / minmax(0, 1fr); margin: 0; }
  .pair-difference .pair-map { --longest: var(--side); }
  .pair-predictions :is(td, th) { padding-block: 2px; } .pair-bars { margin: 2px 0; }
  @media (min-width: 900px) {
    .vitviz-compare { --side: 270px; }
    .pair-columns { grid-template-columns: repeat(3, var(--side)) minmax(0, 1fr); }
    .pair-predictions { grid-row: span 5; grid-column: auto; margin: 0; }
  }
  .findings .predictions { grid-template-columns: minmax(0, 1fr); gap: 6px; }

  .halves { grid-template-columns: minmax(0, 1fr); }
  .live { grid-template-columns: 168px 356px minmax(0, 1fr); gap: 36px; }
  .large { grid-template-columns: minmax(0, 1fr); }
  .probe-image, .stage.map, .large .map { max-width: 100%; }
  .findings { grid-column: auto; }
  .forming { grid-template-columns: repeat(2, minmax(0, 1fr)); }

  .vitviz-internals { figcaption, .line, .question, .key, .foot { font-size: 16px; line-height: 22px; } svg text { font-size: 15px; } }
  .vitviz-internals .probes { grid-template-columns: repeat(auto-fit, minmax(500px, 1fr)); gap: 32px 40px; }
  .vitviz-internals figure { display: block; padding: 0; &:last-child { grid-column: auto; } }
}
`,me=`/* What a figure on a sheet has in addition to the page's styles for paper. Nested under the root. */

.figure {
  --font: Helvetica, Arial, "Liberation Sans", sans-serif; --math: var(--font); --unit: 1px;
  width: fit-content; min-width: 320px; max-width: 1120px; padding: 24px; background: #fff; color-scheme: light;
}
.figure * { letter-spacing: 0 !important; text-overflow: clip !important; }
.figure :is(button, summary) { font: inherit; color: inherit; }
.figure .headline { min-height: 0; margin-bottom: 14px; font-size: 20px; line-height: 25px; }
:where(.figure button) { background: none; }
.figure .caption { margin-top: 16px; padding-top: 10px; border-top: 1px solid var(--hairline); font-size: 12px; line-height: 17px; color: var(--quiet); }
.figure .address { margin-top: 3px; font-size: 11px; line-height: 15px; color: var(--quiet); overflow-wrap: anywhere; }
.figure :is(.voice, .spoken, .help-text, .matrix-preview, .layer-select) { display: none; }
`,U=1120,he=/\((min|max)-width:\s*([\d.]+)px\)/;function ge(e){return e.split(/\s+and\s+/).every(e=>{let[,t,n]=e.match(he)??[];return t?t===`min`?U>=Number(n):U<=Number(n):e.trim()===`print`})}var _e=e=>e.replace(/@media([^{]+)\{/g,(e,t)=>`@media ${ge(t.trim())?`all`:`not all`} {`);function W(e,t=1){let[,n,r]=e.match(/^(rgba?|color)\(([^)]*)\)/)??[];if(!n)return null;let i=(r.match(/-?[\d.]+(e-?\d+)?/g)??[]).map(Number),[a,o,s]=i.map(e=>n===`color`?255*e:e),c=(i[3]??1)*t;return c>0?[a,o,s,c]:null}function G(e){let t=[``],n=0;for(let r of e)r===`(`?n++:r===`)`&&n--,r===`,`&&n===0?t.push(``):t[t.length-1]+=r;return t.map(e=>e.trim())}function ve(e,t=1){return e===`none`?[]:G(e).flatMap(e=>{let[n,r,i,a]=(e.match(/-?[\d.]+px/g)??[]).map(Number.parseFloat),o=W(e.replace(/^inset /,``),t);return o&&a>0&&!n&&!r&&!i?[{color:o,spread:a,isInset:e.includes(`inset`)}]:[]})}function ye(e,t,n=1){let[,r,i]=e.match(/^(repeating-)?linear-gradient\((.*)\)$/s)??[];if(i===void 0)return[];let a=G(i),o=/^(to |-?[\d.]+deg)/.test(a[0]),[s,c]=be(o?a[0]:``,t),l=Math.abs(t.width*s)+Math.abs(t.height*c),u=xe(o?a.slice(1):a,l,n),d=r?u[u.length-1].at:0,f=new Map;for(let e=0;e===0||d>0&&e<l;e+=d||l)for(let n=0;n+1<u.length;n++){let{color:r,at:i}=u[n];if(!r||String(r)!==String(u[n+1].color))continue;let a=Ce(t,s,c,e+i-l/2,e+u[n+1].at-l/2);if(!a.length)continue;let o=f.get(String(r))??{color:r,segments:[]};f.set(String(r),o),o.segments.push(...a.map(([e,t],n)=>[n?`L`:`M`,e,t]),[`Z`])}return[...f.values()]}function be(e,{width:t,height:n}){if(e.endsWith(`deg`)){let t=Number.parseFloat(e)*Math.PI/180;return[Math.sin(t),-Math.cos(t)]}let r=Number(e.includes(`right`))-Number(e.includes(`left`)),i=e?Number(e.includes(`bottom`))-Number(e.includes(`top`)):1;if(!r||!i)return[r,i];let a=Math.hypot(t,n);return[r*n/a,i*t/a]}function xe(e,t,n){let r=0;return e.flatMap((e,i)=>{let[,a,o]=e.match(/^(\w+\([^)]*\))\s*(.*)$/s)??[``,e,``];return(o.match(/calc\([^)]*\)|[^\s]+/g)??[i?`100%`:`0px`]).map(e=>(r=Math.max(r,Se(e,t)),{color:W(a,n),at:r}))})}function Se(e,t){return(e.match(/[+-]?\s*[\d.]+(px|%)/g)??[]).reduce((e,n)=>{let r=Number.parseFloat(n.replace(/\s/g,``));return e+(n.endsWith(`%`)?r*t/100:r)},0)}function Ce({x:e,y:t,width:n,height:r},i,a,o,s){let c=([o,s])=>(o-e-n/2)*i+(s-t-r/2)*a;return K(K([[e,t],[e+n,t],[e+n,t+r],[e,t+r]],e=>c(e)-o),e=>s-c(e))}function K(e,t){return e.flatMap((n,r)=>{let i=e[(r+1)%e.length],[a,o]=[t(n),t(i)],s=a>=0?[n]:[];if(a>=0==o>=0)return s;let c=a/(a-o);return[...s,[n[0]+c*(i[0]-n[0]),n[1]+c*(i[1]-n[1])]]})}function we(e){let t=[],[n,r]=[0,0];for(let[,i,a]of e.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)){let e=(a.match(/-?[\d.]+/g)??[]).map(Number);if(i===`Z`||i===`z`)t.push([`Z`]);else if(i===`M`||i===`L`)for(let a=0;a<e.length;a+=2)[n,r]=[e[a],e[a+1]],t.push([i===`M`&&a===0?`M`:`L`,n,r]);else if(i===`H`||i===`V`)i===`H`?n=e[0]:r=e[0],t.push([`L`,n,r]);else throw Error(`path command ${i}`)}return t}function Te(e,t,n){t instanceof SVGTextElement&&De(e,t,n);let r=t instanceof SVGGeometryElement?t.getScreenCTM():null;if(!(t instanceof SVGGeometryElement)||!r)return;let i=n.vectorEffect===`non-scaling-stroke`?1:Math.sqrt(Math.abs(r.a*r.d-r.b*r.c)),a=(t,n)=>r.a*t+r.c*n+r.e-e.left,o=(t,n)=>r.b*n+r.d*t+r.f-e.top,s=Ee(t).map(e=>f(e,a,o)),c=t instanceof SVGLineElement?null:W(n.fill,e.opacity*Number(n.fillOpacity)),l=W(n.stroke,e.opacity*Number(n.strokeOpacity)),u=(n.strokeDasharray.match(/[\d.]+/g)??[]).map(e=>i*Number(e)),d=l&&{stroke:l,strokeWidth:i*Number.parseFloat(n.strokeWidth),...u.length&&{dash:u},isRound:n.strokeLinecap===`round`};s.length&&(c||d)&&e.add({kind:`path`,segments:s,...c&&{fill:c},...d})}function Ee(e){let t=t=>Number(e.getAttribute(t)??0);if(e instanceof SVGRectElement)return p({x:t(`x`),y:t(`y`),width:t(`width`),height:t(`height`)});if(e instanceof SVGCircleElement){let e=t(`r`);return p({x:t(`cx`)-e,y:t(`cy`)-e,width:2*e,height:2*e,radius:e})}if(e instanceof SVGLineElement)return[[`M`,t(`x1`),t(`y1`)],[`L`,t(`x2`),t(`y2`)]];if(e instanceof SVGPolylineElement||e instanceof SVGPolygonElement){let t=[...e.points].map(({x:e,y:t},n)=>[n?`L`:`M`,e,t]);return e instanceof SVGPolygonElement?[...t,[`Z`]]:t}return we(e.getAttribute(`d`)??``)}function De(e,t,n){let r=(t.textContent??``).trim(),i=W(n.fill,e.opacity),a=t.getScreenCTM();if(!r||!i||!a)return;let o=t.getStartPositionOfChar(0),s=W(n.stroke,e.opacity);e.add({kind:`text`,text:r,x:a.a*o.x+a.e-e.left,y:a.d*o.y+a.f-e.top,width:a.a*t.getComputedTextLength(),size:a.d*Number.parseFloat(n.fontSize),color:i,isBold:Number(n.fontWeight)>=600,isItalic:n.fontStyle!==`normal`,...s&&{halo:{color:s,width:a.a*Number.parseFloat(n.strokeWidth)}}})}function Oe(e,t,n){let{left:r,top:i,width:a,height:o}=e.getBoundingClientRect(),s=[];function c(e,t,n){let a=getComputedStyle(e);if(a.display===`none`||a.clipPath!==`none`)return;let o=n*Number(a.opacity),l=Math.max(t,Number.parseInt(a.zIndex,10)||0),u={left:r,top:i,opacity:o,add:e=>s.push({z:l,one:e})},d=a.visibility===`visible`;if(d&&e instanceof SVGElement?Te(u,e,a):d&&a.display!==`contents`&&ke(u,e,a),!(e instanceof SVGTextElement))for(let t of e.childNodes)t instanceof Element?c(t,l,o):t instanceof Text&&d&&!(e instanceof SVGElement)&&Ie(u,t,a)}c(e,0,1);let l=s.sort((e,t)=>e.z-t.z).map(({one:e})=>e);return{width:Math.ceil(a),height:Math.ceil(o),primitives:l,title:t,description:n}}function ke(e,t,n){for(let r of t.getClientRects())Ae(e,q(e,r),n);(t instanceof HTMLCanvasElement||t instanceof HTMLImageElement)&&Ne(e,t,n)}var q=({left:e,top:t},n)=>({x:n.left-e,y:n.top-t,width:n.width,height:n.height}),J=({x:e,y:t,width:n,height:r},i)=>({x:e-i,y:t-i,width:n+2*i,height:r+2*i});function Ae(e,t,n){let{opacity:r,add:i}=e,a=n.borderTopLeftRadius.endsWith(`%`)?t.width/2:Number.parseFloat(n.borderTopLeftRadius),o=ve(n.boxShadow,r).reverse(),s=({color:e,spread:n,isInset:r})=>i({kind:`rect`,...J(t,r?-n/2:n/2),stroke:e,strokeWidth:n,radius:a});for(let e of o)e.isInset||s(e);let c=W(n.backgroundColor,r);c&&t.width&&t.height&&i({kind:`rect`,...t,fill:c,radius:a});for(let e of G(n.backgroundImage).reverse())for(let{color:n,segments:a}of ye(e,t,r))i({kind:`path`,segments:a,fill:n});for(let e of o)e.isInset&&s(e);Me(e,t,n,a)}var je=[`Top`,`Right`,`Bottom`,`Left`];function Me({opacity:e,add:t},n,r,i){let a=je.map(t=>({side:t,width:r[`border${t}Style`]===`none`?0:Number.parseFloat(r[`border${t}Width`]),color:W(r[`border${t}Color`],e),line:r[`border${t}Style`]})).filter(({width:e,color:t})=>e>0&&t),[o]=a;if(a.length===4&&a.every(({width:e,color:t})=>e===o.width&&String(t)===String(o.color))&&o.color&&o.line===`solid`)return t({kind:`rect`,...J(n,-o.width/2),stroke:o.color,strokeWidth:o.width,radius:i});for(let{side:e,width:r,color:i,line:o}of a){let a=r/2,[s,c]=[n.x+n.width,n.y+n.height],[l,u,d,f]={Top:[n.x,n.y+a,s,n.y+a],Right:[s-a,n.y,s-a,c],Bottom:[n.x,c-a,s,c-a],Left:[n.x+a,n.y,n.x+a,c]}[e],p=o===`dashed`?[2*r,2*r]:o===`dotted`?[r,2*r]:void 0;i&&t({kind:`path`,segments:[[`M`,l,u],[`L`,d,f]],stroke:i,strokeWidth:r,dash:p})}}function Ne(e,t,n){let r=Fe(t),i=q(e,t.getBoundingClientRect());if(!r||!i.width)return;let a=t.dataset.panel??``,o=t instanceof HTMLCanvasElement?Pe(t,a):void 0,s=n.imageRendering===`pixelated`;e.add({kind:`image`,...i,pixels:r,isPixelated:s,opacity:e.opacity,name:a,...o&&{panel:o}})}function Pe(e,t){let r=t?n(e)?.painted:void 0;if(!r)return;let{values:i,first:a,scale:o,table:s}=r,c=e.width*e.height;return{name:t,scale:o,table:s,values:Array.from({length:c},(e,t)=>i[a+t])}}function Fe(e){let t=e instanceof HTMLCanvasElement,[n,r]=t?[e.width,e.height]:[e.naturalWidth,e.naturalHeight];if(!n||!r)return null;let i=t?e:document.createElement(`canvas`),a=i.getContext(`2d`);return t||(Object.assign(i,{width:n,height:r}),a?.drawImage(e,0,0)),a?.getImageData(0,0,n,r)??null}function Ie(e,t,n){let r=W(n.color,e.opacity);if(!r||!/[^ \t\n\r]/.test(t.data))return;let i=Number.parseFloat(n.fontSize),[a,o]=[Number(n.fontWeight)>=600,n.fontStyle!==`normal`];for(let{text:n,box:s}of Le(t)){let{x:t,y:l,width:u,height:d}=q(e,s),{ascent:f,descent:p}=Z(c({size:i,isBold:a,isItalic:o})),m=l+(d-f-p)/2+f;e.add({kind:`text`,text:n,x:t,y:m,width:u,size:i,color:r,isBold:a,isItalic:o})}}function Le(e){let t=document.createRange(),n=[],r=0;for(let i of e.data){let a=r;if(r+=i.length,/[ \t\n\r]/.test(i))continue;t.setStart(e,a),t.setEnd(e,r);let o=[...t.getClientRects()].find(({width:e})=>e>0),s=n[n.length-1];s&&(!o||Math.abs(o.bottom-s.box.bottom)<o.height/2)?Object.assign(s,{to:r,box:o?Re(s.box,o):s.box}):o&&n.push({from:a,to:r,box:o})}return n.map(({from:t,to:n,box:r})=>({text:e.data.slice(t,n).replace(/[ \t\n\r]+/g,` `),box:r}))}function Re(e,t){let n=Math.min(e.left,t.left);return new DOMRect(n,e.top,Math.max(e.right,t.right)-n,e.height)}var Y=null,X=new Map;function Z(e){let t=X.get(e);if(t)return t;if(Y??=document.createElement(`canvas`).getContext(`2d`),!Y)throw Error(`the browser has no 2d canvas`);Y.font=e;let{fontBoundingBoxAscent:n,fontBoundingBoxDescent:r}=Y.measureText(`x`);return X.set(e,{ascent:n,descent:r}),{ascent:n,descent:r}}var Q=`vitviz-sheet`;function $(e,n,r){let i=document.createElement(`div`);i.style.cssText=`position: fixed; top: 0; left: 0; width: 0; height: 0; overflow: clip;`,i.inert=!0;let s=i.attachShadow({mode:`open`}),c=document.createElement(`style`);c.textContent=_e(`.${Q} { ${[H,V,fe,...r,pe,me].join(`
`)} }`);let l=document.createElement(`div`);l.className=Q,l.style.width=`${U}px`,s.append(c,l),document.body.append(i);let u=o(e,{target:l,props:n});return t(),{async draw(e,t){return await Be(l),Oe(l.firstElementChild,e,t)},close(){a(u),i.remove()}}}async function ze(e,t,n,r,i){let a=$(e,t,n);try{return await a.draw(r,i)}finally{a.close()}}async function Be(e){t(),await r(),await new Promise(requestAnimationFrame),await new Promise(requestAnimationFrame),t(),await Promise.all([...e.querySelectorAll(`img`)].map(e=>e.decode().catch(()=>{})))}var Ve=(e,t)=>new Proxy(e,{get:(n,r)=>r in t?t[r]:Reflect.get(e,r),set:()=>!0});export{R as a,S as c,p as d,z as i,c as l,ze as n,A as o,$ as r,v as s,Ve as t,u};