// Inlined into the head of every page: the live socket of the conversation in the address connects while the page's
// scripts are still being fetched. live.js takes it over, with what it has said by then.
const named = /^\/c\/([^/]+)\/?$/.exec(location.pathname);
if (named) {
  const filter = new URLSearchParams(location.search).get("f");
  const zone = localStorage.getItem("inview.zone");
  const view = new URLSearchParams({ ...(filter !== null && { filter }), ...(zone && { zone }) });
  const base = `${location.origin.replace(/^http/, "ws")}/api/v1/conversations/${named[1]}/live`;
  const socket = new WebSocket(view.size ? `${base}?${view}` : base);
  const frames = [];
  socket.onmessage = ({ data }) => frames.push(data);
  globalThis.inviewEarly = { id: named[1], socket, frames };
}
