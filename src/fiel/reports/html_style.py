"""The style of the HTML page: calm on paper, in the dark and on a phone."""

from __future__ import annotations

from typing import Final

from fiel.reports import svg

STYLE: Final = (
    """
:root{color-scheme:light dark;--paper:#fbfaf7;--card:#fff;--ink:#22262b;--quiet:#5f666e;--line:#dedbd3;
--accent:#1c6b75;--good:#23703f;--bad:#a8322a;--warn:#7f5300;--good-bg:#e9f4ec;--bad-bg:#fbeceb;--warn-bg:#fbf3e2}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1b1f23;--ink:#e7e4dd;--quiet:#a0a6ad;--line:#33393f;
--accent:#74c7d1;--good:#83d3a2;--bad:#f39a91;--warn:#e5ba6b;--good-bg:#18291f;--bad-bg:#321d1c;--warn-bg:#2d2516}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:2rem 1.5rem 3rem;max-width:76rem;background:var(--paper);color:var(--ink);
font:16px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums}
header>svg{flex:none}
header{display:flex;align-items:center;gap:.9rem;margin-bottom:1.6rem}
h1{font-size:1.45rem;line-height:1.25;font-weight:600;margin:0;overflow-wrap:anywhere}
h2{font-size:1.08rem;font-weight:600;margin:0 0 .6rem}
p{margin:.3rem 0}
.headlines{display:flex;flex-wrap:wrap;gap:1rem;margin-bottom:1rem}
.headline{flex:1 1 18rem;min-width:0;overflow-wrap:anywhere;background:var(--card);
border:1px solid var(--line);border-left:4px solid var(--accent);
border-radius:10px;padding:1rem 1.25rem}
.headline .word{font-size:2.1rem;line-height:1.1;font-weight:600;margin:0 0 .2rem}
.headline .bar{margin-top:.7rem}
.headline.good{border-left-color:var(--good)}.headline.good .word{color:var(--good)}
.headline.bad{border-left-color:var(--bad)}.headline.bad .word{color:var(--bad)}
.headline.warn{border-left-color:var(--warn)}.headline.warn .word{color:var(--warn)}
.notice{padding:.55rem .9rem;border-radius:8px;background:var(--card);border:1px solid var(--line);
overflow-wrap:anywhere}
.notice.warn{background:var(--warn-bg);border-color:transparent}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:.8rem 2rem;margin:1.4rem 0 0}
.facts dt{color:var(--quiet);font-size:.85rem}
.facts dd{margin:0;overflow-wrap:anywhere}
section,details{margin-top:2.2rem}
summary{cursor:pointer;border-radius:6px;padding:.2rem 0}
summary h2{display:inline}
details[open]>summary{margin-bottom:.6rem}
ul{margin:.2rem 0 .8rem;padding-left:1.2rem}
li{overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.94rem;background:var(--card);
border:1px solid var(--line);border-radius:10px}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{text-align:start;vertical-align:top;padding:.5rem .8rem;border-top:1px solid var(--line);font-weight:400;
overflow-wrap:anywhere}
thead th{border-top:0;color:var(--quiet);font-size:.85rem;overflow-wrap:normal}
.number{text-align:end}
.short{white-space:nowrap}
.short code{white-space:pre}
code{font:.92em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Noto Sans Mono",monospace;white-space:pre-wrap}
.measure{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem .8rem}
.measure span{white-space:nowrap}
li.good,td.good,th.good{color:var(--good)}
li.bad,td.bad,th.bad{color:var(--bad)}
li.warn,td.warn,th.warn{color:var(--warn)}
.quiet,li.quiet,td.quiet,th.quiet{color:var(--quiet)}
footer{margin-top:2.5rem;padding-top:.8rem;border-top:1px solid var(--line);color:var(--quiet);font-size:.85rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:3px}
@media (max-width:46rem){
body{padding:1.1rem .9rem 2rem}
.headline .word{font-size:1.8rem}
table,tbody,tr,th,td{display:block;width:100%}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{padding:.6rem .8rem;border-top:1px solid var(--line)}
tbody tr:first-child{border-top:0}
tbody th,tbody td,tbody td.number{display:grid;grid-template-columns:6.5rem 1fr;gap:.6rem;
border:0;padding:.14rem 0;text-align:start}
tbody th::before,tbody td::before{content:attr(data-column);color:var(--quiet);font-size:.85rem}
tbody td:empty{display:none}
}
@media print{
:root{--paper:#fff;--card:#fff;--ink:#000;--quiet:#444;--line:#bbb;--accent:#1c6b75;--good:#1d5c34;--bad:#8d1f18;--warn:#6b4600;
--good-bg:#fff;--bad-bg:#fff;--warn-bg:#fff}
body{max-width:none;padding:0;font-size:10.5pt}
tr,.headline{break-inside:avoid}
details::details-content{content-visibility:visible;block-size:auto}
}
"""
    + svg.CSS
)
"""The whole text of the page's one ``<style>`` element; its hash is in the page's policy."""
