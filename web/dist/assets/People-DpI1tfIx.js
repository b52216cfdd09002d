<<<<<<<< HEAD:web/dist/assets/People-B2tYRtxS.js
import{$ as e,C as t,K as n,Ot as r,Q as i,Z as a,_t as o,et as s,ft as c,q as l,rt as u,st as d,yt as f}from"./Dialog-BGB5p_jN.js";import{t as p}from"./Who-CZCsnn-k.js";var m=s(` <!>`,1);function h(s,h){let g=t(h,`none`,3,`nobody`);var _=e(),v=o(_);n(v,17,()=>h.list,l,(e,t,n)=>{r();var a=m(),s=o(a,!0);s.nodeValue=n>0?`, `:``;var c=f(s);p(c,{get value(){return d(t)}}),i(e,a)},e=>{r();var t=u();c(()=>a(t,g())),i(e,t)}),i(s,_)}export{h as t};
========
import{$ as e,C as t,K as n,Ot as r,Q as i,Z as a,_t as o,et as s,ft as c,q as l,rt as u,st as d,yt as f}from"./Dialog-XpH0gMRP.js";import{t as p}from"./Who-DgFId7Ah.js";var m=s(` <!>`,1);function h(s,h){let g=t(h,`none`,3,`nobody`);var _=e(),v=o(_);n(v,17,()=>h.list,l,(e,t,n)=>{r();var a=m(),s=o(a,!0);s.nodeValue=n>0?`, `:``;var c=f(s);p(c,{get value(){return d(t)}}),i(e,a)},e=>{r();var t=u();c(()=>a(t,g())),i(e,t)}),i(s,_)}export{h as t};
>>>>>>>> w-sub:web/dist/assets/People-DpI1tfIx.js
