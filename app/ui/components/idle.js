/** Do something when the page has nothing better to do. Returns how to call it off. Safari has no idle callbacks. */
export function whenIdle(task, timeout = 3000) {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(task, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(() => task(), { timeout });
  return () => cancelIdleCallback(handle);
}
