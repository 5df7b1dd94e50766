// The service worker. It stores the page's files for use offline; store.js stores the large downloads.

const name = "gradus-check-page";

oninstall = (event) => event.waitUntil((async () => {
  const { shell } = await (await fetch("downloads.json")).json();
  await (await caches.open(name)).addAll(shell);
  await skipWaiting();
})());

onactivate = (event) => event.waitUntil(clients.claim());

/** Prefers the network, so that all files have the same version. Answers from the cache when offline. */
async function answer(request) {
  const cache = await caches.open(name);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request.url.replace(/[?#].*/, ""), response.clone()).catch(() => {});  // the cache may be full
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (!kept) throw error;
    return kept;
  }
}

onfetch = (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method === "GET" && origin === location.origin && !pathname.endsWith(".brotli")) event.respondWith(answer(event.request));
};
