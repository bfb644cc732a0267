/**
 * A text that grows is drawn at most once a frame.
 *
 * React draws every change of a var at once. Nobody sees what a text is between two frames, and drawing that keeps a busy
 * machine from drawing what is seen. So React hears of the first growth since a frame at once, and of what follows before the
 * next frame. It hears of every other change at once. The values of vars are never late: a drawing for any reason shows all.
 */
type Listener = () => void;

export interface Frames {
  /** A change of vars came: does it add to texts only? Called before their listeners are. */
  readonly arrived: (grows: boolean) => void;
  /** Subscribes a listener, which hears of growth at most once a frame. Returns how to end that. */
  readonly listen: (subscribe: (listener: Listener) => Listener, listener: Listener) => Listener;
}

export function createFrames(
  request: (draw: Listener) => unknown = (draw) => requestAnimationFrame(draw),
  isHidden = () => document.hidden, // no frames come then, and nothing is drawn
): Frames {
  const late = new Set<Listener>();
  let drawn = false; // something that grew, since the last frame
  let waits = false; // the change that came last

  function draw(): void {
    const listeners = [...late];
    late.clear();
    drawn = listeners.length > 0;
    if (drawn) request(draw);
    for (const listener of listeners) listener();
  }

  return {
    arrived(grows) {
      waits = grows && drawn && !isHidden();
      if (!grows || drawn || isHidden()) return;
      drawn = true;
      request(draw);
    },
    listen(subscribe, listener) {
      const end = subscribe(() => (waits ? late.add(listener) : listener()));
      return () => {
        late.delete(listener);
        end();
      };
    },
  };
}

/** Those of the page. */
export const frames = createFrames();
