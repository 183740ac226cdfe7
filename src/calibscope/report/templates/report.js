// Figures are drawn when they come into view: Plotly is not even compiled before the first of them.
function draw(plot) {
  const data = document.querySelector(`script[data-for="${plot.id}"]`);
  if (!data) return;  // drawn already
  if (!window.Plotly) {
    const script = document.createElement("script");
    script.textContent = document.getElementById("plotly").textContent;
    document.head.append(script);
  }
  const figure = JSON.parse(data.textContent);
  data.remove();
  Plotly.newPlot(plot, figure.data, figure.layout, {responsive: true, displayModeBar: false});
}
const plots = [...document.querySelectorAll(".plot")];
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) { seen.unobserve(entry.target); draw(entry.target); }
}, {rootMargin: "200px"});
for (const plot of plots) seen.observe(plot);
// A link leads to what is closed, too.
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();
// What is closed is not printed; what is open is drawn first, as wide as the paper.
addEventListener("beforeprint", () => {
  for (const plot of plots) if (!plot.closest("details:not([open])")) {
    draw(plot);
    Plotly.relayout(plot, {width: Math.min(plot.clientWidth, 672)});
  }
});
addEventListener("afterprint", () => {
  for (const plot of plots) if (plot.querySelector(".main-svg")) Plotly.relayout(plot, {width: null, autosize: true});
});
